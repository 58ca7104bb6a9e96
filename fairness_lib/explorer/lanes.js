// A lane a policy: what holds, what each tenant completed, how long it waited, and the minute.
import { html, svg, marker, set } from "./dom.js";
import { LABELS, seconds } from "./setting.js";
import { decades, inTime, roundUp } from "./scales.js";
import { layRows, markLane, markHead } from "./marks.js";
import { sharedTime, stripLane, stepAt, timeHead, reachTime } from "./strip.js";
import { lines, percent, MOST_WAIT_S } from "./verdicts.js";
import { POLICY_WORDS, people, groupSentence, isAmiss, worstShare, worstWait } from "./words.js";

const NUMBER = 46, INSET = 16, LEAST_WIDTH = 90, SLIM_STRIP = 64;

// The groups' names, and on a phone their worst numbers, beside the rows of the charts.
function groupLabels(rows, looks) {
  const root = svg("svg", { class: "fl-svg fl-groups", height: rows.height, "aria-hidden": "true" });
  const texts = rows.groups.map((group) => {
    const share = svg("text", { class: "fl-worst", x: 104, "text-anchor": "end" }), wait = svg("text", { class: "fl-worst", x: 153, "text-anchor": "end" });
    const name = people(group), look = looks[group.row], sign = svg("path", { class: "fl-mark" });
    const text = svg("text", { class: "fl-group", x: 14 }, name.length > 11 ? `${name.slice(0, 10)}…` : name);
    root.append(svg("g", { style: `--fl-color:${look.color}` }, sign, text, share, wait));
    return { group, share, wait, place: (y) => {
      for (const part of [text, share, wait]) part.setAttribute("y", y + 4);
      sign.setAttribute("d", marker(look.marker, 6, y));
    } };
  });
  return {
    root,
    update: (result) => texts.forEach(({ group: { members }, share, wait }) => {
      share.textContent = percent(worstShare(result, members));
      const wait_s = worstWait(result, members);
      wait.textContent = wait_s === wait_s ? seconds(1000 * wait_s) : "–";
    }),
    resize: (slim) => {
      set(root, "height", slim ? Math.max(SLIM_STRIP, 17 * texts.length + 6) : rows.height);
      texts.forEach(({ group, place }, i) => place(slim ? 18 + 17 * i : group.middle));
    },
  };
}

// What holds under a policy: signs and numbers, or, on the landing page, a sentence a group.
function verdictList(name, compact, rows, looks) {
  const title = html("p", { class: "fl-order" }, html("strong", {}, LABELS[name]), " ", html("span", {}, POLICY_WORDS[name])), list = html("ul", { class: "fl-lines" });
  const said = compact ? rows.groups.map((group) => {
    const sign = svg("svg", { viewBox: "-5 -5 10 10", class: "fl-sign", "aria-hidden": "true" }, svg("path", { class: "fl-mark", d: marker(looks[group.row].marker, 0, 0) }));
    const words = html("span"), line = html("li", { style: `--fl-color:${looks[group.row].color}` }, sign, html("strong", {}, people(group)), " ", words);
    list.append(line);
    return { group, words, line };
  }) : [];
  const rowsOf = new Map();
  const row = (key, what, brief) => {
    const parts = { sign: html("span", { class: "fl-held", role: "img" }), value: html("span"), more: html("span", { class: "fl-beyond" }) };
    const line = html("li", { class: `fl-is-${key}` }, parts.sign, html("span", { class: "fl-what" }, what), brief && html("span", { class: "fl-brief", "aria-hidden": "true" }, brief), " ", html("span", { class: "fl-value" }, parts.value, parts.more));
    list.append(line);
    return { ...parts, line };
  };
  const update = (result, setting) => {
    for (const { group, words, line } of said) {
      words.textContent = groupSentence(result, group.members);
      line.classList.toggle("fl-unmet", isAmiss(result, group.members));
    }
    if (compact) return;
    for (const { key, held, what, brief, value, more = "" } of lines(result, setting, name)) {
      if (!rowsOf.has(key)) rowsOf.set(key, row(key, what, brief));
      const { sign, value: cell, more: rest, line } = rowsOf.get(key);
      sign.textContent = held === undefined ? "" : held === null ? "–" : held ? "✓" : "✗";
      set(sign, "aria-label", held === undefined ? "" : held === null ? "nobody to judge:" : held ? "met:" : "not met:");
      sign.hidden = held === undefined;
      cell.textContent = value;
      rest.textContent = more;
      line.classList.toggle("fl-unmet", held === false);
    }
  };
  return { root: html("section", { class: "fl-verdicts", "aria-label": LABELS[name] }, title, list), update };
}

export function lanes({ setting, looks, compact, capacity, policies }) {
  const { tenants, window: [from, to] } = setting, rows = layRows(tenants);
  const rates = tenants.map((t) => t.rate_per_s).filter((rate) => rate > 0), lowest = Math.floor(Math.log10(Math.min(1e4, ...rates) / 4));
  const done = decades(lowest, Math.max(lowest + 1, Math.ceil(Math.log10(Math.max(10, 1.2 * capacity)))), String);
  const wait = decades(0, 5, inTime);
  const bursts = [...new Set(tenants.flatMap((t) => t.bursts.map(String)))].map((text) => text.split(",").map(Number));
  const time = sharedTime(setting, bursts);
  const reads = {
    done: (r, t) => (r.arrived[t] > 0 ? [r.fair_share_per_s[t], r.completed[t] / (to - from)] : null),
    wait: (r, t) => (r.wait_s[3 * t] === r.wait_s[3 * t] ? [1000 * r.wait_s[3 * t], 1000 * r.wait_s[3 * t + 2]] : null),
  };
  const said = {
    done: (r, members) => (worstShare(r, members) < Infinity ? percent(worstShare(r, members)) : ""),
    wait: (r, members) => (worstWait(r, members) === worstWait(r, members) ? seconds(1000 * worstWait(r, members)) : ""),
  };
  const limit = compact ? 0 : 1000 * MOST_WAIT_S;
  const heads = {
    done: markHead({ axis: done, title: "Done, tasks/s", worst: "worst" }),
    wait: markHead({ axis: wait, title: "Wait: p50 ─● p99", worst: "worst", limit }),
    time: timeHead(time),
  };
  const cell = (name, content) => html("div", { class: `fl-cell-${name}` }, content);
  const head = html("div", { class: "fl-lane fl-lane-head" }, cell("verdicts", html("span", { class: "fl-key" }, "│ fair share   ▬ over 20 seeds, at rest")), cell("groups", html("span", { class: "fl-slim-head", "aria-hidden": "true" }, html("span", {}, "of share"), html("span", {}, "p99"))),
    cell("done", heads.done.root), cell("wait", heads.wait.root), cell("time", heads.time.root));
  const all = policies.map((name) => {
    const parts = {
      verdicts: verdictList(name, compact, rows, looks),
      groups: groupLabels(rows, looks),
      done: markLane({ rows, looks, axis: done, read: reads.done, said: said.done, stroke: true }),
      wait: markLane({ rows, looks, axis: wait, read: reads.wait, said: said.wait, limit }),
      time: stripLane({ time, groups: rows.groups, looks, tall: Math.max(rows.height, 94), slimmer: SLIM_STRIP }),
    };
    return { name, ...parts, root: html("div", { class: "fl-lane" }, ...Object.entries(parts).map(([key, part]) => cell(key, part.root))) };
  });
  const root = html("div", { class: compact ? "fl-lanes fl-words" : "fl-lanes" }, head, ...all.map((lane) => lane.root));
  let drawn = null;

  const moveTo = (at) => {
    const step = at === null ? null : Math.max(0, Math.min(time.steps - 1, at));
    if (step === time.at) return;
    time.at = step;
    heads.time.read();
    for (const lane of all) lane.time.read();
    const spoken = step === null ? "none" : `second ${step * time.step_s}: ${all.map((lane) => `${LABELS[lane.name]}: ${lane.time.said(step)}`).join("; ")}`;
    set(heads.time.root, "aria-valuetext", spoken);
  };
  set(heads.time.root, "aria-valuetext", "none");
  listenToTime(root, heads.time.root, time, moveTo);

  const resizeMarks = (slim) => {
    for (const [axis, part] of [[done, "done"], [wait, "wait"]]) {
      const width = Math.max(LEAST_WIDTH + NUMBER, all[0][part].root.parentNode.clientWidth);
      [axis.from, axis.to] = [INSET, width - NUMBER];
    }
    for (const part of [heads.done, heads.wait, ...all.flatMap((lane) => [lane.groups, lane.done, lane.wait])]) part.resize(slim);
  };
  const resizeTime = (slim) => {
    time.width = Math.max(LEAST_WIDTH, all[0].time.root.parentNode.clientWidth);
    for (const part of [heads.time, ...all.map((lane) => lane.time)]) part.resize(slim);
  };
  const resize = (slim) => {
    resizeMarks(slim);
    resizeTime(slim);
  };
  // What the tenants got; if the axes had to grow, they are laid out again before it is drawn.
  const updateMarks = (results, ghosts, slim) => {
    const values = (read) => policies.flatMap((name) => tenants.flatMap((_, t) => read(results[name], t) || []));
    const wider = [[done, reads.done], [wait, reads.wait]].flatMap(([axis, read]) => values(read).map(axis.reach));
    if (wider.some(Boolean)) resizeMarks(slim);
    for (const { name, groups, done: did, wait: waited } of all) {
      groups.update(results[name]);
      did.update(results[name], ghosts?.[name]);
      waited.update(results[name], ghosts?.[name]);
    }
  };
  const updateVerdicts = (results, now) => all.forEach(({ name, verdicts }) => verdicts.update(results[name], now));
  const updateTime = (results, slim) => {
    const grown = reachTime(time, policies.map((name) => results[name]), rows.groups.length), queued = roundUp(grown.most);
    const changed = grown.high > time.high || queued !== time.queued;
    time.high = Math.max(time.high, grown.high);
    time.queued = queued;
    drawn = results;
    for (const { name, time: strip } of all) strip.update(results[name]);
    if (changed) resizeTime(slim);
  };
  const widen = (ranges) => all.forEach(({ name, done: did, wait: waited }) => {
    const { completed, wait_s } = ranges[name] || { completed: [], wait_s: [] };
    did.widen(completed.map((range) => range?.map((count) => count / (to - from))));
    waited.widen(wait_s.map((range) => range?.map((s) => 1000 * s)));
  });
  const describe = () => all.forEach(({ name, done: did, wait: waited, time: strip }) => {
    const say = (measure) => rows.groups.map((g) => `${g.name} ${measure(drawn[name], g.members) || "nothing"}`).join(", ");
    set(did.root, "aria-label", `${LABELS[name]}, least part of its fair share that a tenant completed: ${say(said.done)}.`);
    set(waited.root, "aria-label", `${LABELS[name]}, longest p99 wait: ${say(said.wait)}.`);
    set(strip.root, "aria-label", `${LABELS[name]}, by second: waits of each group, and the queue, ${strip.said(Math.floor((from + to) / 2 / time.step_s))} in the middle of the measured time.`);
  });
  return { root, groups: rows.groups, updateMarks, updateVerdicts, updateTime, resize, widen, describe };
}

// Pointers on any strip, and keys on the time axis, read the same second off in all lanes.
function listenToTime(root, handle, time, moveTo) {
  const strips = (event) => event.target.closest?.(".fl-strip, .fl-times");
  const follow = (event) => {
    const strip = strips(event);
    if (strip) moveTo(stepAt(time, event.clientX - strip.getBoundingClientRect().left));
    else if (event.pointerType === "mouse") moveTo(null);
  };
  root.addEventListener("pointermove", follow);
  root.addEventListener("pointerdown", follow);
  root.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && moveTo(null));
  handle.addEventListener("blur", () => moveTo(null));
  handle.addEventListener("keydown", (event) => {
    const at = time.at ?? -1, middle = Math.floor(time.steps / 2);
    const target = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at < 0 ? middle : at - 1, ArrowDown: at < 0 ? middle : at - 1, PageUp: at + 10, PageDown: at - 10, Home: 0, End: time.steps - 1, Escape: null }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    moveTo(target);
  });
}
