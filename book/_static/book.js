// Small mendings that need the page to be there: keyboard access to whatever scrolls sideways,
// right-aligned numbers in tables, and white paper.
(() => {
  const set = (node, attribute, value) => {
    if (node.getAttribute(attribute) !== value) node.setAttribute(attribute, value);
  };

  // What scrolls sideways must be reachable with the keyboard, and show where it is cut off.
  const SCROLLERS =
    "mjx-container[display], .pst-scrollable-table-container, .cell_output .output, .highlight pre, .cell_output .widget-subarea *";
  const markCuts = (node) => {
    const rest = node.scrollWidth - node.clientWidth - node.scrollLeft;
    node.classList.toggle("cut-start", node.scrollLeft > 1);
    node.classList.toggle("cut-end", rest > 1);
  };
  const reachScrollers = () => {
    for (const node of document.querySelectorAll(SCROLLERS)) {
      const scrolls = /auto|scroll/.test(getComputedStyle(node).overflowX);
      if (!node.clientWidth || !scrolls) continue;
      markCuts(node);
      if (node.scrollWidth <= node.clientWidth + 1) continue;
      if (!node.querySelector("a[href], button, input, [tabindex]")) set(node, "tabindex", "0");
    }
  };

  // On a phone a table that would be cut off becomes a card for each row. Its roles have to be
  // said then, since a browser takes them from the layout.
  const PHONE = matchMedia("(max-width: 600px)");
  const TABLES = ".cell_output .output.text_html table, .pst-scrollable-table-container table";
  const ROLES = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", td: "cell" };
  const fitTables = () => {
    for (const table of document.querySelectorAll(TABLES)) {
      table.classList.remove("cards");
      const holder = table.parentElement.closest(".output, .pst-scrollable-table-container");
      const titles = [...(table.tHead?.rows[0]?.cells || [])];
      if (!PHONE.matches || table.tHead?.rows.length !== 1) continue;
      if (holder.scrollWidth <= holder.clientWidth + 1) continue;
      table.classList.add("cards");
      for (const node of [table, ...table.querySelectorAll("*")]) {
        const role = node.matches("thead th")
          ? "columnheader"
          : node.matches("tbody th")
            ? "rowheader"
            : ROLES[node.localName];
        if (role) set(node, "role", role);
      }
      for (const row of table.tBodies[0].rows) {
        [...row.cells].forEach((cell, i) => (cell.dataset.title = titles[i]?.textContent.trim() || ""));
      }
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
    const fit = () => {
      fitTables();
      reachScrollers();
    };
    fit();
    // The window, the sidebar, a fold, late mathematics: all of them change the article's size.
    const article = document.querySelector(".bd-article");
    if (article) new ResizeObserver(() => requestAnimationFrame(fit)).observe(article);
    document.addEventListener("scroll", ({ target }) => target.matches?.(SCROLLERS) && markCuts(target), {
      capture: true,
      passive: true,
    });
  });
})();
