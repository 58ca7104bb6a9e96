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
if (window.MathJax) {
  window.MathJax.Hub = { Queue: ([, , node]) => window.MathJax.typesetPromise?.([node]) };
}

// Run the widgets' libraries as soon as they are here, while the page is still being read.
document.addEventListener(
  "load",
  ({ target }) => {
    if (target.src?.includes("/embed-amd.js")) requirejs(["@jupyter-widgets/html-manager", "anywidget"]);
  },
  true,
);

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
