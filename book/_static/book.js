// Small mendings that need the page to be there: names for sliders, keyboard access to
// whatever scrolls sideways, right-aligned numbers in tables, and white paper.
(() => {
  // ipywidgets' slider handles have no name, and a log slider announces its exponent.
  const nameSliders = () => {
    for (const slider of document.querySelectorAll(".widget-slider:not([data-named])")) {
      const label = slider.querySelector(".widget-label");
      const readout = slider.querySelector(".widget-readout");
      const name = slider.dataset.name || label?.textContent.trim() || "Value";
      for (const handle of slider.querySelectorAll("[role=slider]")) {
        set(handle, "aria-label", name);
        if (readout) set(handle, "aria-valuetext", readout.textContent.trim());
      }
      // The number beside a slider can be typed over: tell what it is.
      if (readout?.isContentEditable) {
        set(readout, "role", "textbox");
        set(readout, "aria-label", name + ", typed");
      }
    }
  };
  const set = (node, attribute, value) => {
    if (node.getAttribute(attribute) !== value) node.setAttribute(attribute, value);
  };

  // What scrolls sideways must be reachable with the keyboard.
  const SCROLLERS =
    "mjx-container[display], .pst-scrollable-table-container, .cell_output .output, .highlight pre, .cell_output .widget-subarea *";
  const reachScrollers = () => {
    for (const node of document.querySelectorAll(SCROLLERS)) {
      if (node.scrollWidth <= node.clientWidth + 1 || !node.clientWidth) continue;
      if (!/auto|scroll/.test(getComputedStyle(node).overflowX)) continue;
      if (!node.querySelector("a[href], button, input, [tabindex]")) set(node, "tabindex", "0");
    }
  };

  // 12, -0.5, 1,300, 0.757 (0.757), 3.1e-4, 98 %, 12 ms*, <0.01, nan
  const VALUE = String.raw`[<>≤≥±~]?\s*[-+−]?\d[\d,.\u00a0\u202f]*(?:e[-+]?\d+)?\s*(?:%|×|x|[mµ]?s|\/s)?\*?`;
  const NUMBER = new RegExp(`^(?:${VALUE}(?:\\s*\\(${VALUE}\\))?\\*?|nan|inf|–|—|)$`, "i");
  const alignNumbers = () => {
    for (const cell of document.querySelectorAll(".bd-article .cell_output td")) {
      if (NUMBER.test(cell.textContent.trim())) cell.classList.add("number");
    }
    // A column of numbers carries its heading to the same side.
    for (const table of document.querySelectorAll(".bd-article .cell_output table")) {
      const row = [...(table.tBodies[0]?.rows[0]?.cells || [])];
      for (const head of table.tHead?.rows || []) {
        if (head.cells.length !== row.length) continue;
        row.forEach((cell, i) => head.cells[i].classList.toggle("number", cell.classList.contains("number")));
      }
    }
  };

  // Paper is white: print a dark page by the light theme, then go back.
  const paper = matchMedia("print");
  let before = null;
  paper.addEventListener("change", () => {
    const root = document.documentElement;
    if (paper.matches && root.dataset.theme === "dark") {
      before = root.dataset.theme;
      root.dataset.theme = "light";
    } else if (!paper.matches && before) {
      root.dataset.theme = before;
      before = null;
    }
  });

  // The search fetches each page it found to show a passage of it, which no browser allows
  // between files: without a server it lists titles only.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  document.addEventListener("DOMContentLoaded", () => {
    alignNumbers();
    reachScrollers();
    addEventListener("resize", reachScrollers);
    addEventListener("load", reachScrollers);
    addEventListener("fl-typeset", reachScrollers);
    if (!document.querySelector('script[type="application/vnd.jupyter.widget-view+json"]')) return;
    let waiting = false;
    const later = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        nameSliders();
        reachScrollers();
      });
    };
    const changes = { subtree: true, childList: true, characterData: true };
    for (const cell of document.querySelectorAll(".cell_output")) {
      new MutationObserver(later).observe(cell, changes);
    }
    later();
  });
})();
