// The explorer's view: asks the engine at every move, draws what it answers.
import { html, keepKeys, hideFallback, watchBox, set } from "./dom.js";
import { startEngine } from "./engine.js";
import { settingOf, shown, toLink, fromLink, inWords, short, faultIn, NUMBERS, POLICIES } from "./setting.js";
import { layRows, throughputChart, waitChart } from "./charts.js";
import { summary, fullTable, copyText } from "./readout.js";
import { tenantTable } from "./tenants.js";
import { words } from "./words.js";

const ASKING = [...NUMBERS, ...POLICIES.map((p) => `show_${p}`), "tenants", "window", "horizon_s"];

// The sliders are ipywidgets' own: give their handles a name, and a value with its unit.
const SLIDERS = {
  "fl-quantum": ["Quantum", "quantum_ms", (m) => `${short(m.get("quantum_ms"))} milliseconds`],
  "fl-cap": ["Queue cap", "cap", (m) => `${Math.floor(m.get("cap") + 0.5)} tasks per tenant`],
  "fl-shared-cap": ["Shared queue cap", "shared_cap", (m) => `${Math.floor(m.get("shared_cap") + 0.5)} tasks`],
  "fl-burst": ["Burst factor", "burst", (m) => `${short(m.get("burst"))} times the usual rate`],
  "fl-seed": ["Seed", "seed", (m) => `seed ${m.get("seed")}`],
  "fl-workers": ["Workers", "workers", (m) => `${m.get("workers")} workers`],
};
function nameSliders(box, model) {
  for (const [name, [label, trait, value]] of Object.entries(SLIDERS)) {
    const slider = box.querySelector(`.${name}`), handle = slider?.querySelector("[role=slider]");
    if (!handle) continue;
    slider.dataset.named = "fl"; // the page's own script leaves it alone
    set(handle, "aria-label", label);
    set(handle, "aria-valuetext", value(model));
    const [least, most] = model.get("limits")[trait]; // a log slider would give its exponent
    set(handle, "aria-valuemin", String(least));
    set(handle, "aria-valuemax", String(most));
    set(handle, "aria-valuenow", short(model.get(trait), 6));
    const readout = slider.querySelector(".widget-readout");
    if (readout?.isContentEditable) {
      set(readout, "role", "textbox");
      set(readout, "aria-label", `${label}, typed`);
    }
  }
}

function buttons(model, view) {
  const said = html("span", { role: "status", class: "fl-note" });
  const button = (text, act) => {
    const b = html("button", { type: "button", class: "fl-button" }, text);
    b.addEventListener("click", act);
    return b;
  };
  const pin = button("Pin to compare", () => {
    view.pin(view.pinned() ? null : view.last());
    set(pin, "aria-pressed", String(!!view.pinned()));
    pin.textContent = view.pinned() ? "Unpin" : "Pin to compare";
  });
  const reset = button("Reset", () => {
    model.set(model.get("start"));
    model.save_changes();
    said.textContent = "";
  });
  const link = button("Link to this setting", async () => {
    history.replaceState(history.state, "", "#" + toLink(model));
    said.textContent = (await copyText(location.href)) ? "Link copied." : "The address bar has the link now.";
  });
  return html("div", { class: "fl-buttons" }, pin, reset, view.inPage ? link : "", said);
}

function render({ model, el: root, state }) {
  const compact = model.get("compact"), charts = html("div", { class: "fl-charts" });
  const numbers = html("div", compact ? {} : { class: "fl-scroll", tabindex: "0", role: "region", "aria-label": "Summary" });
  const note = html("p", { class: "fl-note fl-state" }, "Running the simulation …"), heard = html("p", { class: "fl-heard", role: "status" });
  const compared = html("p", { class: "fl-note" });
  const full = compact ? null : fullTable(), table = compact ? null : tenantTable(model);
  let built = "", parts = null, pinned = null, timer = 0;

  const build = (answer) => {
    const { tenants, window, workers } = answer.setting, policies = Object.keys(answer.results);
    const loads = tenants.map((t) => [t.name, t.rate_per_s, t.cost.mean_s]);
    const key = JSON.stringify([loads, policies, window, workers]);
    if (key === built) return;
    built = key;
    const mean_s = tenants.reduce((sum, t) => sum + t.rate_per_s * t.cost.mean_s, 0) / tenants.reduce((sum, t) => sum + t.rate_per_s, 0);
    const spec = { tenants, rows: layRows(tenants), looks: looksOf(model, tenants), policies, window, capacity: workers / mean_s, plain: compact };
    parts = [throughputChart(spec), waitChart(spec), compact ? words(spec) : summary(tenants, policies, window)];
    charts.replaceChildren(parts[0].root, parts[1].root);
    numbers.replaceChildren(parts[2].root);
  };
  const draw = (answer) => {
    build(answer);
    const { results, setting } = answer;
    const same = pinned && JSON.stringify(pinned.setting.tenants.map((t) => t.name)) === JSON.stringify(setting.tenants.map((t) => t.name));
    for (const part of parts) part.update(results, same ? pinned.results : null, setting);
    full?.update(setting.tenants, Object.keys(results), setting.window, results);
    compared.textContent = pinned ? `Pale outlines: ${inWords(pinned.setting)}${same ? "" : " (other tenants, so not drawn)"}.` : "";
    const number = answer.tasks.toLocaleString("en-US"), ms = Math.round(answer.ms);
    note.textContent = compact
      ? `Just simulated in this page, in ${ms} ms: ${number} tasks under each of ${Object.keys(results).length} policies.`
      : `${number} tasks, ${inWords(setting)}. Simulated in ${ms} ms in this page.`;
    note.classList.remove("fl-fault");
    root.classList.remove("fl-late");
    clearTimeout(timer);
    timer = setTimeout(() => { // descriptions are for when the slider rests
      parts.slice(0, 2).forEach((part) => set(part.root, "aria-label", part.describe(results)));
      heard.textContent = compact ? parts[2].describe(results) : note.textContent;
    }, 400);
    root.dispatchEvent(new CustomEvent("fl-drawn", { bubbles: true, detail: answer }));
  };
  const view = {
    draw,
    inPage: !root.closest(".jp-Notebook, .jp-OutputArea") && !document.querySelector("#jp-main-content-panel, .jp-LabShell"),
    pinned: () => pinned,
    last: () => state.last,
    pin: (answer) => { pinned = answer; draw(state.last); },
    fail: (text) => { note.textContent = text; note.classList.add("fl-fault"); },
    late: () => root.classList.add("fl-late"),
  };

  root.classList.add("fl", "fl-explorer");
  keepKeys(root);
  if (compact) root.append(numbers, charts, note, heard);
  else root.append(note, charts, compared, buttons(model, view), numbers, full.root, table.root, heard);
  state.views.add(view);
  if (state.last) draw(state.last);

  const read = () => {
    const found = fromLink(location.hash, model);
    if (!view.inPage || !Object.keys(found).length) return;
    model.set(found);
    model.save_changes();
  };
  const unwatch = watchBox(root, (box) => nameSliders(box, model));
  const onChange = () => {
    table?.fill();
    const box = root.closest(".fl-box");
    if (box) nameSliders(box, model);
  };
  model.on("change", onChange);
  addEventListener("hashchange", read);
  read();
  hideFallback(root);
  return () => {
    unwatch();
    clearTimeout(timer);
    model.off("change", onChange);
    removeEventListener("hashchange", read);
    state.views.delete(view);
  };
}

function looksOf(model, tenants) {
  const known = model.get("looks"), others = model.get("other_looks"), looks = {};
  let n = 0;
  for (const { group } of tenants) looks[group] ??= known[group] || others[n++ % others.length];
  return looks;
}

export default () => {
  const state = { views: new Set(), last: null };
  return {
    initialize({ model }) {
      let late = 0;
      const each = (name) => (value) => {
        clearTimeout(late);
        state.views.forEach((view) => view[name](value));
      };
      const engine = startEngine(model, {
        done: (answer) => {
          state.last = answer;
          each("draw")(answer);
        },
        failed: each("fail"),
      });
      const ask = () => {
        const fault = shown(model).length ? faultIn(model.get("tenants"), model.get("burst"), model.get("horizon_s")) : "Choose at least one policy.";
        if (fault) return each("fail")(fault);
        engine.ask(settingOf(model));
        clearTimeout(late);
        late = setTimeout(() => state.views.forEach((view) => view.late()), 250);
      };
      let asked = false;
      const soon = () => { // several values may change at once
        if (!asked) queueMicrotask(() => { asked = false; ask(); });
        asked = true;
      };
      for (const name of ASKING) model.on(`change:${name}`, soon);
      ask();
      return () => engine.stop();
    },
    render: (context) => render({ ...context, state }),
  };
};
