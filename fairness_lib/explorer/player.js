// Play, pause, step, scrub and speed for whatever can be drawn from a place between 0 and `last`.
import { svg, html, marker, keepKeys } from "./dom.js";

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A table of numbers by group or tenant; `fill` writes its caption and its rows.
export function numbers(columns, looks) {
  const head = (scope, ...content) => html("th", { scope }, ...content), cells = looks.map(() => columns.map(() => html("td")));
  const caption = html("caption");
  const node = html("table", { class: "fl-table fl-numbers" }, caption,
    html("thead", {}, html("tr", {}, html("td"), ...columns.map((text) => head("col", text)))),
    html("tbody", {}, ...looks.map(({ name, color, marker: shape }, i) => {
      const sign = svg("svg", { class: "fl-sign", viewBox: "-5 -5 10 10", "aria-hidden": "true" }, svg("path", { class: "fl-mark", d: marker(shape, 0, 0) }));
      const row = head("row", sign, name);
      row.style.setProperty("--fl-color", color);
      return html("tr", {}, row, ...cells[i]);
    })));
  const fill = (title, rows) => {
    caption.textContent = title;
    rows.forEach((row, i) => row.forEach((value, j) => { cells[i][j].textContent = value.toLocaleString("en-US"); }));
  };
  return { node, fill };
}

// `pace` places a second at speed 1; `show(at, playing)` draws; `speak(at)` says where that is.
export function player({ root, name, last, pace, speeds, show, speak }) {
  let at = 0, end = last, until = 0, before = 0, playing = false, touched = false;
  const button = (label, sign, act) => {
    const node = html("button", { type: "button", class: "fl-button", "aria-label": label }, sign);
    node.addEventListener("click", act);
    return node;
  };
  const range = html("input", { type: "range", class: "fl-range", min: 0, max: last, step: 1, "aria-label": name });
  const speed = html("select", { class: "fl-button", "aria-label": "Speed" },
    ...speeds.map(([text, factor, chosen]) => html("option", { value: factor, selected: chosen }, text)));
  const place = (to, most = end) => {
    end = range.max = most;
    at = Math.max(0, Math.min(end, to));
    range.value = at;
    range.setAttribute("aria-valuetext", speak(at));
  };
  const run = (on) => {
    playing = on;
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    play.replaceChildren(on ? "❚❚ Pause" : "▶ Play");
  };
  const go = (to) => {
    touched = true;
    run(false);
    place(to);
    show(at, false);
  };
  const pause = () => playing && go(at);
  const tick = (now) => {
    if (!playing) return;
    const next = at + Math.min(100, Math.max(0, now - before)) * pace * speed.value / 1000;
    before = now;
    if (next >= until) return go(until);
    place(next);
    show(at, true);
    requestAnimationFrame(tick);
  };
  const start = (to) => {
    touched = true;
    if (at >= end) place(0);
    until = to;
    before = performance.now();
    run(true);
    requestAnimationFrame(tick);
  };
  const back = () => go(Math.ceil(at) - 1), forward = () => go(Math.floor(at) + 1);
  const play = button("Play", "", () => (playing ? pause() : start(end)));
  const node = html("div", { class: "fl-player", role: "group", "aria-label": "Player" },
    play, button("Step back", "◀", back), button("Step forward", "▶", forward), range, speed);
  run(false);
  place(0);
  let held = 0; // a swipe that scrolls the page began with a touch that the slider took for a move
  range.addEventListener("pointerdown", () => (held = at));
  range.addEventListener("pointercancel", () => go(held));
  range.addEventListener("input", () => go(range.valueAsNumber));
  keepKeys(root);
  root.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, [type=number]")) return;
    const act = { ArrowRight: forward, ArrowLeft: back, Home: () => go(0), End: () => go(end),
      " ": target === range && (() => play.click()) }[key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });

  // Nothing moves that is not looked at, or begins by itself more than once.
  let wanted = null;
  const hidden = () => document.hidden && pause();
  document.addEventListener("visibilitychange", hidden);
  const watch = new IntersectionObserver((seen) => {
    const { intersectionRatio } = seen.at(-1);
    if (!intersectionRatio) pause();
    else if (intersectionRatio > 0.9 && wanted !== null && !touched && !document.hidden && !still()) start(wanted);
  }, { threshold: [0, 0.95] });

  return {
    node, go, place,
    at: () => at,
    // Pause when a node goes out of sight; begin by itself when it is in sight, up to a place.
    watch(seen, to = null) {
      wanted = to;
      watch.observe(seen);
    },
    stop() {
      playing = false;
      watch.disconnect();
      document.removeEventListener("visibilitychange", hidden);
    },
  };
}
