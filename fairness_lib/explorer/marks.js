// One lane of a chart: a row a tenant, a marker where it got to, a line from where it is measured.
import { svg, marker } from "./dom.js";

const FIRST = 9, APART = 14, PITCH = 5, BAND = 38, FOOT = 8;

// The tenants' rows in a lane: groups apart, many tenants closer together.
export function layRows(tenants) {
  const groups = [], y = [];
  tenants.forEach(({ row, group }, t) => {
    if (groups.at(-1)?.row !== row) groups.push({ row, name: group, members: [] });
    groups.at(-1).members.push(t);
  });
  let at = FIRST - APART, middle = -Infinity;
  for (const group of groups) {
    const n = group.members.length, height = Math.min(BAND, PITCH * (n - 1));
    const top = Math.max(at + APART, middle + APART - height / 2);
    group.pitch = n > 1 ? height / (n - 1) : PITCH;
    group.members.forEach((t, i) => { y[t] = top + i * group.pitch; });
    group.middle = middle = top + height / 2;
    at = top + height;
  }
  return { groups, y, height: at + FOOT };
}

const point = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;
const beyond = (x, y, side) => `M${point(x + 5 * (side < 0 ? 1 : -1), y - 3)}l${side < 0 ? -5 : 5} 3 ${side < 0 ? 5 : -5} 3`;

// `read` gives of a result and a tenant [from, to], or null; `said` a group's number at the right.
export function markLane({ rows, looks, axis, read, said, stroke, limit }) {
  const grid = svg("path", { class: "fl-grid" }), limited = limit ? svg("path", { class: "fl-limit" }) : "", ideal = svg("path", { class: "fl-share" });
  const root = svg("svg", { class: "fl-svg fl-chart", role: "img", height: rows.height }, grid, limited);
  const groups = rows.groups.map((group) => {
    const parts = Object.fromEntries(["range", "line", "ghost", "dots", "edge"].map((part) => [part, svg("path", { class: `fl-${part}` })]));
    parts.said = svg("text", { class: "fl-said", y: group.middle + 4 });
    root.append(svg("g", { style: `--fl-color:${looks[group.row].color}` }, ...Object.values(parts)));
    return { ...group, ...parts, mark: looks[group.row].marker };
  });
  root.append(ideal);

  const shapes = (result, { members, mark }) => {
    let dots = "", edge = "", line = "";
    for (const t of members) {
      const values = read(result, t);
      if (!values) continue;
      const [[from], [to, side]] = values.map(axis.place), y = rows.y[t];
      if (side) edge += beyond(to, y, side);
      else dots += marker(mark, to, y);
      line += `M${point(from, y)}H${to.toFixed(1)}`;
    }
    return { dots, edge, line };
  };
  const update = (result, ghost) => {
    let strokes = "";
    for (const group of groups) {
      const now = shapes(result, group), half = Math.max(1.2, Math.min(5, group.pitch / 2));
      for (const part of ["dots", "edge", "line"]) group[part].setAttribute("d", now[part]);
      group.ghost.setAttribute("d", ghost ? shapes(ghost, group).dots : "");
      group.said.textContent = said(result, group.members);
      group.range.setAttribute("d", "");
      if (stroke) for (const t of group.members) {
        const values = read(result, t);
        if (values) strokes += `M${point(axis.place(values[0])[0], rows.y[t] - half)}v${(2 * half).toFixed(1)}`;
      }
    }
    ideal.setAttribute("d", strokes);
  };
  // What came out over many seeds: [least, most] of each tenant.
  const widen = (ranges) => {
    for (const { members, range, pitch } of groups) {
      range.style.strokeWidth = Math.max(1.5, Math.min(6, pitch));
      range.setAttribute("d", members.map((t) => (ranges[t] ? `M${point(axis.place(ranges[t][0])[0], rows.y[t])}H${axis.place(ranges[t][1])[0].toFixed(1)}` : "")).join(""));
    }
  };
  const resize = () => {
    grid.setAttribute("d", axis.ticks().map(([value]) => `M${axis.x(value).toFixed(1)} 0V${rows.height}`).join(""));
    if (limit) limited.setAttribute("d", `M${axis.x(limit).toFixed(1)} 0V${rows.height}`);
    for (const { said: text } of groups) text.setAttribute("x", axis.to + 8);
  };
  return { root, update, widen, resize };
}

// The head of a chart: its title, what its numbers at the right are, and the axis.
export function markHead({ axis, title, worst, limit }) {
  const root = svg("svg", { class: "fl-svg fl-axis", height: 32, "aria-hidden": "true" });
  const resize = () => {
    root.replaceChildren(
      svg("text", { x: axis.zero() - 4, y: 11, class: "fl-title" }, title),
      svg("text", { x: axis.to + 8, y: 11, class: "fl-small" }, worst),
      axis.zeros ? svg("text", { x: axis.zero(), y: 27, class: "fl-small", "text-anchor": "middle" }, "0") : "",
      ...axis.ticks().filter(axis.isLabelled).map(([value, label]) => svg("text", { x: axis.x(value), y: 27, class: "fl-small", "text-anchor": "middle", "data-value": value }, label)),
      limit ? svg("path", { class: "fl-limit", d: `M${axis.x(limit).toFixed(1)} 30v2` }) : "",
    );
  };
  return { root, resize };
}
