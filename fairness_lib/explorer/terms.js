// What the words mean: a button each, and its meaning below when it is pressed.
import { html, set } from "./dom.js";

const MEANINGS = (objective_s) => [
  ["fair share", "What a tenant asks for, or, where there is not enough for all, an equal part (by weight) of what those who ask for less leave."],
  ["within share", "A tenant that asks, in the measured time, for no more than its fair share. The others are beyond it."],
  ["owed start", `A task that fair sharing among all tenants would start within ${1000 * objective_s} ms of its arrival is owed such a start. It is kept if the policy does so too; 99 % should be.`],
  ["p99 wait", "99 of 100 tasks wait no longer in the queue. Half of them wait no longer than the median."],
  ["rejected", "Turned away because a queue was full, or by a quota. Counted in the measured time, as all numbers but visits are. F2 also asks that no full queue turns those within their share away."],
  ["visits in vain", "How often DRR looks at a queue whose tenant may not yet spend enough on its first task, for each task served, over the whole run. It is what a small quantum costs."],
  ["✓ and ✗", "At least 99 % of owed starts kept. And of those within their share (the article's F1 to F3): 97 % done at least, p99 wait below 50 ms with none turned away by a full queue, none rejected at all."],
];

export function termRow(objective_s) {
  const meaning = html("p", { class: "fl-meaning", id: `fl-meaning-${Math.random().toString(36).slice(2)}` });
  meaning.hidden = true;
  const buttons = MEANINGS(objective_s).map(([term, words]) => {
    const button = html("button", { type: "button", class: "fl-term", "aria-expanded": "false", "aria-controls": meaning.id }, term);
    button.addEventListener("click", () => show(button, button.getAttribute("aria-expanded") === "true" ? "" : words));
    return button;
  });
  const show = (chosen, words) => {
    for (const button of buttons) set(button, "aria-expanded", String(button === chosen && !!words));
    meaning.hidden = !words;
    meaning.replaceChildren(words && html("strong", {}, `${chosen.textContent}: `), words);
  };
  const root = html("div", { class: "fl-terms" }, html("span", {}, "What is meant by"), ...buttons, meaning);
  root.addEventListener("keydown", (event) => event.key === "Escape" && show(null, ""));
  return root;
}
