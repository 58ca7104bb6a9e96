// One decision a step: queues, deficits, workers, and why. Everything shown was recorded by
// fairness_lib/explorer/trace.py from a run of the engine.
import { svg, html, marker, hideFallback } from "./dom.js";
import { numbers, player } from "./player.js";

const WIDTH = 360, QUEUE_END = 246, WORKER_X = 268, ROW = 46, BOX = 20;

const look = (tenants, i) => ({ style: `--fl-color:${tenants[i].color}` });

function taskBox(model, task, x, y, width, height = BOX) {
  const { tenant, number } = model.get("tasks");
  const tenants = model.get("tenants"), who = tenant[task];
  return svg("g", { ...look(tenants, who), class: "fl-task", transform: `translate(${x} ${y})` },
    svg("rect", { width, height, rx: 2 }),
    svg("text", { x: width / 2, y: height / 2 + 3.5, "text-anchor": "middle" },
      width > 17 ? tenants[who].name[0] + number[task] : width > 6 ? tenants[who].name[0] : ""));
}

// The queue of one row, its head at the right, each task as wide as its cost.
function queueRow(model, tasks, y, scale) {
  const { cost_ms } = model.get("tasks");
  let x = QUEUE_END;
  return tasks.map((task) => taskBox(model, task, (x -= cost_ms[task] * scale), y, cost_ms[task] * scale - 1));
}

function tenantRow(model, step, i, scale) {
  const tenants = model.get("tenants"), y = 8 + i * ROW, deficit = step.deficit_ms[i];
  const acting = step.tenant === i && ["served", "passed", "ended"].includes(step.kind);
  return svg("g", { class: acting ? "fl-row fl-acting" : "fl-row" },
    svg("rect", { class: "fl-turn", x: 1, y: y - 5, width: QUEUE_END + 8, height: ROW - 3, rx: 4 }),
    svg("g", look(tenants, i),
      svg("path", { class: "fl-mark", d: marker(tenants[i].marker, 20, y + 9) })),
    svg("text", { class: "fl-name", x: 28, y: y + 13 }, tenants[i].name),
    step.turn === i ? svg("text", { class: "fl-arrow", x: 4, y: y + 13 }, "▶") : "",
    ...queueRow(model, step.queues[i], y, scale),
    svg("rect", { class: "fl-deficit", x: QUEUE_END - deficit * scale, y: y + BOX + 3, width: Math.max(0, deficit * scale - 1), height: 5 }),
    svg("text", { class: "fl-small", x: QUEUE_END - Math.max(deficit * scale, 1) - 4, y: y + BOX + 10, "text-anchor": "end" }, `deficit ${deficit} ms`));
}

function stage(model, trace, step, scale) {
  const rows = trace.step[0].queues.length, tall = Math.max(rows * ROW, step.workers.length * 34 + 12) + 6;
  const { cost_ms } = model.get("tasks"), perTenant = step.deficit_ms.length > 0;
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${tall + 14}`, class: "fl-svg", "aria-hidden": "true" },
    ...(perTenant
      ? step.queues.map((_, i) => tenantRow(model, step, i, scale))
      : [svg("text", { class: "fl-name", x: 4, y: 12 }, "one queue, head at the right"), ...queueRow(model, step.queues[0], 20, scale)]),
    svg("path", { class: "fl-door", d: `M${QUEUE_END + 10} 4V${tall}` }),
    ...step.workers.flatMap((task, w) => {
      const y = 4 + w * 34;
      return [
        svg("rect", { class: "fl-worker", x: WORKER_X, y, width: WIDTH - WORKER_X - 2, height: 30, rx: 4 }),
        ...(task === null
          ? [svg("text", { class: "fl-small", x: WORKER_X + 6, y: y + 19 }, `worker ${w + 1}: idle`)]
          : [taskBox(model, task, WORKER_X + 5, y + 5, 26),
             svg("text", { class: "fl-small", x: WORKER_X + 36, y: y + 13 }, `worker ${w + 1}`),
             svg("text", { class: "fl-small", x: WORKER_X + 36, y: y + 24 },
               `to ${Math.round(trace.start_ms[task] + cost_ms[task])} ms`)]),
      ];
    }),
    svg("text", { class: "fl-small", x: 4, y: tall + 10 }, "A task is as wide as its cost."));
}

// Who was served when, under both policies, as far as the clock has got.
function schedule(model, now) {
  const traces = model.get("traces"), { cost_ms, arrival_ms } = model.get("tasks"), left = 42;
  const end = model.get("end_ms"), x = (ms) => left + (ms / end) * (WIDTH - left - 6);
  const parts = [];
  let y = 4;
  for (const trace of traces) {
    parts.push(svg("text", { class: "fl-name", x: 0, y: y + 16 }, trace.label));
    trace.start_ms.forEach((start, task) => {
      if (start !== null && start <= now) {
        const stop = Math.min(now, start + cost_ms[task]);
        if (stop > start) parts.push(taskBox(model, task, x(start), y + trace.worker[task] * 13, x(stop) - x(start) - 0.6, 11));
      } else if (start === null && arrival_ms[task] <= now) {
        parts.push(svg("text", { ...look(model.get("tenants"), model.get("tasks").tenant[task]), class: "fl-cross", x: x(arrival_ms[task]), y: y + 37, "text-anchor": "middle" }, "×"));
      }
    });
    y += 44;
  }
  parts.push(svg("path", { class: "fl-now", d: `M${x(now)} 0V${y}` }));
  for (let ms = 0; ms <= end; ms += 50) {
    parts.push(svg("text", { class: "fl-small", x: x(ms), y: y + 9, "text-anchor": ms + 25 > end ? "end" : "middle" }, ms ? `${ms}` : "0 ms"));
  }
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${y + 14}`, class: "fl-svg", "aria-hidden": "true" }, ...parts);
}

// What had been decided when the shown decision fell: up to it under its own policy, and under
// the other before that instant, and of the instant as many decisions as under the shown one.
// Of each tenant: how many were served and rejected, and the longest wait.
function standing(model, shown, at) {
  const traces = model.get("traces"), { arrival_ms } = model.get("tasks");
  const { step } = traces[shown], now = step[at].now_ms, first = step.findIndex((s) => s.now_ms === now);
  const more = step[at + 1]?.now_ms === now ? at - first + 1 : Infinity;
  return traces.map((trace, p) => {
    const here = trace.step.filter((s) => s.now_ms === now).slice(0, more);
    const decided = p === shown ? step.slice(0, at + 1) : [...trace.step.filter((s) => s.now_ms < now), ...here];
    return model.get("tenants").map((_, tenant) => {
      const of = (kind) => decided.filter((s) => s.kind === kind && s.tenant === tenant);
      const served = of("served"), start = new Map(served.map((s) => [s.task, s.now_ms]));
      const waits = of("queued").map(({ task }) => (start.get(task) ?? now) - arrival_ms[task]);
      return [served.length, of("rejected").length, `${Math.round(Math.max(0, ...waits))} ms`];
    });
  });
}

// The last decision by a time.
const lastBy = (trace, ms) => Math.max(0, trace.step.findLastIndex((s) => s.now_ms <= ms));

function render({ model, el: root }) {
  const said = html("p", { class: "fl-why", role: "status" });
  const drawn = html("div"), below = html("div", { class: "fl-below" });
  const traces = model.get("traces"), { cost_ms } = model.get("tasks");
  const widest = (queues) => Math.max(1, ...queues.map((q) => q.reduce((sum, task) => sum + cost_ms[task], 0)));
  const scales = traces.map((trace) => {
    const room = QUEUE_END - (trace.step[0].queues.length > 1 ? 76 : 6);
    return Math.min(1.1, room / Math.max(...trace.step.map((s) => widest(s.queues))));
  });
  const tables = traces.map(() => numbers(["served", "rejected", "longest wait"], model.get("tenants")));
  const save = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const steps = () => traces[model.get("policy")].step;
  let playing = false;
  const control = player({ root, name: "Decision", last: steps().length - 1, pace: 1 / 1.2,
    speeds: [["half speed", 0.5], ["speed 1", 1, true], ["speed 2", 2], ["speed 4", 4]],
    speak: (at) => `${Math.floor(at) + 1} of ${steps().length}`,
    show: (at, moving) => {
      playing = moving;
      said.setAttribute("aria-live", moving ? "off" : "polite");
      if (Math.floor(at) !== model.get("step")) save({ step: Math.floor(at) });
    } });
  const choices = traces.map(({ label }, p) => {
    const node = html("button", { type: "button", class: "fl-button" }, label);
    node.addEventListener("click", () => { // the same moment in the other schedule
      const place = lastBy(traces[p], steps()[model.get("step")].now_ms);
      playing = false;
      save({ policy: p });
      control.go(place);
    });
    return node;
  });
  const jump = html("input", { type: "number", min: "0", max: String(model.get("end_ms")), step: "any" });
  jump.addEventListener("change", () => {
    if (jump.value !== "") control.go(lastBy(traces[model.get("policy")], jump.valueAsNumber));
  });

  const draw = () => {
    const policy = model.get("policy"), trace = traces[policy], last = trace.step.length - 1;
    const at = Math.max(0, Math.min(model.get("step"), last)), step = trace.step[at];
    if (!playing) control.place(at, last);
    choices.forEach((choice, p) => choice.setAttribute("aria-pressed", p === policy));
    said.textContent = `${trace.label}, ${at + 1} of ${last + 1}, ${Math.round(step.now_ms * 10) / 10} ms. ${step.why}`;
    said.className = `fl-why fl-${step.kind}`;
    drawn.replaceChildren(stage(model, trace, step, scales[policy]));
    below.replaceChildren(schedule(model, step.now_ms));
    standing(model, policy, at).forEach((rows, p) => tables[p].fill(`${traces[p].label}, by ${Math.round(step.now_ms)} ms`, rows));
    root.dispatchEvent(new CustomEvent("fl-drawn", { bubbles: true }));
  };

  root.classList.add("fl", "fl-stepper");
  root.append(
    html("div", { class: "fl-buttons", role: "group", "aria-label": "Policy" }, ...choices, html("label", { class: "fl-jump" }, "go to ", jump, " ms")),
    control.node, said, drawn, below, html("div", { class: "fl-sides" }, ...tables.map(({ node }) => node)));
  const watched = ["change:step", "change:policy"];
  for (const change of watched) model.on(change, draw);
  control.watch(root);
  draw();
  hideFallback(root);
  return () => {
    control.stop();
    for (const change of watched) model.off(change, draw);
  };
}

export default { render };
