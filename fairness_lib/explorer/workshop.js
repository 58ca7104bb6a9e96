// "Your own policy": an editor, a worker that runs what is in it, and the explorer's lanes and verdicts.
import { html, hideFallback, keepKeys, set } from "./dom.js";
import { hire, trafficOf, fairOf } from "./engine.js";
import { settingOf, sum, LABELS } from "./setting.js";
import { lanes } from "./lanes.js";
import { verdicts, goalsMet } from "./judge.js";
import { faultWords, endlessWords } from "./faults.js";

const LIMIT_S = 10, TRIES = 2, SLIM = 600, WIDE = 860, TRAFFIC = ["arrival_s", "tenant", "cost_s"];

const button = (text, act) => {
  const made = html("button", { type: "button", class: "fl-button" }, text);
  made.addEventListener("click", act);
  return made;
};

// A plain field where CodeMirror could not be loaded.
function textarea(parent, { text, label, described, changed }) {
  const area = html("textarea", { "aria-label": label, "aria-describedby": described, spellcheck: "false", rows: 24 });
  area.value = text;
  area.addEventListener("input", changed);
  parent.append(area);
  return { read: () => area.value, write: (now) => { area.value = now; }, mark() {}, close: () => area.remove() };
}

// The same code as a notebook, with what it takes to run it.
function notebook(source, lesson) {
  const name = /^class (\w+)/m.exec(source)?.[1] || "Mine";
  const code = (text) => ({ cell_type: "code", execution_count: null, id: `cell${text.length}`, metadata: {}, outputs: [], source: text });
  const cells = [source, `${lesson.setup}\nrun = simulate(workload, Policy("yours", ${name}()))\nreport = measure(run)\ncheck(report)`];
  return JSON.stringify({ cells: cells.map(code), metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1);
}

// Run a source once; `stop` ends it at any time.
function start(assets, source, setting, columns, heard) {
  const address = URL.createObjectURL(new Blob([window.flMicroPython.script, "\n", assets.bench], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  let reached = -1;
  const end = (said) => {
    clearTimeout(timer);
    worker.terminate();
    heard.done(said);
  };
  const timer = setTimeout(() => end({ endless: endlessWords(source, LIMIT_S, reached, columns.arrival_s) }), 1000 * LIMIT_S);
  worker.onmessage = ({ data }) => {
    if (data.printed !== undefined) heard.printed(data.printed);
    else if (data.task !== undefined) heard.reached((reached = data.task));
    else end(data);
  };
  worker.onerror = (event) => end({ fault: { kind: "Error", words: event.message, line: 0 } });
  const { tenants, workers } = setting, given = { tenants: tenants.map((t) => t.name), weight: tenants.map((t) => t.weight), workers };
  worker.postMessage({ wasm: window.flMicroPython.wasm, loop: assets.loop, source, setting: JSON.stringify(given), columns });
  return () => {
    clearTimeout(timer);
    worker.terminate();
  };
}

export function open({ el: root, lesson }) {
  const assets = window.flWorkshop, values = { ...assets.values, ...lesson.values };
  const setting = settingOf({ get: (name) => values[name] }), bytes = Uint8Array.from(atob(assets.wasm), (c) => c.charCodeAt(0));
  const crew = hire({ get: (name) => ({ worker: assets.worker, wasm: bytes, spec: assets.spec })[name] }, 1);
  const traffic = trafficOf(setting), fair = fairOf(setting, traffic), id = `fl-keys-${Math.random().toString(36).slice(2)}`;
  if (!document.getElementById("fl-workshop-style")) document.head.append(html("style", { id: "fl-workshop-style" }, assets.css));

  const code = html("div", { class: "fl-code" }), state = html("p", { class: "fl-note fl-state", role: "status" }), list = html("ul", { class: "fl-judged" });
  const place = html("div", { class: "fl-place" }), printed = html("pre", { class: "fl-printed", tabindex: 0, "aria-label": "What the class printed", hidden: "" });
  const keys = html("p", { class: "fl-note", id }, "Tab indents; Escape and then Tab leaves the editor. Ctrl or Cmd and Enter runs."), helped = html("div", { class: "fl-helped" });
  let halt = null, count = 0, tries = 0, hints = 0, known = null, chart = null;

  const editor = (window.flEditor || textarea)(code, {
    text: lesson.starts[0].code, label: "Your policy, in Python", described: id, run: () => run(),
    changed: () => list.classList.add("fl-stale"),
  });
  const choice = html("select", { class: "fl-choice", "aria-label": "Start from" }, ...lesson.starts.map(({ label }) => html("option", {}, label)));
  const again = () => {
    editor.write(lesson.starts[choice.selectedIndex].code);
    editor.mark(0);
  };
  choice.addEventListener("change", again);
  const stopButton = button("Stop", () => ended("Stopped.")), runButton = button("Run", () => run());
  stopButton.disabled = true;
  const save = button("Open in a notebook", () => {
    const link = html("a", { download: "your_policy.ipynb", href: URL.createObjectURL(new Blob([notebook(editor.read(), lesson)], { type: "application/x-ipynb+json" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    state.textContent = "Saved as your_policy.ipynb: open it in JupyterLab.";
  });
  const hintButton = button("Hint", () => {
    helped.append(html("p", {}, lesson.hints[hints]));
    hints += 1;
    offer();
  });
  const solutionButton = button("Put in the solution", () => {
    editor.write(lesson.solution);
    run();
  });
  const offer = () => {
    hintButton.hidden = hints >= lesson.hints.length;
    hintButton.textContent = hints ? "Another hint" : "Hint";
    solutionButton.hidden = !lesson.solution || (tries < TRIES && hints < lesson.hints.length);
  };

  const ended = (text, line = 0) => {
    halt?.();
    halt = null;
    count += 1;
    stopButton.disabled = true;
    state.textContent = text;
    editor.mark(line);
  };
  const measureUp = () => {
    const width = root.clientWidth;
    if (!width) return;
    root.dataset.size = width < SLIM ? "slim" : width < WIDE ? "mid" : "wide";
    chart?.resize(root.dataset.size === "slim");
  };
  const draw = (results, now) => {
    const { tenants, workers } = setting, policies = Object.keys(results);
    const mean_s = sum(tenants.map((t) => t.rate_per_s * t.cost.mean_s)) / sum(tenants.map((t) => t.rate_per_s));
    let n = 0;
    const looks = values.tenants.map(({ name }) => assets.looks[name] || assets.other_looks[n++ % assets.other_looks.length]);
    if (chart?.policies !== policies.join()) {
      chart = { ...lanes({ setting: now, looks, compact: false, capacity: workers / mean_s, policies }), policies: policies.join() };
      place.replaceChildren(chart.root);
    }
    measureUp();
    const slim = root.dataset.size === "slim";
    chart.updateMarks(results, null, slim);
    chart.updateVerdicts(results, now);
    chart.updateTime(results, slim);
    chart.describe();
  };
  const ask = (policies, columns) => crew.run({ setting, policies, key: traffic, fair, got: true, rest: true, columns });
  const library = async () => {
    await crew.ready;
    const answer = await ask(setting.policies, [...TRAFFIC, "fair_start_s"]);
    answer.columns.tenant = Int32Array.from(answer.columns.tenant, Number);
    known = answer;
    draw(answer.results, setting);
  };
  const first = library();
  first.then(() => { state.textContent ||= "Press Run."; }, (error) => { state.textContent = error.message; });

  const sign = (held) => (held === undefined ? "" : held === null ? "–" : held ? "✓" : "✗");
  const line = ({ key, what, held, words }) => {
    const mark = html("span", { class: "fl-held", role: "img", "aria-label": held === undefined ? "" : held === null ? "nobody to judge:" : held ? "met:" : "not met:" }, sign(held));
    return html("li", { "data-key": key, class: held === false && "fl-unmet" }, held === undefined ? html("span", { class: "fl-held" }) : mark, html("span", {}, html("strong", {}, what), ` ${words}.`));
  };
  async function run() {
    ended("Running …");
    const mine = count, source = editor.read(), began = performance.now();
    stopButton.disabled = false;
    printed.hidden = true;
    printed.textContent = "";
    await first;
    if (mine !== count || !known) return;
    const { columns } = known, who = (task) => setting.tenants[columns.tenant[task]].name;
    halt = start(assets, source, setting, Object.fromEntries(TRAFFIC.map((name) => [name, columns[name].slice()])), {
      reached: (task) => { state.textContent = `Running: second ${columns.arrival_s[task].toFixed(0)} of ${setting.horizon_s} …`; },
      printed: (text) => {
        printed.hidden = false;
        printed.append(`${text}\n`);
      },
      done: (said) => finish(said, { mine, who, began }),
    });
  }
  async function finish(said, { mine, who, began }) {
    tries += 1;
    offer();
    if (said.endless || said.fault) return ended(said.endless || faultWords(said.fault, who), said.fault?.line || 0);
    try {
      const policy = { name: "yours", by_tenant: 0, limited: 0, given: said.run }, { columns, results } = known;
      const now = { ...setting, policies: [{ ...policy, given: null }, ...setting.policies] };
      const some = said.run.outcome.some((value) => value === 0), measured = some && (await ask([policy]));
      if (mine !== count) return;
      if (!some) return ended("Nothing was ever served: take() never gave a task.");
      const shown = { yours: measured.results.yours, ...results }, { times } = said, run = { ...columns, ...said.run };
      const apart = times.slice(1).map((time, i) => time - times[i]);
      const took = { mean_us: (1000 * said.run_ms) / run.arrival_s.length, most_us: Math.max(0, ...apart) };
      const context = { run, result: shown.yours, results, setting, quantum_s: said.quantum_s, took };
      const found = verdicts(context), goals = goalsMet(lesson.goals, found, context), met = goals.every(({ held }) => held !== false);
      draw(shown, now);
      list.replaceChildren(...goals.filter(({ key }) => !found.some((verdict) => verdict.key === key)).map(line), ...found.map(line));
      list.classList.remove("fl-stale");
      ended(`${lesson.goals.length ? (met ? "Solved. " : `Not yet: ${goals.filter(({ held }) => held !== false).length} of ${goals.length} hold. `) : ""}${run.arrival_s.length.toLocaleString("en-US")} tasks in ${((performance.now() - began) / 1000).toFixed(1)} s, in this page.`);
      root.dispatchEvent(new CustomEvent("fl-judged", { bubbles: true, detail: { ...context, said, found, goals, ms: performance.now() - began } }));
    } catch (error) {
      ended(error.message);
    }
  }

  root.classList.add("fl-explorer");
  keepKeys(root);
  root.append(lesson.starts.length > 1 ? html("label", { class: "fl-note" }, "Start from ", choice) : "", code, keys,
    html("div", { class: "fl-buttons" }, runButton, stopButton, button("Start over", again), save, hintButton, solutionButton), helped, state, printed, list, place);
  offer();
  const resized = new ResizeObserver(measureUp);
  resized.observe(root);
  hideFallback(root);
  set(root, "data-open", "true");
  return () => {
    halt?.();
    resized.disconnect();
    editor.close();
    crew.stop();
  };
}
