// Making elements, and the look that a tenant group has everywhere in the book.

const SVG = "http://www.w3.org/2000/svg";

const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
};

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const html = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

// Markers by matplotlib's names: where the outline starts, from the middle, and the outline.
const OUTLINES = {
  s: [-2.6, -2.6, "h5.2v5.2h-5.2z"],
  "^": [0, -3.4, "l3.3 6h-6.6z"],
  o: [-2.7, 0, "a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0-5.4 0z"],
  D: [0, -3.6, "l3.6 3.6-3.6 3.6-3.6-3.6z"],
  v: [0, 3.4, "l3.3-6h-6.6z"],
  P: [-1.2, -3.6, "h2.4v2.4h2.4v2.4h-2.4v2.4h-2.4v-2.4h-2.4v-2.4h2.4z"],
  X: [0, -1.6, "l2-2 1.6 1.6-2 2 2 2-1.6 1.6-2-2-2 2-1.6-1.6 2-2-2-2 1.6-1.6z"],
  "*": [0, -3.8, "l1 2.6h2.8l-2.2 1.7.9 2.7-2.5-1.6-2.5 1.6.9-2.7-2.2-1.7h2.8z"],
};

// The same in running text.
export const SIGNS = { s: "■", "^": "▲", o: "●", D: "◆", v: "▼", P: "✚", X: "✖", "*": "★" };

export const marker = (name, x, y) => {
  const [dx, dy, outline] = OUTLINES[name] || OUTLINES.o;
  return `M${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}${outline}`;
};

// JupyterLab must not take the keys that a widget uses for itself.
export const keepKeys = (node) => node.setAttribute("data-lm-suppress-shortcuts", "true");

// The static figure beside a widget has done its duty once the widget has drawn; JupyterLab puts it
// into its cell only after that.
export const hideFallback = (root, tries = 100) => {
  const cell = root.closest(".cell_output, .jp-OutputArea, .output_area");
  if (cell) cell.classList.add("fl-live");
  else if (tries) requestAnimationFrame(() => hideFallback(root, tries - 1));
};

// Call `mend` with the box that holds the widget's controls, now and whenever controls appear in it,
// or in its bar where it has one.
export const watchBox = (root, mend) => {
  const observer = new MutationObserver(() => mend(root.closest(".fl-box")));
  let tries = 0;
  const start = () => {
    const box = root.closest(".fl-box");
    if (!box) return tries++ < 100 && requestAnimationFrame(start);
    keepKeys(box);
    mend(box);
    observer.observe(box.querySelector(".fl-bar") || box, { subtree: true, childList: true, characterData: true });
  };
  start();
  return () => observer.disconnect();
};

// Write an attribute only if it changes.
export const set = (node, name, value) => {
  if (node && node.getAttribute(name) !== value) node.setAttribute(name, value);
};
