// Loaded between require.js and html-manager on pages that hold widgets:
// every module that a widget can ask for lies beside this file.
(() => {
  const vendor = new URL("vendor/widgets/", document.currentScript.src).href;
  requirejs.config({
    waitSeconds: 60,
    paths: {
      anywidget: vendor + "anywidget",
      "@jupyter-widgets/html-manager": vendor + "html-manager",
    },
  });
})();

// html-manager calls MathJax 2's queue; give MathJax 3 that one entry point.
document.addEventListener("DOMContentLoaded", () => {
  if (window.MathJax && !window.MathJax.Hub) {
    window.MathJax.Hub = {
      Queue: (call) => call && call[2] && MathJax.typesetPromise && MathJax.typesetPromise([call[2]]),
    };
  }
});

// html-manager waits until the page's last image and script have been loaded. It needs none of
// them: let it begin as soon as the page has been read.
(() => {
  const listen = window.addEventListener;
  window.addEventListener = (kind, act, ...rest) => {
    if (kind !== "load" || !String(act).includes("renderWidgets")) return listen.call(window, kind, act, ...rest);
    window.addEventListener = listen;
    if (document.readyState === "loading") document.addEventListener("readystatechange", act, { once: true });
    else act();
  };
})();
