// Native controls for ipywidgets' models: what a built page shows in place of ipywidgets' own
// views. Each is drawn by a function that gets the model and returns an element; `child` draws what
// is inside a container. widgets.js has the models and says which function draws which.
window.flControls = (() => {
  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  };
  const set = (node, name, value) => {
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  };
  let count = 0;
  const freshId = () => `fl-control-${(count += 1)}`;
  // Show now what the model says, and at every change of it.
  const follow = (model, show) => {
    model.on("change", show);
    show();
  };

  // --- sliders: from a position on the track to a value, and back -------------------------------

  const tidy = (value) => Number(value.toPrecision(12)); // 3 * 0.1 is 0.30000000000000004
  const clamp = (value, [least, most]) => Math.min(most, Math.max(least, value));

  // Steps of equal size. The track's positions are the values themselves.
  const linear = (model, step) => {
    const limits = [model.get("min"), model.get("max")];
    const steps = (value) => tidy((value - limits[0]) / step);
    const at = (number) => tidy(limits[0] + number * step);
    const page = Math.max(1, Math.round(steps(limits[1]) / 10));
    return {
      limits,
      track: { min: limits[0], max: limits[1], step },
      place: (value) => value,
      value: (place) => at(Math.round(steps(place))),
      next: (value, way) => at(way > 0 ? Math.floor(steps(value)) + 1 : Math.ceil(steps(value)) - 1),
      leap: (value, way) => tidy(value + way * page * step),
    };
  };

  // Equal ratios: keys go to the next of 1, 2, 5, 10, ..., dragging to two digits.
  const PLACES = 1000;
  const logarithmic = (model) => {
    const [low, high] = ["min", "max"].map((end) => model.get(end) * Math.log10(model.get("base")));
    const limits = [tidy(10 ** low), tidy(10 ** high)];
    const next = (value, way) => {
      const decade = Math.floor(Math.log10(value));
      const round = [-1, 0, 1].flatMap((n) => [1, 2, 5].map((digit) => tidy(digit * 10 ** (decade + n))));
      return way > 0 ? round.find((v) => v > value * (1 + 1e-9)) : round.findLast((v) => v < value * (1 - 1e-9));
    };
    return {
      limits,
      track: { min: 0, max: PLACES, step: 1 },
      place: (value) => (PLACES * (Math.log10(value) - low)) / (high - low),
      value: (place) => {
        if (place <= 0 || place >= PLACES) return limits[+(place > 0)];
        return Number((10 ** (low + (place / PLACES) * (high - low))).toPrecision(2));
      },
      next,
      leap: (value, way) => tidy(value * 10 ** way),
    };
  };

  const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
  const LEAPS = { PageUp: 1, PageDown: -1 };
  const ENDS = { Home: 0, End: 1 };

  // Read what was typed: the number, or NaN. "1,500" is 1500.
  const read = (text) => {
    const plain = text.trim().replace(/(\d),(?=\d{3}(\D|$))/g, "$1");
    return plain === "" ? NaN : Number(plain);
  };

  function slider(model, scaleOf, whole) {
    const title = model.get("description"), unit = /\(([^)]+)\)\s*$/.exec(title)?.[1] || "", id = freshId();
    const range = make("input", { type: "range", role: "slider", id, disabled: model.get("disabled") });
    const field = make("input", {
      type: "text", inputmode: whole ? "numeric" : "decimal", class: "widget-readout", autocomplete: "off",
      "aria-label": `${title}, typed`, disabled: model.get("disabled"),
    });
    const note = make("span", { class: "widget-note", role: "status" });
    const root = make("div", { class: "widget-inline-hbox widget-slider widget-hslider" },
      make("label", { class: "widget-label", for: id }, title), model.get("readout") ? field : "", range, note);
    let scale = scaleOf(model), noted = null;

    const text = () => String(Number(model.get("value").toFixed(6)));
    const put = (value, said = "") => {
      model.set("value", clamp(whole ? Math.round(value) : value, scale.limits));
      model.save_changes();
      note.textContent = said;
      noted = model.get("value");
    };
    const show = () => {
      scale = scaleOf(model);
      for (const [name, value] of Object.entries(scale.track)) set(range, name, String(value));
      const place = scale.place(model.get("value")), { min, max } = scale.track;
      if (range.valueAsNumber !== place) range.value = place;
      range.style.setProperty("--at", max > min ? (place - min) / (max - min) : 0);
      field.value = text();
      if (noted !== model.get("value")) note.textContent = ""; // what was said is over
      if (root.dataset.named) return; // a widget that knows better what this is has named it
      set(range, "aria-label", title);
      set(range, "aria-valuetext", unit ? `${text()} ${unit}` : text());
    };
    const step = (go, way) => {
      let value = go(model.get("value"), way);
      if (whole && Math.round(value) === model.get("value")) value += way;
      put(value);
    };

    // A browser moves the handle as soon as a finger is down, before it knows whether the finger
    // will scroll. Nothing is set until it has moved sideways, or is up again without scrolling.
    let pressed = null, held = null;
    range.addEventListener("pointerdown", ({ pointerType, clientX, clientY }) => {
      pressed = { sure: pointerType !== "touch", clientX, clientY };
      held = null;
    });
    range.addEventListener("pointermove", ({ clientX, clientY }) => {
      if (!pressed || pressed.sure) return;
      const [x, y] = [clientX - pressed.clientX, clientY - pressed.clientY].map(Math.abs);
      pressed.sure = x > 6 && x > y;
    });
    range.addEventListener("pointerup", () => {
      pressed = null;
      if (held !== null) put(scale.value(held));
      held = null;
    });
    range.addEventListener("pointercancel", () => (pressed = held = null));
    range.addEventListener("input", () => {
      const place = range.valueAsNumber, moved = place - scale.place(model.get("value"));
      // A screen reader goes by single places, which is less than a step of a log slider.
      if (!pressed && scale.track.max === PLACES && Math.abs(moved) <= 1.5) step(scale.next, Math.sign(moved));
      else if (!pressed || pressed.sure) put(scale.value(place));
      held = pressed && !pressed.sure ? place : null;
      show();
    });
    range.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || range.disabled) return;
      if (event.key in KEYS) step(scale.next, KEYS[event.key]);
      else if (event.key in LEAPS) step(scale.leap, LEAPS[event.key]);
      else if (event.key in ENDS) put(scale.limits[ENDS[event.key]]);
      else return;
      event.preventDefault();
    });
    field.addEventListener("change", () => {
      const value = read(field.value), [least, most] = scale.limits;
      if (Number.isNaN(value)) put(model.get("value"), `“${field.value}” is no number: ${text()} is kept.`);
      else if (value < least) put(value, `The least is ${least}.`);
      else if (value > most) put(value, `The most is ${most}.`);
      else put(value, whole && !Number.isInteger(value) ? "Whole numbers only." : "");
      show();
    });
    field.addEventListener("keydown", ({ key }) => key === "Escape" && show());
    follow(model, show);
    return root;
  }

  const isWhole = (model) => /^\.0f$|d$/.test(model.get("readout_format"));
  const FloatSliderModel = (model) => slider(model, () => linear(model, model.get("step") || 0.1), false);
  const IntSliderModel = (model) => slider(model, () => linear(model, model.get("step")), true);
  const FloatLogSliderModel = (model) => slider(model, logarithmic, isWhole(model));

  // --- other inputs -----------------------------------------------------------------------------

  function CheckboxModel(model) {
    const box = make("input", { type: "checkbox", disabled: model.get("disabled") });
    box.addEventListener("change", () => {
      model.set("value", box.checked);
      model.save_changes();
    });
    follow(model, () => (box.checked = model.get("value")));
    return make("div", { class: "widget-inline-hbox widget-checkbox" }, make("label", {}, box, " ", model.get("description")));
  }

  // --- texts and containers -----------------------------------------------------------------------

  function HTMLModel(model) {
    const content = make("div", { class: "widget-html-content" });
    follow(model, () => (content.innerHTML = model.get("value")));
    return make("div", { class: "widget-inline-hbox widget-html" }, model.get("description"), content);
  }

  const box = (kind) => (model, child) => make("div", { class: `widget-box ${kind}` }, ...model.get("children").map(child));

  // At most one part is open, as in ipywidgets.
  function AccordionModel(model, child) {
    const folds = model.get("children").map((ref, i) => {
      const title = model.get("titles")?.[i] || `Part ${i + 1}`;
      const fold = make("details", { class: "widget-accordion-part" }, make("summary", {}, title), child(ref));
      fold.addEventListener("toggle", () => {
        const open = model.get("selected_index");
        if (fold.open) model.set("selected_index", i);
        else if (open === i) model.set("selected_index", null);
        model.save_changes();
      });
      return fold;
    });
    follow(model, () => folds.forEach((fold, i) => (fold.open = model.get("selected_index") === i)));
    return make("div", { class: "widget-accordion" }, ...folds);
  }

  return {
    AccordionModel, CheckboxModel, FloatLogSliderModel, FloatSliderModel, HTMLModel, IntSliderModel,
    BoxModel: box("widget-flex"), HBoxModel: box("widget-hbox"), VBoxModel: box("widget-vbox"),
  };
})();
