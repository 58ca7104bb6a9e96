// Water filling by hand: every vessel, and the tank that the water comes from, can be dragged.
import { svg, html, marker, keepKeys, hideFallback } from "./dom.js";
import { pour } from "./pour.js";

const WIDTH = 360, BASE = 236, UNIT_X = 26, UNIT_Y = 16, LEFT = 6, TANK = 2, GAP = 16, SLOT = 3;
const FIRST = LEFT + TANK * UNIT_X + 26;

const slotX = (i) => FIRST + i * (SLOT * UNIT_X + GAP);
const short = (value) => String(Math.round(100 * value) / 100);

// A handle that is dragged, or moved with the keys, and says what it is set to.
function handle(drag, name, vertical, [least, most], step, change) {
  const node = svg("g", { class: "fl-handle", role: "slider", tabindex: 0, "aria-label": name,
    "aria-orientation": vertical ? "vertical" : "horizontal", "aria-valuemin": least, "aria-valuemax": most },
    svg("circle", { class: "fl-reach", r: 15 }), svg("circle", { class: "fl-grip", r: 7 }),
    svg("path", { class: "fl-arrows", d: vertical ? "M-3-1 0-4 3-1M-3 1 0 4 3 1" : "M-1-3-4 0-1 3M1-3 4 0 1 3" }));
  const to = (value) => change(Math.min(most, Math.max(least, Math.round(value / step) * step)));
  node.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    node.focus();
    node.setPointerCapture(event.pointerId);
    const move = (moved) => to(drag(moved, node.ownerSVGElement));
    const end = () => {
      node.removeEventListener("pointermove", move);
      node.removeEventListener("pointerup", end);
      node.removeEventListener("pointercancel", end);
    };
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
  });
  node.addEventListener("keydown", (event) => {
    const now = Number(node.getAttribute("aria-valuenow"));
    const by = { ArrowUp: step, ArrowRight: step, ArrowDown: -step, ArrowLeft: -step, PageUp: 4 * step, PageDown: -4 * step }[event.key];
    const at = { Home: least, End: most }[event.key] ?? (by === undefined ? undefined : now + by);
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    to(at);
  });
  return node;
}

// Where the pointer is, in the drawing's own units.
const place = (event, drawing) =>
  new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());

const put = (node, x, y, value, text) => {
  node.setAttribute("transform", `translate(${x} ${y})`);
  node.setAttribute("aria-valuenow", value);
  node.setAttribute("aria-valuetext", text);
};

function vessel(tenant, i, { demand, weight, share }) {
  const x = slotX(i), wide = weight * UNIT_X, high = (demand / weight) * UNIT_Y, full = (share / weight) * UNIT_Y;
  const said = [[tenant.name, "fl-name"], [`asks ${short(demand)}`], [`weight ${short(weight)}`], [`gets ${short(share)}`, "fl-name"]];
  return svg("g", { style: `--fl-color:${tenant.color}` },
    svg("rect", { class: "fl-water", x, y: BASE - full, width: wide, height: full }),
    svg("path", { class: "fl-vessel", d: `M${x} ${BASE - high}V${BASE}H${x + wide}V${BASE - high}` }),
    svg("path", { class: "fl-mark", d: marker(tenant.marker, x + 5, BASE + 36) }),
    ...said.map(([text, look], row) =>
      svg("text", { class: look, x: row ? x : x + 13, y: BASE + 40 + 15 * row }, text)));
}

function tank(capacity, used) {
  const wide = TANK * UNIT_X, top = (capacity / TANK) * UNIT_Y, full = (used / TANK) * UNIT_Y;
  const rest = capacity - used > 1e-9 ? [[`unused ${short(capacity - used)}`]] : [];
  return svg("g", {},
    svg("rect", { class: "fl-unused", x: LEFT, y: BASE - top, width: wide, height: top - full }),
    svg("rect", { class: "fl-poured", x: LEFT, y: BASE - full, width: wide, height: full }),
    svg("path", { class: "fl-vessel", d: `M${LEFT} ${BASE - top}V${BASE}H${LEFT + wide}V${BASE - top}` }),
    ...[["capacity", "fl-name"], [short(capacity), "fl-name"], ...rest].map(([text, look], row) =>
      svg("text", { class: look, x: LEFT, y: BASE + 40 + 15 * row }, text)));
}

function render({ model, el: root }) {
  const tenants = model.get("tenants"), unit = model.get("unit"), bounds = model.get("bounds");
  const first = { demands: model.get("demands"), weights: model.get("weights"), capacity: model.get("capacity") };
  const drawn = svg("g"), said = html("p", { class: "fl-said", role: "status" });

  const save = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };
  const at = (name, i, value) => save({ [name]: model.get(name).map((old, j) => (i === j ? value : old)) });
  const height = (event, drawing) => (BASE - place(event, drawing).y) / UNIT_Y;
  const source = handle((event, drawing) => height(event, drawing) * TANK, "Capacity", true, bounds.capacity, bounds.step,
    (value) => save({ capacity: value }));
  const rims = tenants.map((tenant, i) =>
    handle((event, drawing) => height(event, drawing) * model.get("weights")[i], `${tenant.name} asks for`, true,
      bounds.demand, bounds.step, (value) => at("demands", i, value)));
  const walls = tenants.map((tenant, i) =>
    handle((event, drawing) => (place(event, drawing).x - slotX(i)) / UNIT_X, `${tenant.name}'s weight`, false,
      bounds.weight, bounds.step, (value) => at("weights", i, value)));
  const stage = svg("svg", { viewBox: `0 0 ${WIDTH} ${BASE + 92}`, class: "fl-svg", role: "group", "aria-label": "Water filling" },
    drawn, source, ...rims.flatMap((rim, i) => [rim, walls[i]]));

  const sentence = (demands, shares) => {
    const are = (names) => `${names.join(" and ")} ${names.length > 1 ? "get" : "gets"}`;
    const full = tenants.filter((_, i) => shares[i] >= demands[i]).map((t) => t.name);
    const thirsty = tenants.map((t, i) => [t.name, shares[i], demands[i]]).filter(([, share, demand]) => share < demand);
    if (!thirsty.length) return "There is enough: everybody gets all they ask for.";
    const rest = thirsty.map(([name, share, demand]) => `${name} gets ${short(share)} of the ${short(demand)} ${unit} it asks for`);
    return [...(full.length ? [`${are(full)} all that ${full.length > 1 ? "they ask" : "it asks"} for`] : []), ...rest].join("; ") + ".";
  };

  const draw = () => {
    const demands = model.get("demands"), weights = model.get("weights"), capacity = model.get("capacity");
    const { shares, level } = pour(demands, weights, capacity);
    const used = shares.reduce((sum, share) => sum + share, 0);
    const surface = level === null ? [] : [
      svg("path", { class: "fl-level", d: `M${FIRST - 8} ${BASE - level * UNIT_Y}H${WIDTH - 4}` }),
      svg("text", { class: "fl-name", x: WIDTH - 4, y: BASE - level * UNIT_Y - 5, "text-anchor": "end" }, `level ${short(level)}`)];
    drawn.replaceChildren(tank(capacity, used),
      ...tenants.map((tenant, i) => vessel(tenant, i, { demand: demands[i], weight: weights[i], share: shares[i] })), ...surface);
    put(source, LEFT + (TANK * UNIT_X) / 2, BASE - (capacity / TANK) * UNIT_Y, capacity, `${short(capacity)} ${unit}`);
    tenants.forEach((tenant, i) => {
      const wide = weights[i] * UNIT_X, gets = `gets ${short(shares[i])}`;
      put(rims[i], slotX(i) + wide / 2, BASE - (demands[i] / weights[i]) * UNIT_Y, demands[i], `${short(demands[i])} ${unit}, ${gets}`);
      put(walls[i], slotX(i) + wide, BASE + 13, weights[i], `weight ${short(weights[i])}, ${gets}`);
    });
    const text = sentence(demands, shares);
    if (said.textContent !== text) said.textContent = text;
    root.dispatchEvent(new CustomEvent("fl-drawn", { bubbles: true, detail: { demands, weights, capacity, shares, level } }));
  };

  const again = html("button", { type: "button", class: "fl-button" }, "Start again");
  again.addEventListener("click", () => save(first));
  root.classList.add("fl", "fl-water-filling");
  root.append(stage, said, html("div", { class: "fl-buttons" }, again));
  keepKeys(root);
  const watched = ["change:demands", "change:weights", "change:capacity"];
  for (const change of watched) model.on(change, draw);
  draw();
  hideFallback(root);
  return () => watched.forEach((change) => model.off(change, draw));
}

export default { render };
