// Tasks in motion: the same arrivals under two policies, as fairness_lib/explorer/excerpt.py recorded
// them. Everything is drawn from the time alone, so that it can be gone through both ways. Times are
// ticks, ten a millisecond: what fell into tick k has happened when the time is above k.
import { html, hideFallback } from "./dom.js";
import { numbers, player } from "./player.js";

const MS = 10, NEVER = 1e9, ENTER = 30, MOVE = 16, FALL = 90; // in ticks
const SHAFT = 15, GATE = 16, POOL = 34, HEAD = 15, DESK = 15; // in px

// The numbers that motion.py's `packed` wrote: for each task when it came and whose it is; and under
// each policy its line, when it was taken, by whom, and until when; or that it was out.
function unpack(model) {
  const bytes = model.get("record"), workers = model.get("workers");
  let next = 0;
  const read = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = bytes.getUint8(next++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const came = [], whose = [];
  for (let n = read(), tick = -1; n > 0; n--) {
    came.push((tick += read()));
    whose.push(read());
  }
  const fates = model.get("policies").map(({ longest }) => {
    const several = longest.length > 1, out = came.map(() => false), start = came.map(() => NEVER);
    const end = [...start], worker = [...start], next = longest.map(() => 0);
    for (let n = read(), task = 0; n > 0; n--) out[(task += read())] = true;
    const line = whose.map((tenant) => (several ? tenant : 0)), lines = longest.map(() => []);
    came.forEach((_, task) => out[task] || lines[line[task]].push(task));
    for (let n = read(), tick = -1; n > 0; n--) {
      tick += read();
      const from = several ? read() : 0, both = read(), task = lines[from][next[from]++];
      start[task] = tick;
      worker[task] = both % workers;
      end[task] = tick + Math.floor(both / workers);
    }
    return { out, line, start, end, worker };
  });
  return { came, whose, fates };
}

// A mark that is no square, as big as a square of 2r.
function stamp(path, shape, x, y, r) {
  path.moveTo(x + 1.2 * r, shape === "^" ? y + r : y);
  if (shape !== "^") return path.arc(x, y, 1.2 * r, 0, 7);
  path.lineTo(x - 1.2 * r, y + r);
  path.lineTo(x, y - 1.3 * r);
  path.closePath();
}

function render({ model, el: root }) {
  const groups = model.get("groups"), tenants = model.get("tenants"), workers = model.get("workers"), from = model.get("from_s");
  const policies = model.get("policies"), { came, whose, fates } = unpack(model), group = whose.map((tenant) => tenants[tenant].group);
  const seconds = (ms) => `${(from + ms / 1000).toFixed(3)} s`, whole = (ticks) => `${Math.round(ticks / MS)} ms`;
  let colors, written = 0;

  // Where lines and workers are in a drawing so wide and so high. A long line turns back on itself.
  const layout = ({ longest, blocks }, wide, high) => {
    const right = wide - POOL - GATE;
    let pitch = 9, columns, deep, top;
    do {
      pitch -= 0.1;
      columns = Math.floor((right - SHAFT) / pitch);
      top = [];
      deep = 0;
      for (const [, lines] of blocks) {
        deep += HEAD;
        for (const line of lines) {
          top[line] = deep;
          deep += Math.ceil(Math.max(1, longest[line]) / columns) * pitch + 1;
        }
      }
    } while (deep > high && pitch > 2);
    return {
      pitch, top, right, titles: blocks.map(([title, lines]) => [title, top[lines[0]] - 4]),
      place(line, rank) {
        const row = Math.floor(rank / columns), over = rank - row * columns, fold = Math.min(over, columns - 1);
        return [right - ((row % 2 ? columns - 1 - fold : fold) + 0.5) * pitch, top[line] + (row + over - fold + 0.5) * pitch];
      },
      desk: (w) => [wide - POOL / 2, HEAD + ((w + 0.5) * (high - HEAD)) / workers],
    };
  };

  // Draw a policy's lines and workers at a time; return who stands where, and counts by group.
  const draw = ({ context, plan, fate, wide, high }, followed, time) => {
    const { out, line, start, end, worker } = fate, { pitch, place, desk, top, right } = plan, r = 0.42 * pitch;
    const paths = groups.map(() => new Path2D()), lines = top.map(() => []), serving = Array(workers).fill(null);
    const shift = top.map(() => 0), counts = groups.map(() => [0, 0, 0]), part = (ticks, of) => Math.min(1, ticks / of) ** 0.6;
    context.clearRect(0, 0, wide, high);
    context.fillStyle = colors.muted;
    context.strokeStyle = colors.line;
    context.lineWidth = 1;
    context.beginPath();
    for (const [title, y] of plan.titles) context.fillText(title, SHAFT, y);
    context.fillText(`${workers} workers`, wide - context.measureText(`${workers} workers`).width, HEAD - 4);
    const tall = (high - HEAD) / workers - 4;
    for (let w = 0; w < workers; w++) context.rect(desk(w)[0] - DESK, desk(w)[1] - tall / 2, 2 * DESK, tall);
    for (const y of top.length > 1 ? top : []) {
      context.moveTo(SHAFT, y + pitch + 0.5);
      context.lineTo(right, y + pitch + 0.5);
    }
    context.stroke();
    context.fillStyle = colors.groups[groups.findIndex(({ marker }) => marker === "s")];
    let ring;
    const put = (task, x, y, size) => {
      if (task === followed) ring = [x, y, (size = Math.max(size, 1.3 * r)) + 4];
      const shape = groups[group[task]].marker;
      if (shape === "s") context.fillRect(x - size, y - size, 2 * size, 2 * size); // faster than in a path
      else stamp(paths[group[task]], shape, x, y, size);
    };
    for (let task = 0; came[task] < time; task++) {
      const l = line[task], g = group[task], age = time - came[task], taken = time - start[task];
      if (out[task]) { // falls away, if it was not out before all this
        if (came[task] >= 0) counts[g][2]++;
        const down = age / FALL, y = place(l, Math.max(0, lines[l].length - 1))[1];
        if (came[task] >= 0 && down < 1) put(task, 2 + 9 * Math.min(1, 3 * down), y + (high - y) * down * down, r * (1.1 - 0.8 * down));
      } else if (taken <= 0) {
        const [x, y] = place(l, lines[l].push(task) - 1 + shift[l]), near = part(age, ENTER);
        put(task, x * near, y + 14 * (1 - near), r);
        counts[g][0]++;
      } else {
        if (taken < MOVE) shift[l] += 1 - taken / MOVE; // the line moves up by and by
        const left = end[task] - time;
        if (left >= 0) {
          const [x, y] = place(l, 0), [toX, toY] = desk(worker[task]), near = part(taken, MOVE);
          serving[worker[task]] = task;
          put(task, x + (toX - x) * near, y + (toY - y) * near, r + (Math.min(12, 1 + 1.2 * Math.sqrt(left / MS)) - r) * near);
        } else if (end[task] >= 0) counts[g][1]++;
      }
    }
    paths.forEach((path, g) => {
      context.strokeStyle = colors.ground;
      context.stroke(path);
      context.fillStyle = colors.groups[g];
      context.fill(path);
    });
    for (const [width, color] of ring ? [[5, colors.ground], [2.2, colors.text]] : []) {
      context.beginPath();
      context.arc(...ring, 0, 7);
      context.lineWidth = width;
      context.strokeStyle = color;
      context.stroke();
    }
    return { lines, workers: serving, counts };
  };

  const clock = html("strong"), since = html("span"), said = html("p", { class: "fl-said", role: "status" });
  const panels = policies.map((policy, i) => {
    const canvas = html("canvas", { role: "img" }), told = html("p");
    return { policy, fate: fates[i], canvas, told, node: html("section", {}, html("strong", {}, policy.title), told, canvas) };
  });
  const tables = policies.map(() => numbers(["waiting", "served", "turned away"], groups));

  const tell = ({ fate: { out, start, end, line } }, { lines }, task, time) => {
    const before = lines[line[task]].indexOf(task);
    if (out[task]) return "The line was full: turned away.";
    if (before >= 0) return before ? `${before} task${before > 1 ? "s stand" : " stands"} before it.` : "It is next.";
    return end[task] < time ? `It was done after ${whole(end[task] - came[task])}.` : `A worker took it after ${whole(start[task] - came[task])}.`;
  };
  const show = (ms, playing) => {
    const time = ms * MS, followed = model.get("followed").findLast((task) => came[task] < time);
    const stands = panels.map((panel) => draw(panel, followed, time));
    clock.textContent = seconds(ms);
    if (playing && performance.now() - written < 150) return; // words and numbers: seven times a second
    written = performance.now();
    const one = followed === undefined ? "" : `◎ One task of ${tenants[whose[followed]].name} came ${whole(time - came[followed])} ago.`;
    since.textContent = one;
    stands.forEach(({ counts }, p) => {
      panels[p].told.textContent = one && "◎ " + tell(panels[p], stands[p], followed, time);
      tables[p].fill(`${policies[p].label}: tasks since ${seconds(0)}`, counts);
    });
    const last = groups.length - 1;
    said.setAttribute("aria-live", playing ? "off" : "polite");
    said.textContent = `Tasks of the ${groups[last].name} tenants: ` + policies.map(({ label }, p) => {
      const [waiting, served, away] = stands[p].counts[last];
      return `${label} has served ${served}, ${waiting || "none"} wait${waiting > 1 ? "" : "s"}${away ? `, ${away} turned away` : ""}`;
    }).join("; ") + ".";
    if (playing) return;
    panels.forEach(({ canvas, policy, told }) => canvas.setAttribute("aria-label", `${policy.title}, at ${seconds(ms)}. ${one} ${told.textContent}`));
    root.dispatchEvent(new CustomEvent("fl-moved", { bubbles: true, detail: { time, stands } }));
  };
  const control = player({ root, name: "Time", last: model.get("last_ms"), pace: 1000, show, speak: seconds,
    speeds: [["100× slower", 0.01], ["40× slower", 0.025, true], ["10× slower", 0.1]] });
  const marks = html("p", { class: "fl-marks" }, "Go to: ", ...model.get("marks").map(({ ms, text }) => {
    const node = html("button", { type: "button" }, text);
    node.addEventListener("click", () => control.go(ms));
    return node;
  }));
  root.classList.add("fl", "fl-motion");
  root.append(html("p", { class: "fl-clock" }, clock, since), control.node, marks, html("div", { class: "fl-sides" }, ...panels.map(({ node }) => node)), said, html("div", { class: "fl-sides" }, ...tables.map(({ node }) => node)));

  const fit = () => { // colours and sizes are the page's
    const color = (node, name) => getComputedStyle(node)[name], probe = html("i");
    root.append(probe);
    const own = (name) => { probe.style.color = `var(--fl-${name})`; return color(probe, "color"); };
    colors = { text: own("text"), muted: own("muted"), line: own("line"), ground: own("ground"), groups: [...tables[0].node.querySelectorAll(".fl-mark")].map((mark) => color(mark, "fill")) };
    probe.remove();
    for (const panel of panels) {
      const { canvas, policy } = panel, wide = canvas.clientWidth || 300, high = wide < 200 ? 300 : innerWidth < 600 ? 210 : 262;
      const sharp = Math.min(2, devicePixelRatio);
      canvas.width = wide * sharp;
      canvas.height = high * sharp;
      canvas.style.height = `${high}px`;
      const context = canvas.getContext("2d");
      context.scale(sharp, sharp);
      context.font = `11px ${color(root, "fontFamily")}`;
      Object.assign(panel, { context, wide, high, plan: layout(policy, wide, high) });
    }
    show(control.at(), false);
  };
  control.place(still() ? model.get("still_ms") : 0);
  const sizes = new ResizeObserver(fit), themes = new MutationObserver(fit);
  for (const { canvas } of panels) sizes.observe(canvas);
  for (const node of [document.documentElement, document.body]) themes.observe(node, { attributeFilter: ["data-theme", "data-jp-theme-light"] });
  control.watch(panels[0].canvas, model.get("still_ms"));
  hideFallback(root);
  return () => {
    control.stop();
    sizes.disconnect();
    themes.disconnect();
  };
}

export default { render };
