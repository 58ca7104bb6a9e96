// What is wrong with the figures of the page that is open: a list of sentences.
() => {
  const LEAST_PX = 9, LEAST_TEXT = 4.5, LEAST_MARK = 3;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const probe = document.body.appendChild(document.createElement("i"));
  const rgba = (color) => {
    probe.style.color = color;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below, opacity = 1) =>
    [r, g, b].map((value, i) => a * opacity * value + (1 - a * opacity) * below[i]);
  const luminance = (color) => color.slice(0, 3)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const painted = (element) => {
    const { fill, fillOpacity, opacity } = getComputedStyle(element);
    return fill === "none" || fill.startsWith("url") ? null : [rgba(fill), fillOpacity * opacity];
  };

  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const cell of document.querySelectorAll(".fl-live")) cell.classList.remove("fl-live");
  const page = rgba(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  const faults = [];
  document.querySelectorAll(".fl-figure").forEach((figure, number) => {
    const say = (what) => faults.push(`figure ${number}: ${what}`);
    const box = figure.getBoundingClientRect();
    const scale = box.width / figure.viewBox.baseVal.width;
    const shapes = [...figure.querySelectorAll("path, rect, circle")]
      .filter((shape) => !shape.closest("defs, clipPath, pattern"));
    const texts = [...figure.querySelectorAll("text")]
      .map((node) => ({ node, said: node.textContent.trim(), at: node.getBoundingClientRect() }));

    for (let e = figure; e !== document.body; e = e.parentElement) {
      const ground = over(rgba(getComputedStyle(e).backgroundColor), page);
      if (contrast(ground, page) > 1.2) say(`on a slab of ${e.tagName}`);
    }
    for (const shape of shapes) {
      const { width, height } = shape.getBoundingClientRect();
      const paint = painted(shape);
      const large = width * height > 0.5 * box.width * box.height;
      if (large && paint && contrast(over(paint[0], page, paint[1]), page) > 1.2) say("a slab in it");
    }
    for (const name of figure.style) {
      const value = getComputedStyle(figure).getPropertyValue(name);
      const plain = name.match(/^--c(..)(..)(..)$/)?.slice(1).map((part) => parseInt(part, 16));
      if (!plain || luminance(plain) > 0.3) continue; // grid and shades: not to be told apart
      const found = contrast(rgba(value), page);
      if (found < LEAST_MARK) say(`${name} has ${found.toFixed(1)} to 1`);
    }
    texts.forEach(({ node, said, at }, place) => {
      const sizes = [node, ...node.children].map((e) => parseFloat(getComputedStyle(e).fontSize));
      const px = Math.min(...sizes) * scale;
      if (px < LEAST_PX) say(`${said} is ${px.toFixed(1)} px`);
      if (at.left < Math.max(0, box.left) - 1 || at.right > Math.min(innerWidth, box.right) + 1
          || at.top < box.top - 1 || at.bottom > box.bottom + 1) say(`${said} is cut off`);
      for (const other of texts.slice(place + 1)) {
        const width = Math.min(at.right, other.at.right) - Math.max(at.left, other.at.left);
        const height = Math.min(at.bottom, other.at.bottom) - Math.max(at.top, other.at.top);
        // a line's box is higher than its letters
        if (width > 1 && height > 0.3 * Math.min(at.height, other.at.height)) {
          say(`${said} overlaps ${other.said}`);
        }
      }
      const middle = new DOMPoint(at.x + at.width / 2, at.y + at.height / 2);
      let ground = page;
      for (const shape of shapes) {
        const paint = painted(shape);
        const before = shape.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
        const point = middle.matrixTransform(shape.getScreenCTM().inverse());
        if (paint && before && shape.isPointInFill(point)) ground = over(paint[0], ground, paint[1]);
      }
      const [color, opacity] = painted(node);
      const found = contrast(over(color, ground, opacity), ground);
      if (found < LEAST_TEXT) say(`${said} has ${found.toFixed(1)} to 1`);
    });
  });
  probe.remove();
  return faults;
}
