// Two charts, a lane a policy and a row a tenant: what each tenant completed against its fair
// share, and how long its tasks waited. Built once; a move rewrites a few paths.
import { svg, marker } from "./dom.js";
import { LABELS, seconds } from "./setting.js";

const WIDTH = 340, LEFT = 64, RIGHT = 288, TITLE = 15, GAP = 5, FOOT = 30;

// The tenants' rows in a lane, groups apart, many tenants closer together.
export function layRows(tenants) {
  const groups = [];
  tenants.forEach(({ group }, t) => {
    if (groups.at(-1)?.name !== group) groups.push({ name: group, members: [] });
    groups.at(-1).members.push(t);
  });
  const y = [];
  let at = TITLE + 8;
  for (const group of groups) {
    const n = group.members.length, pitch = n === 1 ? 8 : Math.max(0.6, Math.min(6, 62 / n));
    for (const t of group.members) y[t] = at += t === group.members[0] ? 4 : pitch;
    group.middle = (y[group.members[0]] + at) / 2;
    if (group.middle < (groups[groups.indexOf(group) - 1]?.middle ?? -9) + 10) {
      const shift = groups[groups.indexOf(group) - 1].middle + 10 - group.middle;
      for (const t of group.members) y[t] += shift;
      group.middle += shift;
      at += shift;
    }
    group.pitch = pitch;
    at += GAP;
  }
  return { groups, y, height: at + 4 };
}

function chart({ rows, looks, policies, title, ticks, limit }) {
  const [low, high] = [ticks[0][0], ticks.at(-1)[0]];
  const x = (value) => LEFT + ((RIGHT - LEFT) * Math.log(Math.min(high, Math.max(low, value)) / low)) / Math.log(high / low);
  const height = TITLE + policies.length * rows.height;
  const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${height + FOOT}`, class: "fl-svg fl-chart", role: "img" },
    svg("text", { x: 2, y: 11, class: "fl-title" }, title));
  for (const [value, label] of ticks) {
    root.append(
      svg("path", { class: "fl-grid", d: `M${x(value).toFixed(1)} ${TITLE + 3}V${height}` }),
      svg("text", { class: "fl-small", x: x(value), y: height + 12, "text-anchor": "middle" }, label));
  }
  if (limit) {
    root.append(
      svg("path", { class: "fl-limit", d: `M${x(limit).toFixed(1)} ${TITLE + 3}V${height}` }),
      svg("text", { class: "fl-limit-text", x: x(limit), y: height + 25, "text-anchor": "middle" }, `${seconds(limit)} (F2)`));
  }
  const lanes = Object.fromEntries(policies.map((name, i) => {
    const top = TITLE + i * rows.height;
    const share = svg("path", { class: "fl-share" });
    const lane = svg("g", { transform: `translate(0 ${top})` },
      svg("path", { class: "fl-lane", d: `M0 2H${WIDTH}` }),
      svg("text", { class: "fl-name", x: 2, y: TITLE }, LABELS[name]), share);
    const groups = rows.groups.map((group) => {
      const parts = {
        ghost: svg("path", { class: "fl-ghost" }),
        line: svg("path", { class: "fl-line" }),
        dots: svg("path", { class: "fl-dots" }),
        said: svg("text", { class: "fl-said", x: RIGHT + 6, y: group.middle + 3.5 }),
      };
      const n = group.members.length;
      lane.append(svg("g", { style: `--fl-color:${looks[group.name].color}` },
        svg("text", { class: "fl-group", x: LEFT - 8, y: group.middle + 3.5, "text-anchor": "end" },
          (n > 1 ? `${n} ` : "") + (group.name.length > 8 ? group.name.slice(0, 7) + "…" : group.name)),
        ...Object.values(parts)));
      return parts;
    });
    root.append(lane);
    return [name, { share, groups }];
  }));
  return { root, x, lanes };
}

const decades = (from, to, label) =>
  Array.from({ length: to - from + 1 }, (_, i) => [10 ** (from + i), label(10 ** (from + i))]);

// Throughput: a dot where a tenant got to, a stroke where its fair share is, a line between them.
export function throughputChart({ tenants, rows, looks, policies, window: [from, to], capacity, plain }) {
  const rates = tenants.map((t) => t.rate_per_s).filter((rate) => rate > 0);
  const low = Math.floor(Math.log10(Math.min(1e4, ...rates) / 40)), high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(10, capacity))));
  const { root, x, lanes } = chart({
    rows, looks, policies, title: plain ? "Tasks done per second; | fair share" : "Completed (tasks/s, log scale); | fair share",
    ticks: decades(low, high, String),
  });
  const per = (count) => count / (to - from);
  const dots = (result, members, mark) =>
    members.filter((t) => result.arrived[t] > 0).map((t) => marker(mark, x(per(result.completed[t])), rows.y[t])).join("");
  const update = (results, ghosts) => {
    for (const [name, lane] of Object.entries(lanes)) {
      const result = results[name];
      lane.share.setAttribute("d", rows.groups.flatMap((g) => g.members.map((t) => {
        const half = Math.max(1.5, Math.min(5, g.pitch / 2));
        return result.arrived[t] > 0 ? `M${x(result.fair_share_per_s[t]).toFixed(1)} ${(rows.y[t] - half).toFixed(1)}v${2 * half}` : "";
      })).join(""));
      rows.groups.forEach(({ name: group, members }, i) => {
        const parts = lane.groups[i], mark = looks[group].marker, asking = members.filter((t) => result.arrived[t] > 0);
        parts.dots.setAttribute("d", dots(result, members, mark));
        parts.line.setAttribute("d", asking.map((t) => `M${x(result.fair_share_per_s[t]).toFixed(1)} ${rows.y[t].toFixed(1)}H${x(per(result.completed[t])).toFixed(1)}`).join(""));
        parts.ghost.setAttribute("d", ghosts?.[name] ? dots(ghosts[name], members, mark) : "");
        parts.said.textContent = asking.length ? `${Math.round(100 * Math.min(...asking.map((t) => result.x[t])))} %` : "";
      });
    }
  };
  const describe = (results) => "Tasks completed a second by each tenant, against its fair share. " +
    policies.map((name) => `${LABELS[name]}: ` + rows.groups.map(({ name: group, members }) => {
      const shares = members.map((t) => results[name].x[t]).filter((v) => v === v).map((v) => Math.round(100 * v));
      const [least, most_] = [Math.min(...shares), Math.max(...shares)];
      return shares.length ? `${group} ${least === most_ ? least : `${least} to ${most_}`} % of its share` : `${group} nothing asked`;
    }).join(", ")).join("; ") + ".";
  return { root, update, describe };
}

// Waits: a line from the median to the 99th percentile, the marker at the latter.
export function waitChart({ rows, looks, policies, plain }) {
  const { root, x, lanes } = chart({
    rows, looks, policies, title: plain ? "Wait: half of the tasks ─ 99 of 100 ●" : "Queue wait (log scale): median ─ ●  p99",
    limit: plain ? 0 : 50,
    ticks: decades(0, 5, (ms) => (ms < 1000 ? `${ms}${ms === 1 ? " ms" : ""}` : `${ms / 1000} s`)),
  });
  const ms = (result, t, q) => 1000 * result.wait_s[3 * t + q];
  const served = (result, members) => members.filter((t) => result.wait_s[3 * t] === result.wait_s[3 * t]);
  const dots = (result, members, mark) => served(result, members).map((t) => marker(mark, x(ms(result, t, 2)), rows.y[t])).join("");
  const update = (results, ghosts) => {
    for (const [name, lane] of Object.entries(lanes)) {
      const result = results[name];
      rows.groups.forEach(({ name: group, members }, i) => {
        const parts = lane.groups[i], mark = looks[group].marker, there = served(result, members);
        parts.dots.setAttribute("d", dots(result, members, mark));
        parts.line.setAttribute("d", there.map((t) => `M${x(ms(result, t, 0)).toFixed(1)} ${rows.y[t].toFixed(1)}H${x(ms(result, t, 2)).toFixed(1)}`).join(""));
        parts.ghost.setAttribute("d", ghosts?.[name] ? dots(ghosts[name], members, mark) : "");
        parts.said.textContent = there.length ? seconds(Math.max(...there.map((t) => ms(result, t, 2)))) : "";
      });
    }
  };
  const describe = (results) => "99th percentile of the queue wait of each tenant. " +
    policies.map((name) => `${LABELS[name]}: ` + rows.groups.map(({ name: group, members }) => {
      const waits = served(results[name], members).map((t) => ms(results[name], t, 2));
      return waits.length ? `${group} at most ${seconds(Math.max(...waits))}` : `${group} nothing served`;
    }).join(", ")).join("; ") + ".";
  return { root, update, describe };
}
