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

// Markers by matplotlib's names, as paths about the origin.
export const MARKERS = {
  s: "M-3-3h6v6h-6z",
  "^": "M0-3.8 3.6 3h-7.2z",
  o: "M0-3.2a3.2 3.2 0 1 1-.01 0z",
  D: "M0-4 4 0 0 4-4 0z",
  v: "M0 3.8 3.6-3h-7.2z",
  P: "M-1.3-3.8h2.6v2.5h2.5v2.6h-2.5v2.5h-2.6v-2.5h-2.5v-2.6h2.5z",
  X: "M-3.8-2 -2-3.8 0-1.8 2-3.8 3.8-2 1.8 0 3.8 2 2 3.8 0 1.8-2 3.8-3.8 2-1.8 0z",
  "*": "M0-4.2 1-1.3 4-1.3 1.6.5 2.5 3.4 0 1.6-2.5 3.4-1.6.5-4-1.3-1-1.3z",
};

// JupyterLab must not take the keys that a widget uses for itself.
export const keepKeys = (node) => node.setAttribute("data-lm-suppress-shortcuts", "true");

// The static figure beside a widget has done its duty once the widget has drawn.
export const hideFallback = (root) => {
  const cell = root.closest(".cell_output, .jp-OutputArea, .output_area");
  cell?.classList.add("fl-live");
};

// Call `mend` with the box that holds the widget's controls, now and whenever controls appear in it.
export const watchBox = (root, mend) => {
  const observer = new MutationObserver(() => mend(root.closest(".fl-box")));
  let tries = 0;
  const start = () => {
    const box = root.closest(".fl-box");
    if (!box) return tries++ < 100 && requestAnimationFrame(start);
    keepKeys(box);
    mend(box);
    observer.observe(box, { subtree: true, childList: true, characterData: true });
  };
  start();
  return () => observer.disconnect();
};

// Write an attribute only if it changes.
export const set = (node, name, value) => {
  if (node && node.getAttribute(name) !== value) node.setAttribute(name, value);
};

// Play's buttons have no names. And a theme that turns icons into SVG takes away the <i> that
// ipywidgets goes on to write to: give it another one, which such themes leave alone.
export const mendPlay = (box) => {
  for (const play of box.querySelectorAll(".widget-play")) {
    [...play.querySelectorAll("button")].forEach((button, i) => {
      set(button, "aria-label", ["Play or pause", "Stop, and go back to the start", "Repeat"][i]);
      if (!button.querySelector("i")) {
        const icon = html("i", { "data-fa-i2svg": "", class: ["fa fa-play", "fa fa-stop", "fa fa-retweet"][i] });
        button.replaceChildren(icon);
        button.classList.add("fl-icon");
      }
    });
  }
};
