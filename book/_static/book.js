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
  const WORDS = 28; // a column with more letters in a cell is one of texts, read from the left
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
      const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
      for (const i of rows[0]?.keys() || []) {
        const column = rows.map((row) => row[i]).filter(Boolean);
        const words = column.some((cell) => cell.textContent.trim().length > WORDS);
        for (const cell of column) {
          cell.dataset.title = titles[i]?.textContent.trim() || "";
          cell.classList.toggle("words", words);
        }
      }
    }
  };

  // 12, -0.5, 1,300, 0.757 (0.757), 3.1e-4, 98 %, 12 ms*, <0.01, 0.9 ✓, 3 of 20, 19 to 52, 65 → 183, nan
  const VALUE = String.raw`[<>≤≥±~]?\s*[-+−]?\d[\d,.\u00a0\u202f]*(?:e[-+]?\d+)?\s*(?:%|×|x|[mµ]?s|\/s)?\*?`;
  const MORE = String.raw`\s*\(${VALUE}\)|\s*✓|,?\s+(?:(?:of|to|→)\s+)?${VALUE}`;
  const NUMBER = new RegExp(`^(?:${VALUE}(?:${MORE})?\\*?|nan|inf|–|—|)$`, "i");
  const alignNumbers = () => {
    // A column is one of numbers, with its heading, or it is not.
    for (const table of document.querySelectorAll(".bd-article .cell_output table")) {
      const rows = [...(table.tBodies[0]?.rows || [])];
      for (const i of [...(rows[0]?.cells || [])].keys()) {
        const column = rows.map((row) => row.cells[i]).filter((cell) => cell?.localName === "td");
        const said = column.map((cell) => cell.textContent.trim());
        if (!said.join("") || !said.every((text) => NUMBER.test(text))) continue;
        const heads = [...(table.tHead?.rows || [])].filter((row) => row.cells.length === rows[0].cells.length);
        for (const cell of [...column, ...heads.map((row) => row.cells[i])]) cell.classList.add("number");
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
