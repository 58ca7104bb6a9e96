// Predictions: options become buttons. A choice opens the answer and marks both the choice and
// the right option; nothing is remembered. Without this script the answer is a plain <details>.
(() => {
  const build = (question) => {
    const fold = question.querySelector(":scope > details.answer");
    const items = [...question.querySelectorAll(":scope > .options > li")];
    if (!fold || !items.length) return;
    const right = question.dataset.right;
    let chosen = null;

    const verdict = document.createElement("p");
    verdict.className = "verdict";
    verdict.setAttribute("role", "status");
    const again = document.createElement("button");
    again.type = "button";
    again.className = "again";
    again.textContent = "Choose again";
    question.querySelector(":scope > .options").after(verdict, again);

    const buttons = items.map((item) => {
      const button = document.createElement("button");
      button.type = "button";
      const mark = document.createElement("span");
      mark.className = "said";
      button.append(...item.childNodes, mark);
      item.append(button);
      button.addEventListener("click", () => {
        if (fold.open) return;
        chosen = item.dataset.letter;
        fold.open = true;
        show();
      });
      return { button, mark, letter: item.dataset.letter };
    });

    const sentence = () => {
      if (!fold.open || !chosen) return "";
      if (right === "none") return `You chose ${chosen}. None of these is simply right; see below.`;
      if (right === chosen) return `You chose ${chosen}, and that is right.`;
      return `You chose ${chosen}. Right is ${right}; the answer below says why.`;
    };
    const show = () => {
      again.hidden = !fold.open;
      for (const { button, mark, letter } of buttons) {
        const words = [];
        if (fold.open && letter === chosen) words.push("your choice");
        if (fold.open && letter === right) words.push("✓ right");
        mark.textContent = words.join(", ");
        button.classList.toggle("right", fold.open && letter === right);
        button.setAttribute("aria-pressed", String(fold.open && letter === chosen));
        button.setAttribute("aria-disabled", String(fold.open));
      }
      const words = sentence();
      if (verdict.textContent !== words) verdict.textContent = words;
    };
    fold.addEventListener("toggle", () => {
      if (!fold.open) chosen = null;
      show();
    });
    again.addEventListener("click", () => {
      chosen = null;
      fold.open = false;
      show();
      buttons[0].button.focus();
    });
    show();
  };

  // A link to something inside a fold opens it, the second time too.
  const openTo = (address) => {
    const id = decodeURIComponent(address.split("#")[1] || "");
    const target = id && document.getElementById(id);
    if (!target) return;
    let folded = false;
    for (let fold = target.closest("details:not([open])"); fold; fold = target.closest("details:not([open])")) {
      fold.open = folded = true;
    }
    if (folded) target.scrollIntoView();
  };

  // Paper has no folds; code stays folded, it is in the notebook.
  const paper = matchMedia("print");
  let opened = [];
  const unfold = () => {
    const closed = [...document.querySelectorAll("details.fold:not([open])")];
    for (const fold of closed) fold.open = true;
    opened.push(...closed);
  };
  const refold = () => {
    for (const fold of opened) fold.open = false;
    opened = [];
  };
  paper.addEventListener("change", () => (paper.matches ? unfold() : refold()));
  addEventListener("beforeprint", unfold);
  addEventListener("afterprint", refold);

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".question.predict").forEach(build);
    openTo(location.hash);
    addEventListener("hashchange", () => openTo(location.hash));
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href*='#']");
      if (link && link.href.split("#")[0] === location.href.split("#")[0]) openTo(link.href);
    });
  });
})();
