// The button that loads the workshop: an editor, MicroPython and the kernel, from beside this page's scripts.
const PARTS = ["vendor/editor.js", "vendor/micropython.js", "workshop.js"];

const load = (src) => new Promise((done, fail) => {
  const script = Object.assign(document.createElement("script"), { src, onload: done, onerror: () => fail(new Error(src)) });
  document.head.append(script);
});

export default {
  render({ model, el }) {
    const here = document.querySelector("script[src*='widgets.js']")?.src;
    const lesson = model.get("lesson"), said = document.createElement("p"), button = document.createElement("button");
    el.classList.add("fl", "fl-yours");
    said.setAttribute("role", "status");
    said.className = "fl-note";
    if (!here) {
      said.textContent = "In a notebook you have Python itself: put the class into a cell, and run simulate(workload, Policy(\"yours\", YourClass())).";
      el.append(said);
      return;
    }
    Object.assign(button, { type: "button", className: "fl-button", textContent: `Write and run it here (loads ${lesson.megabytes} MB)` });
    button.addEventListener("click", async () => {
      button.disabled = true;
      said.textContent = "Loading …";
      window.flParts ??= Promise.allSettled(PARTS.map((part) => load(new URL(part, here).href)));
      await window.flParts;
      if (!window.flWorkshop || !window.flMicroPython) {
        said.textContent = "It could not be loaded. The class can be run in a notebook.";
        button.disabled = false;
        window.flParts = null;
        return;
      }
      el.replaceChildren();
      el.closeWorkshop = window.flWorkshop.open({ el, lesson });
    });
    el.append(button, said);
    return () => el.closeWorkshop?.();
  },
};
