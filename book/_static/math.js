// Loads MathJax, whose start takes a third of a second in which nothing else can be drawn.
// Where a page has widgets they come first, and formulas right after the first drawing.
(() => {
  const script = document.createElement("script");
  script.src = new URL("vendor/mathjax/tex-mml-chtml.js", document.currentScript.src).href;
  const load = () => script.isConnected || document.head.append(script);
  if (!document.querySelector('script[type="application/vnd.jupyter.widget-view+json"]')) return load();
  addEventListener("fl-drawn", load, { once: true });
  addEventListener("load", () => setTimeout(load, 2000)); // should no widget get that far
})();
