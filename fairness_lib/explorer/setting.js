// What is asked of the engine: the sliders' values, and the tenants that the rows stand for.

export const POLICIES = ["fifo", "quota", "drr", "drr_quota"];
export const LABELS = { fifo: "FIFO", quota: "quota", drr: "DRR", drr_quota: "DRR + quota" };
export const NUMBERS = ["quantum_ms", "cap", "shared_cap", "burst", "seed", "workers"];
const MOST_TENANTS = 1000, MOST_TASKS = 1e6;

// A row of several tenants stands for name0, name1, ... or name00, name01, ...
export const expand = (rows) =>
  rows.flatMap((row) => {
    const width = String(row.count - 1).length;
    return Array.from({ length: row.count }, (_, i) => ({
      ...row,
      group: row.name,
      name: row.count === 1 ? row.name : row.name + String(i).padStart(width, "0"),
    }));
  });

export const shown = (model) => POLICIES.filter((name) => model.get(`show_${name}`));

const whole = (value) => Math.max(1, Math.floor(value + 0.5));
// Sliders give 9.999999999999998 for 10; widget.py rounds in the same way.
const tidy = (value) => Math.floor(value * 1e6 + 0.5) / 1e6;

export function settingOf(model) {
  const quantum_s = tidy(model.get("quantum_ms")) / 1000;
  return {
    tenants: expand(model.get("tenants")),
    seed: model.get("seed"),
    burst: tidy(model.get("burst")),
    workers: model.get("workers"),
    horizon_s: model.get("horizon_s"),
    window: model.get("window"),
    objective_s: model.get("objective_s"),
    policies: shown(model).map((name) => {
      const by_tenant = +name.startsWith("drr"), limited = +name.endsWith("quota");
      return {
        name, by_tenant, limited,
        cap: whole(model.get(by_tenant ? "cap" : "shared_cap")),
        quantum_s: by_tenant ? quantum_s : 1,
      };
    }),
  };
}

// What is wrong with the rows of tenants, or null.
export function faultIn(rows, burst, horizon) {
  const names = new Set();
  let tasks = 0;
  for (const { name, count, rate_per_s, cost, weight, bursts, quota_per_s, quota_burst } of rows) {
    if (!name || typeof name !== "string") return "A tenant has no name.";
    if (!(Number.isInteger(count) && count >= 1)) return `${name}: how many must be a whole number from 1.`;
    if (!(rate_per_s >= 0 && rate_per_s <= 1e5)) return `${name}: tasks/s must be from 0 to 100,000.`;
    if (!(cost.mean_s >= 1e-6 && cost.mean_s <= 1e3)) return `${name}: the mean cost must be from 0.001 to 1,000,000 ms.`;
    if (!(weight >= 0.01 && weight <= 1e4)) return `${name}: the weight must be from 0.01 to 10,000.`;
    if (!(quota_per_s > 0 && quota_per_s <= 1e6)) return `${name}: the quota must be above 0 tasks/s.`;
    if (!(quota_burst >= 1 && quota_burst <= 1e6)) return `${name}: the quota's burst must be at least 1.`;
    const bursting = bursts.reduce((sum, [from, to]) => sum + to - from, 0);
    tasks += count * rate_per_s * (horizon + bursting * (burst - 1));
  }
  const tenants = rows.reduce((sum, row) => sum + row.count, 0);
  if (tenants < 1 || tenants > MOST_TENANTS) return `There must be 1 to ${MOST_TENANTS} tenants.`;
  if (!(tasks <= MOST_TASKS)) return "That would be more than a million tasks: too many for a page.";
  for (const { name } of expand(rows)) {
    if (names.has(name)) return `Two tenants are called ${name}.`;
    names.add(name);
  }
  return null;
}

// --- the properties, as fairness_lib.measures.properties checks them; null: nothing to judge ---

export const sum = (values) => values.reduce((a, b) => a + b, 0);

export function verdicts(result, [from, to]) {
  const length = to - from, { arrived, fair_share_per_s, x, outcomes, scalars } = result;
  let least = Infinity, full = 0, rejected = 0;
  arrived.forEach((count, t) => {
    if (!(count > 0 && count / length <= fair_share_per_s[t])) return;
    least = Math.min(least, x[t]);
    full += outcomes[4 * t + 2];
    rejected += outcomes[4 * t + 2] + outcomes[4 * t + 3];
  });
  const owed = sum(result.owed), kept = owed ? sum(result.kept) / owed >= 0.99 : null;
  if (least === Infinity) return { kept, F1: null, F2: null, F3: null };
  return { kept, F1: least >= 0.97, F2: full === 0 && !(scalars[4] >= 0.05), F3: rejected === 0 };
}

// --- the setting as a link ---------------------------------------------------------------------

const KEYS = { quantum_ms: "quantum", cap: "cap", shared_cap: "shared", burst: "burst", seed: "seed", workers: "workers" };

export function toLink(model) {
  const start = model.get("start"), link = new URLSearchParams();
  for (const name of NUMBERS) if (tidy(model.get(name)) !== tidy(start[name])) link.set(KEYS[name], tidy(model.get(name)));
  if (shown(model).length < POLICIES.length) link.set("policies", shown(model).join(" "));
  const rows = JSON.stringify(model.get("tenants"));
  if (rows !== JSON.stringify(start.tenants)) link.set("tenants", rows);
  return link.toString() || "quantum=" + tidy(model.get("quantum_ms"));
}

// Whether something from a link has a row's parts; whether they make sense is for faultIn.
function isRow(row) {
  const { kind, long_s, long_share } = row?.cost || {};
  const costs = [0, 1, 2].includes(kind) && long_s >= 0 && long_s <= 1e3 && long_share >= 0 && long_share <= 1;
  return costs && Array.isArray(row.bursts) && row.bursts.every(([from, to]) => from >= 0 && to > from && to <= 1e6);
}

// Return the model's values that a link holds; what it cannot mean is left out.
export function fromLink(hash, model) {
  const link = new URLSearchParams(hash.replace(/^#/, "")), found = {}, limits = model.get("limits");
  for (const name of NUMBERS) {
    const value = link.has(KEYS[name]) ? Number(link.get(KEYS[name])) : NaN, [least, most] = limits[name];
    if (value >= least && value <= most) found[name] = name === "seed" || name === "workers" ? Math.round(value) : value;
  }
  if (link.has("policies")) {
    const wanted = link.get("policies").split(/[ ,+]/);
    if (POLICIES.some((p) => wanted.includes(p))) for (const p of POLICIES) found[`show_${p}`] = wanted.includes(p);
  }
  try {
    const rows = JSON.parse(link.get("tenants"));
    if (Array.isArray(rows) && rows.every(isRow) && !faultIn(rows, 1, 1)) found.tenants = rows;
  } catch { /* not a list of tenants */ }
  return found;
}

export const inWords = (setting) => {
  const drr = setting.policies.find((p) => p.by_tenant), shared = setting.policies.find((p) => !p.by_tenant);
  return [
    drr && `quantum ${short(1000 * drr.quantum_s)} ms`,
    drr && `cap ${drr.cap} a tenant`,
    shared && `shared cap ${shared.cap}`,
    `burst ×${short(setting.burst)}`,
    `seed ${setting.seed}`,
    `${setting.workers} workers`,
  ].filter(Boolean).join(", ");
};

export const short = (value, digits = 3) => String(Number(value.toPrecision(digits)));

export const seconds = (ms) => (ms >= 1000 ? `${short(ms / 1000, 2)} s` : `${short(ms, 2)} ms`);
