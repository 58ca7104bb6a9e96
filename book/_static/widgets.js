// Brings the widgets of a built page to life: makes models of the state that the page holds, joins
// those that `jslink` joins, and draws them by controls.js or by their own anywidget module. What
// ipywidgets' html-manager would do with all widgets there are, for those of this book.
// A page from a file may not import other files, so this is no module.
(() => {
  const TYPE = "application/vnd.jupyter.widget-";
  const parsed = (script) => JSON.parse(script.textContent);

  // What anywidget and controls.js need of a model. There is no kernel to save to.
  class Model {
    #state;
    #heard = new Map();
    #setting = false;
    #pending = false;

    constructor(kind, state) {
      this.kind = kind;
      this.#state = state;
    }
    get(name) {
      return this.#state[name];
    }
    // Backbone's ways: an event for each value that changed, and one "change" for all of them.
    set(name, value) {
      const values = typeof name === "object" ? name : { [name]: value };
      const changed = Object.keys(values).filter((key) => !same(this.#state[key], values[key]));
      Object.assign(this.#state, values);
      const first = !this.#setting;
      this.#setting = true;
      this.#pending ||= changed.length > 0;
      try {
        for (const key of changed) this.#tell(`change:${key}`, this.#state[key]);
        while (first && this.#pending) {
          this.#pending = false;
          this.#tell("change");
        }
      } finally {
        if (first) this.#setting = false;
      }
    }
    save_changes() {}
    send() {}
    on(names, act) {
      for (const name of names.split(" ")) this.#heard.set(name, [...(this.#heard.get(name) || []), act]);
    }
    off(names, act) {
      for (const name of names ? names.split(" ") : [...this.#heard.keys()]) {
        this.#heard.set(name, act ? (this.#heard.get(name) || []).filter((other) => other !== act) : []);
      }
    }
    #tell(name, ...values) {
      for (const act of this.#heard.get(name) || []) act(this, ...values);
    }
  }
  const same = (a, b) => Object.is(a, b) || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));

  const models = new Map();
  const PREFIX = "IPY_MODEL_";
  const find = (ref) => models.get(ref.replace(PREFIX, ""));

  const decode = (base64) => new DataView(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);

  function read({ model_name, state, buffers = [] }) {
    for (const { path, data, encoding } of buffers) {
      if (encoding !== "base64") throw new Error(`a buffer's encoding must be base64; got ${encoding}`);
      const holder = path.slice(0, -1).reduce((value, key) => value[key], state);
      holder[path.at(-1)] = decode(data);
    }
    return new Model(model_name, state);
  }

  // What jslink and jsdlink made: the source's value goes to the target, at once and at each change.
  function join(link) {
    const [source, target] = ["source", "target"].map((end) => [find(link.get(end)[0]), link.get(end)[1]]);
    const carry = ([from, name], [to, other]) => () => to.set(other, from.get(name));
    const there = carry(source, target);
    source[0].on(`change:${source[1]}`, there);
    if (link.kind === "LinkModel") target[0].on(`change:${target[1]}`, carry(target, source));
    there();
  }

  // --- drawing ------------------------------------------------------------------------------------

  // An anywidget module, imported once however many models have it; its style goes in once as well.
  const modules = new Map();
  const styles = new Set();
  function load(model) {
    const css = model.get("_css"), esm = model.get("_esm");
    if (css && !styles.has(css)) {
      styles.add(css);
      document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
    }
    if (!modules.has(esm)) {
      const address = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
      modules.set(esm, import(address).finally(() => URL.revokeObjectURL(address)));
    }
    return modules.get(esm);
  }
  // No kernel, so nobody to answer.
  const experimental = { invoke: () => Promise.reject(new Error("this page has no kernel")) };
  const start = (model) => (model.started ??= begin(model));
  async function begin(model) {
    const module = await load(model);
    const widget = module.default ?? module;
    model.widget = typeof widget === "function" ? await widget() : widget;
    await model.widget.initialize?.({ model, experimental });
  }

  // All models below one that are drawn.
  const below = (model) => [model, ...(model.get("children") || []).flatMap((ref) => below(find(ref)))];
  const isOwn = (model) => model.kind === "AnyModel";

  function dress(node, model) {
    node.classList.add("jupyter-widgets", ...(model.get("_dom_classes") || []));
    if (model.get("tooltip")) node.title = model.get("tooltip");
    const layout = model.get("layout") && find(model.get("layout"));
    for (const name of LAYOUT) {
      const value = layout?.get(name);
      if (value) node.style.setProperty(name.replaceAll("_", "-"), value);
    }
    return node;
  }
  const sides = (name) => ["top", "right", "bottom", "left"].map((side) => name + side);
  const LAYOUT = [
    "align_content", "align_items", "align_self", "display", "flex", "flex_flow", "height", "justify_content",
    "justify_items", "margin", "max_height", "max_width", "min_height", "min_width", "order", "overflow", "padding",
    "visibility", "width", "grid_area", "grid_auto_columns", "grid_auto_flow", "grid_auto_rows", "grid_column",
    "grid_gap", "grid_row", "grid_template_areas", "grid_template_columns", "grid_template_rows",
    ...sides("border_"), ...sides(""),
  ];

  function draw(model) {
    if (isOwn(model)) return dress(Object.assign(document.createElement("div"), { owner: model }), model);
    const child = (ref) => draw(find(ref));
    return dress(window.flControls[model.kind](model, child), model);
  }

  async function show(script) {
    const model = find(parsed(script).model_id), all = below(model);
    const unknown = all.find((part) => !isOwn(part) && !(part.kind in window.flControls));
    if (unknown) {
      console.warn(`A widget is left out, as this page cannot draw its ${unknown.kind}.`);
      return;
    }
    const own = all.filter(isOwn);
    await Promise.all(own.map(start));
    const area = document.createElement("div");
    area.className = "widget-subarea";
    area.append(draw(model));
    script.before(area);
    const places = [...area.querySelectorAll("*")].filter((node) => node.owner);
    for (const el of places) await el.owner.widget.render?.({ model: el.owner, el, experimental });
  }

  const held = document.querySelector(`script[type="${TYPE}state+json"]`);
  if (!held) return;
  for (const [id, entry] of Object.entries(parsed(held).state)) models.set(id, read(entry));
  for (const model of models.values()) if (/^(Directional)?LinkModel$/.test(model.kind)) join(model);
  for (const script of document.querySelectorAll(`script[type="${TYPE}view+json"]`)) {
    show(script).catch((error) => console.error(error));
  }
})();
