// The minute, second by second: how long those waited who came then, and how many tasks were queued.
import { svg, marker, SIGNS } from "./dom.js";
import { seconds, grouped, sum } from "./setting.js";
import { inTime } from "./scales.js";

const LEFT = 44, RIGHT = 8, TOP = 17, GAP = 4;

// What all strips share: the time axis, the waits' axis in ms, and the most that was ever queued.
export function sharedTime(setting, bursts) {
  const steps = Math.ceil(setting.horizon_s / setting.step_s);
  return { steps, step_s: setting.step_s, horizon_s: setting.horizon_s, bursts, width: 200, low: 0, high: 4, queued: 100, at: null };
}
const timeX = (time, step) => LEFT + ((time.width - LEFT - RIGHT) * step) / time.steps;
export const stepAt = (time, x) => Math.max(0, Math.min(time.steps - 1, Math.floor(((x - LEFT) * time.steps) / (time.width - LEFT - RIGHT))));
const shade = (time, height) => time.bursts.map(([from, to]) =>
  `M${timeX(time, from / time.step_s).toFixed(1)} 0H${timeX(time, to / time.step_s).toFixed(1)}V${height}H${timeX(time, from / time.step_s).toFixed(1)}z`).join("");

export function stripLane({ time, groups, looks, tall, slimmer }) {
  let height = tall, queue = 0, floor = 0;
  const part = (name, attributes) => svg("path", { class: `fl-${name}`, ...attributes });
  const parts = { shade: part("burst-shade"), grid: part("grid"), queue: part("queue"), cursor: part("cursor") };
  const labels = svg("g"), reading = svg("text", { class: "fl-reading", x: LEFT, y: 11 });
  const lines = groups.map(({ row }) => ({ row, line: part("wait"), dot: part("dots") }));
  const root = svg("svg", { class: "fl-svg fl-strip", role: "img" }, parts.shade, parts.grid, parts.queue, labels,
    ...lines.map(({ row, line, dot }) => svg("g", { style: `--fl-color:${looks[row].color}` }, line, dot)), parts.cursor, reading);
  let result = null;

  const y = (ms) => TOP + ((floor - TOP) * (time.high - Math.max(time.low, Math.log10(Math.max(ms, 1e-9))))) / (time.high - time.low);
  const waitOf = (row, step) => 1000 * result.step_wait_s[row * time.steps + step];
  const queuedAt = (step) => sum(groups.map(({ row }) => result.step_waiting[row * time.steps + step]));
  const deep = (count) => (queue * count) / time.queued;

  const draw = () => {
    if (!result) return;
    for (const { row, line } of lines) {
      let d = "", pen = "M";
      for (let step = 0; step < time.steps; step += 1) {
        const ms = waitOf(row, step);
        if (ms !== ms) pen = "M";
        else {
          d += `${pen}${timeX(time, step + 0.5).toFixed(1)} ${y(ms).toFixed(1)}`;
          pen = "L";
        }
      }
      line.setAttribute("d", d);
    }
    let area = `M${timeX(time, 0).toFixed(1)} ${height}`;
    for (let step = 0; step < time.steps; step += 1) area += `V${(height - deep(queuedAt(step))).toFixed(1)}H${timeX(time, step + 1).toFixed(1)}`;
    parts.queue.setAttribute("d", `${area}V${height}z`);
    read();
  };
  const resize = (slim) => {
    height = slim ? slimmer : tall;
    queue = Math.round(0.23 * height);
    floor = height - queue - GAP;
    root.setAttribute("height", height);
    reading.setAttribute("x", slim ? time.width : LEFT);
    reading.setAttribute("text-anchor", slim ? "end" : "start");
    parts.shade.setAttribute("d", shade(time, height));
    const ticks = Array.from({ length: time.high - time.low + 1 }, (_, i) => 10 ** (time.low + i));
    parts.grid.setAttribute("d", [...ticks.map(y), height].map((at) => `M${LEFT} ${at.toFixed(1)}H${time.width - RIGHT}`).join(""));
    const label = (text, at) => svg("text", { x: LEFT - 5, y: at, class: "fl-small", "text-anchor": "end" }, text);
    const few = slim ? [ticks[0], ticks.at(-1)] : ticks.filter((_, i) => !i || ((time.high - time.low - i) % 2 === 0 && i > 1));
    labels.replaceChildren(...few.map((ms) => label(ms === ticks[0] ? `≤${inTime(ms)}` : inTime(ms), y(ms) + 4)), label(grouped(time.queued), height - 3));
    draw();
  };
  // Read a second off, or, with none chosen, say what was worst.
  const read = () => {
    const step = time.at, chosen = step !== null;
    parts.cursor.setAttribute("d", chosen ? `M${timeX(time, step + 0.5).toFixed(1)} ${TOP - 2}V${height}` : "");
    for (const { row, dot } of lines) {
      const ms = chosen ? waitOf(row, step) : NaN;
      dot.setAttribute("d", ms === ms ? marker(looks[row].marker, timeX(time, step + 0.5), y(ms)) : "");
    }
    reading.replaceChildren(...(chosen ? readOff(step) : [peak()]));
  };
  const readOff = (step) => {
    const waits = groups.map(({ row }) => [row, waitOf(row, step)]).filter(([, ms]) => ms === ms);
    const few = waits.length > 3 ? [waits.reduce((a, b) => (b[1] > a[1] ? b : a))] : waits;
    return [...few.map(([row, ms]) => svg("tspan", { class: "fl-mark", style: `--fl-color:${looks[row].color}` }, `${SIGNS[looks[row].marker]}\u2009${seconds(ms)}  `)), `▆\u2009${grouped(queuedAt(step))}`];
  };
  const said = (step) => {
    const waits = groups.map(({ row, name }) => [name, waitOf(row, step)]).filter(([, ms]) => ms === ms);
    return [...waits.map(([name, ms]) => `${name} ${seconds(ms)}`), `${grouped(queuedAt(step))} queued`].join(", ");
  };
  const peak = () => {
    let most = 0;
    for (let step = 0; step < time.steps; step += 1) most = Math.max(most, queuedAt(step));
    return `up to ${grouped(most)} queued`;
  };
  return {
    root, resize, read,
    said,
    update: (now) => {
      result = now;
      draw();
    },
  };
}

// The largest values of some results: what the shared axes must hold. Tells whether they grew.
export function reachTime(time, results, groups) {
  let longest = 0, most = 0;
  for (const { step_wait_s, step_waiting } of results) {
    for (const value of step_wait_s) if (value > longest) longest = value;
    for (let step = 0; step < time.steps; step += 1) {
      let queued = 0;
      for (let row = 0; row < groups; row += 1) queued += step_waiting[row * time.steps + step];
      if (queued > most) most = queued;
    }
  }
  return { high: Math.max(4, Math.ceil(Math.log10(Math.max(1000 * longest, 1)))), most };
}

// The time axis above the strips. It is what keys move along; pointers may use the strips as well.
export function timeHead(time) {
  const root = svg("svg", { class: "fl-svg fl-axis fl-times", height: 32, role: "slider", tabindex: 0, "aria-label": "Second to read off", "aria-valuemin": 0, "aria-valuemax": time.steps - 1 });
  const ticks = svg("g"), handle = svg("path", { class: "fl-handle" }), chosen = svg("text", { class: "fl-small fl-chosen", y: 11, "text-anchor": "end" });
  const title = svg("text", { class: "fl-title", x: LEFT, y: 11 });
  root.append(title, ticks, handle, chosen);
  const resize = (slim) => {
    title.textContent = slim ? "p99 and queue" : "p99 wait ─ and queue ▆";
    const step = time.horizon_s <= 30 ? 5 : time.horizon_s <= 90 ? 20 : 10 ** Math.floor(Math.log10(time.horizon_s)) / 2;
    const at = Array.from({ length: Math.floor(time.horizon_s / step) + 1 }, (_, i) => i * step);
    ticks.replaceChildren(...at.map((s) => svg("text", { class: "fl-small", x: timeX(time, s / time.step_s), y: 27, "text-anchor": "middle" }, s === at.at(-1) ? `${s} s` : s)));
    read();
  };
  const read = () => {
    const x = time.at === null ? 0 : timeX(time, time.at + 0.5);
    ticks.classList.toggle("fl-dim", time.at !== null);
    handle.setAttribute("d", time.at === null ? "" : `M${(x - 5).toFixed(1)} 24h10l-5 7z`);
    chosen.setAttribute("x", time.width - RIGHT);
    title.classList.toggle("fl-dim", time.at !== null && time.width < 260);
    chosen.textContent = time.at === null ? "" : `${time.step_s === 1 ? "second" : "from second"} ${time.at * time.step_s}`;
    root.setAttribute("aria-valuenow", time.at ?? 0);
  };
  return { root, resize, read };
}
