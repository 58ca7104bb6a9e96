// The reader's own file, as rows of the table of tenants. It is read here, and goes nowhere.
import { html } from "./dom.js";
import { grouped, short } from "./setting.js";

const HEADS = {
  tenant: /^(tenant|app|user|customer|namespace|queue|org)/i,
  arrival: /^(arriv|timestamp|submit|start|time)/i,
  rate: /^(rate|tasks_?(per|\/)_?s)/i,
  cost: /^(mean_?)?(cost|duration|latency|service|run)/i,
};
const IN_SECONDS = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };
const MOST_BYTES = 5e6, MOST_ROWS = 30;
const TAKEN = { count: 1, weight: 1, bursts: [], quota_per_s: 40, quota_burst: 20, stated: 1 };

const clipped = (text, most = 40) => (text.length > most ? `${text.slice(0, most)}…` : text);

// Lines of cells: commas, semicolons or tabs between, quotes around what holds them.
function cellsOf(text) {
  const sep = [",", ";", "\t"].sort((a, b) => text.split("\n", 1)[0].split(b).length - text.split("\n", 1)[0].split(a).length)[0];
  const lines = [];
  let line = [], cell = "", quoted = false;
  const end = () => { line.push(cell); cell = ""; };
  const endLine = () => { end(); if (line.length > 1 || line[0].trim()) lines.push(line); line = []; };
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') { cell += c; i += 1; } else quoted = false;
    } else if (c === '"' && !cell) quoted = true;
    else if (c === sep) end();
    else if (c === "\n") endLine();
    else if (c !== "\r") cell += c;
  }
  if (quoted) throw new Error("A quote is opened and never closed.");
  endLine();
  return lines;
}

const unitOf = (name) => IN_SECONDS[name.trim().toLowerCase().split(/[^a-z]+/).filter(Boolean).at(-1)] || 1;

function amount(text, name, line) {
  const value = text.trim() === "" ? NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value * unitOf(name);
  throw new Error(`Row ${line}, ${clipped(name)}: “${clipped(text)}” is no number from 0.`);
}

function moment(text, name, line) {
  const at = text.trim() === "" ? NaN : Number(text);
  if (Number.isFinite(at)) return at * unitOf(name);
  const ms = Date.parse(text);
  if (Number.isFinite(ms)) return ms / 1000;
  throw new Error(`Row ${line}, ${clipped(name)}: “${clipped(text)}” is no time.`);
}

// Rows of the table from a file's text, and what was made of it, in words.
export function rowsFrom(text) {
  const [head = [], ...lines] = cellsOf(text.replace(/^\uFEFF/, ""));
  const at = Object.fromEntries(Object.entries(HEADS).map(([role, word]) => [role, head.findIndex((name) => word.test(name.trim()))]));
  const known = at.rate >= 0 ? "rate" : "arrival";
  for (const role of ["tenant", known, "cost"]) {
    if (at[role] < 0) throw new Error(`No column for the ${role}: the first line must name tenant, arrival and cost, or tenant, rate and cost. It names ${head.slice(0, 9).map((name) => clipped(name)).join(", ") || "nothing"}.`);
  }
  if (!lines.length) throw new Error("There is no row below the first line.");
  const found = new Map();
  let first = Infinity, last = -Infinity;
  lines.forEach((line, i) => {
    if (line.length !== head.length) throw new Error(`Row ${i + 2} has ${line.length} cells, the first line ${head.length}.`);
    const name = line[at.tenant].trim(), cost_s = amount(line[at.cost], head[at.cost], i + 2);
    if (!name) throw new Error(`Row ${i + 2} has no tenant.`);
    const one = found.get(name) || { name, n: 0, work_s: 0, rate: 0 };
    found.set(name, one);
    if (known === "rate") {
      if (one.n) throw new Error(`Row ${i + 2}: ${clipped(name)} has a rate already.`);
      one.rate = amount(line[at.rate], "", i + 2);
    } else {
      const came = moment(line[at.arrival], head[at.arrival], i + 2);
      first = Math.min(first, came);
      last = Math.max(last, came);
    }
    one.n += 1;
    one.work_s += cost_s;
  });
  const span_s = last - first;
  if (known === "arrival" && !(span_s > 0)) throw new Error("All tasks arrive at one time: there is no rate to be had.");
  const load = (one) => one.rate_per_s * one.mean_s;
  const tenants = [...found.values()]
    .map((one) => ({ name: one.name, rate_per_s: known === "rate" ? one.rate : one.n / span_s, mean_s: one.work_s / one.n }))
    .sort((a, b) => load(b) - load(a));
  const free = tenants.filter((one) => !(one.mean_s > 0)).length;
  const kept = tenants.filter((one) => one.mean_s > 0), rest = kept.length > MOST_ROWS ? kept.splice(MOST_ROWS - 1) : [];
  if (!kept.length) throw new Error("All costs are 0: nothing would ever wait.");
  if (rest.length) {
    const rate = rest.reduce((sum, one) => sum + one.rate_per_s, 0);
    kept.push({ name: "other-", count: rest.length, rate_per_s: rate / rest.length, mean_s: rest.reduce((sum, one) => sum + load(one), 0) / (rate || 1) });
  }
  const rows = kept.map(({ mean_s, ...one }) => ({ ...TAKEN, ...one, cost: { kind: 0, mean_s, long_s: 0, long_share: 0 } }));
  const said = [
    known === "rate"
      ? `Rates and mean costs of ${grouped(tenants.length)} tenants.`
      : `${grouped(lines.length)} tasks of ${grouped(tenants.length)} tenants in ${short(span_s, 3)} s: each one's rate and mean cost were taken.`,
    free && `${grouped(free)} whose tasks cost nothing were left out.`,
    rest.length && `The ${grouped(rest.length)} with least work share one row, and its mean.`,
    `They ask for ${short(tenants.reduce((sum, one) => sum + load(one), 0), 3)} workers on average.`,
    "Lost: when each task came, and how costs spread. Arrivals are drawn evenly, costs from an exponential distribution; tick who bursts. Quotas are no part of a log: each row's are the page's, and yours to set.",
  ];
  return { rows, said: said.filter(Boolean).join(" ") };
}

// A button, and a place to drop a file on; `take` gets the rows and says whether they hold.
export function dropPlace(root, take) {
  const chooser = html("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "A log or table of your tenants, CSV" });
  const said = html("p", { class: "fl-note", role: "status" });
  const read = async (file) => {
    if (!file) return;
    said.textContent = "";
    said.classList.remove("fl-fault");
    try {
      if (file.size > MOST_BYTES) throw new Error(`The file must be at most ${MOST_BYTES / 1e6} MB here; it has ${short(file.size / 1e6, 3)}. A log of any size: fairness compare.`);
      const found = rowsFrom(await file.text());
      if (take(found.rows, chooser)) said.textContent = found.said;
    } catch (error) {
      said.textContent = `Not taken: ${error.message}`;
      said.classList.add("fl-fault");
    }
    chooser.value = ""; // so that the same file can be chosen again
  };
  chooser.addEventListener("change", () => read(chooser.files[0]));
  root.addEventListener("dragover", (event) => event.preventDefault());
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  });
  return html("div", { class: "fl-drop" },
    html("label", { class: "fl-note" }, "From a file (a log: tenant, arrival, cost; or a table: tenant, rate, cost). It stays in your browser. ", chooser), said);
}
