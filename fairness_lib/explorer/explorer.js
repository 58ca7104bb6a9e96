// The explorer's view: asks the engine at every move, draws what it answers.
import { html, keepKeys, hideFallback, watchBox, set } from "./dom.js";
import { startEngine } from "./engine.js";
import { settingOf, shown, inWords, faultIn, grouped, sum, NUMBERS, POLICIES } from "./setting.js";
import { toLink, fromLink, setAddress } from "./link.js";
import { lanes } from "./lanes.js";
import { nameSliders, knobTabs } from "./bar.js";
import { measuresFold, tenantsFold, copyText } from "./readout.js";
import { tenantTable } from "./tenants.js";
import { termRow } from "./terms.js";
import { storiesOf, storyAt } from "./stories.js";
import { happened, demand, groupSentence, people } from "./words.js";

const ASKING = [...NUMBERS, ...POLICIES.map((p) => `show_${p}`), "tenants", "window", "horizon_s"];
const QUIET_MS = 400, LATE_MS = 250, SLIM = 600, WIDE = 860;

const namesOf = (setting) => JSON.stringify(setting.tenants.map((t) => t.name));

function button(text, act) {
  const b = html("button", { type: "button", class: "fl-button" }, text);
  b.addEventListener("click", act);
  return b;
}

function setAll(model, values) {
  model.set(values);
  model.save_changes();
}

// Settings that tell something, one press each.
function storyRow(model) {
  const stories = storiesOf(model.get("start"));
  const chips = stories.map((story) => button(story.label, () => setAll(model, story.values)));
  return {
    root: html("div", { class: "fl-stories", role: "group", "aria-label": "Stories" }, ...chips),
    update: () => {
      const told = storyAt(stories, model);
      chips.forEach((chip, i) => set(chip, "aria-pressed", String(stories[i] === told)));
      return told;
    },
  };
}

function render({ model, el: root, state }) {
  const compact = model.get("compact"), inPage = !root.closest(".jp-Notebook, .jp-OutputArea") && !document.querySelector("#jp-main-content-panel, .jp-LabShell");
  const note = html("p", { class: "fl-note fl-state" }, "Running the simulation …"), heard = html("p", { class: "fl-heard", role: "status" });
  const lead = html("span", { class: "fl-lead" }), sentence = html("span"), said = html("p", { class: compact ? "fl-asked" : "fl-said-all" }, lead, " ", sentence);
  const place = html("div", { class: "fl-place" }), compared = html("p", { class: "fl-note fl-compared" }), done = html("span", { role: "status", class: "fl-note" });
  const told = html("p", { class: "fl-note fl-told", role: "status" });
  const stories = compact ? null : storyRow(model), table = compact ? null : tenantTable(model);
  const folds = compact ? [] : [measuresFold(), tenantsFold()];
  let built = "", chart = null, pinned = null, quiet = 0, size = "", linked = "", ahead = null;

  const measureUp = () => {
    const width = root.clientWidth, now = width < SLIM ? "slim" : width < WIDE ? "mid" : "wide";
    if (!width) return;
    size = root.dataset.size = now;
    const box = root.closest(".fl-box");
    const header = inPage && document.querySelector(".bd-header-article"); // it stays at the top
    if (box) mend(box);
    box?.style.setProperty("--fl-top", `${header?.offsetHeight || 0}px`);
    chart?.resize(size === "slim");
  };
  const mend = (box) => {
    nameSliders(box, model);
    knobTabs(box);
    set(box, "data-size", size || "wide");
  };
  const keyOf = ({ setting: { tenants, window, workers, step_s }, results }) =>
    JSON.stringify([tenants.map((t) => [t.name, t.rate_per_s, t.cost.mean_s, t.bursts]), Object.keys(results), window, workers, step_s]);
  const build = (answer) => {
    const key = keyOf(answer), { setting, results } = answer, { tenants, workers } = setting;
    if (key === built) return;
    built = key;
    const mean_s = sum(tenants.map((t) => t.rate_per_s * t.cost.mean_s)) / sum(tenants.map((t) => t.rate_per_s));
    chart = { ...lanes({ setting, looks: looksOf(model), compact, capacity: workers / mean_s, policies: Object.keys(results) }), capacity: workers / mean_s };
    place.replaceChildren(chart.root);
    measureUp();
  };
  const ghostsFor = (setting) => (pinned && namesOf(pinned.setting) === namesOf(setting) ? pinned.results : null);
  // What each tenant got, and what it means. The rest is as it was for as long as it takes to come.
  const drawFirst = ({ results, setting }) => {
    const ghosts = ghostsFor(setting);
    chart.updateMarks(results, ghosts, size === "slim");
    chart.updateVerdicts(results, setting);
    const story = stories?.update();
    lead.textContent = story?.lead || "";
    lead.classList.toggle("fl-start", !!story?.starts);
    sentence.textContent = compact ? demand(setting, chart.capacity) : happened(results, chart.groups, setting.window);
    root.classList.remove("fl-late", "fl-stale");
  };
  const begun = (answer) => {
    if (keyOf(answer) !== built) return; // new lanes are drawn when all is there
    drawFirst(answer);
    ahead = answer.setting;
    root.dispatchEvent(new CustomEvent("fl-begun", { bubbles: true, detail: answer }));
  };
  const draw = (answer) => {
    build(answer);
    const { results, setting } = answer, ghosts = ghostsFor(setting);
    if (ahead === setting) chart.updateVerdicts(results, setting);
    else drawFirst(answer);
    ahead = null;
    chart.updateTime(results, size === "slim");
    for (const fold of folds) fold.update(setting, results, ghosts);
    if (toLink(model) !== linked) told.textContent = "";
    compared.textContent = pinned ? `Outlines: ${inWords(pinned.setting)}${ghosts ? "" : " (other tenants, so not drawn)"}.` : "";
    const ms = Math.round(answer.ms), [from, to] = setting.window;
    note.textContent = compact
      ? `Just simulated in this page, in ${ms} ms: ${grouped(answer.tasks)} tasks under each of ${Object.keys(results).length} policies.`
      : `${inWords(setting)}. Measured from second ${from} to ${to} of ${setting.horizon_s}. ${grouped(answer.tasks)} tasks under each policy, simulated in this page in ${ms} ms.`;
    note.classList.remove("fl-fault");
    clearTimeout(quiet);
    quiet = setTimeout(() => { // descriptions are for when the slider rests
      chart.describe();
      heard.textContent = compact
        ? Object.entries(results).map(([, result]) => chart.groups.map((g) => `${people(g)} ${groupSentence(result, g.members)}.`).join(" ")).join(" ")
        : sentence.textContent;
      if (inPage && (!compact || fromLink(location.hash, model))) setAddress(toLink(model));
    }, QUIET_MS);
    root.dispatchEvent(new CustomEvent("fl-drawn", { bubbles: true, detail: answer }));
  };
  const view = {
    begun,
    draw,
    ranged: (ranges) => {
      chart.widen(ranges);
      root.dispatchEvent(new CustomEvent("fl-ranged", { bubbles: true, detail: ranges }));
    },
    fail: (text) => {
      note.textContent = text;
      note.classList.add("fl-fault");
      root.classList.add("fl-stale");
    },
    late: () => root.classList.add("fl-late"),
  };

  const pinButton = button("Pin to compare", () => pin(pinned ? null : state.last));
  const pin = (answer) => {
    pinned = answer;
    set(pinButton, "aria-pressed", String(!!pinned));
    pinButton.textContent = pinned ? "Unpin" : "Pin to compare";
    draw(state.last);
  };
  const again = button("Another minute of traffic", () => setAll(model, { seed: (model.get("seed") + 1) % (model.get("limits").seed[1] + 1) }));
  const reset = button("Reset", () => {
    setAll(model, model.get("start"));
    if (pinned) pin(null);
    if (inPage) setAddress("");
    done.textContent = "";
  });
  const link = button("Copy a link", async () => {
    setAddress(toLink(model));
    done.textContent = (await copyText(location.href)) ? "Link copied." : "The address bar has the link.";
  });

  root.classList.add("fl", "fl-explorer");
  root.classList.toggle("fl-compact", compact);
  keepKeys(root);
  if (compact) root.append(told, place, said, note, heard);
  else {
    root.append(told, stories.root, said, place, termRow(model.get("objective_s")), compared,
      html("div", { class: "fl-buttons" }, pinButton, again, reset, inPage ? link : "", done), note, ...folds.map((fold) => fold.root), table.root, heard);
  }
  const resized = new ResizeObserver(measureUp);
  resized.observe(root);
  state.views.add(view);
  if (state.last) draw(state.last);

  const read = () => {
    const found = inPage ? fromLink(location.hash, model) : null;
    if (!found) return;
    setAll(model, found.values);
    told.textContent = `Setting from the link.${found.bad.length ? ` Left aside: ${found.bad.join("; ")}.` : ""}`;
    linked = toLink(model);
    (root.closest(".fl-box") || root).scrollIntoView({ block: "start" });
  };
  const unwatch = watchBox(root, mend);
  const onChange = () => {
    table?.fill();
    const box = root.closest(".fl-box");
    if (box) nameSliders(box, model);
  };
  model.on("change", onChange);
  addEventListener("hashchange", read);
  read();
  hideFallback(root);
  return () => {
    unwatch();
    resized.disconnect();
    clearTimeout(quiet);
    model.off("change", onChange);
    removeEventListener("hashchange", read);
    state.views.delete(view);
  };
}

// A colour and a marker for each row of tenants.
function looksOf(model) {
  const known = model.get("looks"), others = model.get("other_looks");
  let n = 0;
  return model.get("tenants").map(({ name }) => (Object.hasOwn(known, name) && known[name]) || others[n++ % others.length]);
}

export default () => {
  const state = { views: new Set(), last: null };
  return {
    initialize({ model }) {
      let late = 0;
      const each = (name) => (value) => {
        clearTimeout(late);
        state.views.forEach((view) => view[name](value));
      };
      const engine = startEngine(model, {
        begun: each("begun"),
        done: (answer) => {
          state.last = answer;
          each("draw")(answer);
        },
        failed: each("fail"),
        ranged: each("ranged"),
      });
      const ask = () => {
        const fault = shown(model).length ? faultIn(model.get("tenants"), model.get("burst"), model.get("horizon_s"))?.[2] : "Choose at least one policy.";
        if (fault) return each("fail")(fault);
        clearTimeout(late);
        late = setTimeout(() => state.views.forEach((view) => view.late()), LATE_MS);
        engine.ask(settingOf(model)); // which may know the answer, and draw it at once
      };
      let asked = false;
      const soon = () => { // several values may change at once
        if (!asked) queueMicrotask(() => { asked = false; ask(); });
        asked = true;
      };
      for (const name of ASKING) model.on(`change:${name}`, soon);
      ask();
      return () => engine.stop();
    },
    render: (context) => render({ ...context, state }),
  };
};
