// What is asked of the engine: the sliders' values, and the tenants that the rows stand for.

// The event loop that each policy is run by.
const LOOPS = { fifo: "fifo", quota: "fifo", drr: "drr", drr_quota: "drr", round_robin: "round_robin", sfq: "sfq", in_flight: "in_flight" };
export const POLICIES = Object.keys(LOOPS);
export const LABELS = {
  fifo: "FIFO", quota: "quota", drr: "DRR", drr_quota: "DRR + quota",
  round_robin: "round robin", sfq: "SFQ", in_flight: "in-flight limit", yours: "Your policy",
};
export const NUMBERS = ["quantum_ms", "cap", "shared_cap", "burst", "seed", "workers", "in_flight"];
const MOST_TENANTS = 1000, MOST_TASKS = 1e6, MOST_STEPS = 120;

// A row of several tenants stands for name0, name1, ... or name00, name01, ...
export const expand = (rows) =>
  rows.flatMap((row, at) => {
    const width = String(row.count - 1).length;
    return Array.from({ length: row.count }, (_, i) => ({
      ...row,
      row: at,
      group: row.name,
      name: row.count === 1 ? row.name : row.name + String(i).padStart(width, "0"),
    }));
  });

export const shown = (model) => POLICIES.filter((name) => model.get(`show_${name}`));

const whole = (value) => Math.max(1, Math.floor(value + 0.5));
// A log slider of ipywidgets gives 9.999999999999998 for 10; widget.py rounds in the same way.
export const tidy = (value) => Math.floor(value * 1e6 + 0.5) / 1e6;

// Steps of the strip: seconds, or so many of them that there are not too many steps.
const stepOf = (horizon_s) => Math.max(1, Math.ceil(horizon_s / MOST_STEPS));

export function settingOf(model) {
  const quantum_s = tidy(model.get("quantum_ms")) / 1000, horizon_s = model.get("horizon_s");
  return {
    tenants: expand(model.get("tenants")),
    groups: model.get("tenants").length,
    seed: model.get("seed"),
    burst: tidy(model.get("burst")),
    workers: model.get("workers"),
    horizon_s,
    step_s: stepOf(horizon_s),
    window: model.get("window"),
    objective_s: model.get("objective_s"),
    policies: shown(model).map((name) => {
      const loop = LOOPS[name], by_tenant = +(loop !== "fifo"), limited = +name.endsWith("quota");
      return {
        name, loop, by_tenant, limited,
        cap: whole(model.get(by_tenant ? "cap" : "shared_cap")),
        quantum_s: loop === "drr" ? quantum_s : 1,
        limit: loop === "in_flight" ? model.get("in_flight") : 0,
      };
    }),
  };
}

// What is wrong with a row of tenants: the field and the words, or null.
export function faultInRow({ name, count, rate_per_s, cost, weight, stated, quota_per_s, quota_burst }) {
  if (!name || typeof name !== "string") return ["name", "A tenant has no name."];
  const from = (value, least, most) => Number.isFinite(value) && value >= least && value <= most;
  const checks = [
    ["count", Number.isInteger(count) && count >= 1, "how many must be a whole number from 1"],
    ["rate_per_s", from(rate_per_s, 0, 1e5), "tasks/s must be from 0 to 100,000"],
    ["mean_ms", from(cost.mean_s, 1e-6, 1e3), "the mean cost must be from 0.001 to 1,000,000 ms"],
    ["stated_percent", from(stated, 0.001, 10), "what it states must be from 0.1 to 1,000 % of the cost"],
    ["weight", from(weight, 0.01, 1e4), "the weight must be from 0.01 to 10,000"],
    ["quota_per_s", from(quota_per_s, Number.MIN_VALUE, 1e6), "the quota must be above 0 and at most 1,000,000 tasks/s"],
    ["quota_burst", from(quota_burst, 1, 1e6), "the quota's burst must be from 1 to 1,000,000"],
  ];
  const wrong = checks.find(([, holds]) => !holds);
  return wrong ? [wrong[0], `${name}: ${wrong[2]}.`] : null;
}

// What is wrong with the rows of tenants: the row, the field and the words, or null.
export function faultIn(rows, burst, horizon) {
  let tasks = 0;
  for (const [at, row] of rows.entries()) {
    const wrong = faultInRow(row);
    if (wrong) return [at, ...wrong];
    const bursting = row.bursts.reduce((total, [from, to]) => total + to - from, 0);
    tasks += row.count * row.rate_per_s * (horizon + bursting * (burst - 1));
    if (!(tasks <= MOST_TASKS)) return [at, "rate_per_s", "That would be more than a million tasks: too many for a page."];
  }
  const tenants = sum(rows.map((row) => row.count)), names = new Set();
  if (tenants < 1 || tenants > MOST_TENANTS) return [rows.length - 1, "count", `There must be 1 to ${MOST_TENANTS} tenants.`];
  for (const { name, row } of expand(rows)) {
    if (names.has(name)) return [row, "name", `Two tenants are called ${name}.`];
    names.add(name);
  }
  return null;
}

export const sum = (values) => values.reduce((a, b) => a + b, 0);

export const inWords = (setting) => {
  const [own, drr, shared, limited] = [(p) => p.by_tenant, (p) => p.loop === "drr", (p) => !p.by_tenant, (p) => p.limit].map((is) => setting.policies.find(is));
  return [
    `burst ×${short(setting.burst, 6)}`,
    own && `cap ${own.cap} a tenant`,
    drr && `quantum ${short(1000 * drr.quantum_s, 6)} ms`,
    shared && `shared cap ${shared.cap}`,
    limited && `at most ${limited.limit} of a tenant in flight`,
    `${setting.workers} workers`,
    `seed ${setting.seed}`,
  ].filter(Boolean).join(", ");
};

export const short = (value, digits = 3) => String(Number(value.toPrecision(digits)));
export const seconds = (ms) => (ms >= 1000 ? `${short(ms / 1000, 2)} s` : `${short(ms, 2)} ms`);
const THOUSANDS = new Intl.NumberFormat("en-US");
export const grouped = (n) => THOUSANDS.format(n);
export const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join(""));
