// The controls are ipywidgets' own: give their handles names, values with units, and, on a phone,
// buttons that say which one of them is shown.
import { html, set } from "./dom.js";
import { short } from "./setting.js";

const tasksOf = (value) => Math.floor(value + 0.5);
const SLIDERS = {
  "fl-burst": ["Burst factor", "Burst", "burst", (v) => `${short(v)} times the usual rate`],
  "fl-cap": ["Queue cap", "Cap", "cap", (v) => `${tasksOf(v)} tasks per tenant`],
  "fl-quantum": ["Quantum", "Quantum", "quantum_ms", (v) => `${short(v)} milliseconds`],
  "fl-workers": ["Workers", "", "workers", (v) => `${v} workers`],
  "fl-shared-cap": ["Shared queue cap", "", "shared_cap", (v) => `${tasksOf(v)} tasks`],
  "fl-in-flight": ["In-flight limit", "", "in_flight", (v) => `${v} tasks at once for each tenant`],
  "fl-seed": ["Seed", "", "seed", (v) => `seed ${v}`],
};

export function nameSliders(box, model) {
  for (const [name, [label, , trait, value]] of Object.entries(SLIDERS)) {
    const slider = box.querySelector(`.${name}`), handle = slider?.querySelector("[role=slider], input[type=range]");
    if (!handle) continue;
    slider.hidden = model.get(`show_${trait}`) === false; // a knob of one policy, which is not shown
    slider.dataset.named = "fl"; // the page's own script leaves it alone
    set(handle, "aria-label", label);
    set(handle, "aria-valuetext", value(model.get(trait)));
    if (handle.type !== "range") { // a log slider of ipywidgets would give its exponent
      const [least, most] = model.get("limits")[trait];
      set(handle, "aria-valuemin", String(least));
      set(handle, "aria-valuemax", String(most));
      set(handle, "aria-valuenow", short(model.get(trait), 6));
    }
    const readout = slider.querySelector(".widget-readout");
    if (readout?.isContentEditable) {
      set(readout, "role", "textbox");
      set(readout, "aria-label", `${label}, typed`);
    }
  }
}

export function knobTabs(box) {
  const knobs = box.querySelector(".fl-knobs");
  if (!knobs || knobs.querySelector(".fl-tabs")) return;
  const there = Object.entries(SLIDERS).filter(([name]) => knobs.querySelector(`.${name}`));
  if (there.length < 2) return;
  const buttons = there.map(([name, [, brief]]) => {
    const button = html("button", { type: "button", class: "fl-tab" }, brief);
    button.addEventListener("click", () => choose(name));
    return button;
  });
  const choose = (chosen) => {
    box.dataset.knob = chosen;
    buttons.forEach((button, i) => set(button, "aria-pressed", String(there[i][0] === chosen)));
  };
  choose(there[0][0]);
  knobs.prepend(html("div", { class: "fl-tabs", role: "group", "aria-label": "Slider shown" }, ...buttons));
}
