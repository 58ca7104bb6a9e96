// A setting as an address, and what an address means.
import { faultIn, shown, tidy, NUMBERS, POLICIES } from "./setting.js";

const KEYS = { quantum_ms: "quantum", cap: "cap", shared_cap: "shared", burst: "burst", seed: "seed", workers: "workers", in_flight: "inflight" };
const DECIMAL = /^\d+(\.\d+)?$/;

// The values in which a setting differs from the one that the page starts with; "" if in none.
export function toLink(model) {
  const start = model.get("start"), link = new URLSearchParams();
  for (const name of NUMBERS) if (tidy(model.get(name)) !== tidy(start[name])) link.set(KEYS[name], tidy(model.get(name)));
  const policies = shown(model), usual = POLICIES.filter((name) => start[`show_${name}`]);
  if (policies.join() !== usual.join()) link.set("policies", policies.join(" "));
  const rows = JSON.stringify(model.get("tenants"));
  if (rows !== JSON.stringify(start.tenants)) link.set("tenants", rows);
  return link.toString();
}

// Whether something from a link has a row's parts; whether they make sense is for faultIn.
function isRow(row) {
  const { kind, long_s, long_share } = row?.cost || {};
  const costs = [0, 1, 2].includes(kind) && long_s >= 0 && long_s <= 1e3 && long_share >= 0 && long_share <= 1;
  return costs && Array.isArray(row.bursts) && row.bursts.every(([from, to]) => from >= 0 && to > from && to <= 1e6);
}

function rowsOf(text) {
  try {
    const rows = JSON.parse(text);
    if (!Array.isArray(rows) || !rows.every(isRow)) return null;
    for (const row of rows) row.stated ??= 1; // links of old had no such column
    return faultIn(rows, 1, 1) ? null : rows;
  } catch {
    return null;
  }
}

// What an address asks for: null if nothing, else all of the model's values that a link can name,
// and the parts of the link that mean nothing here, each with what is allowed.
export function fromLink(hash, model) {
  const link = new URLSearchParams(hash.replace(/^#/, "")), bad = [], start = model.get("start");
  const known = [...Object.values(KEYS), "policies", "tenants"];
  if (!known.some((name) => link.has(name))) return null;
  const values = { ...start }, limits = model.get("limits");
  for (const name of NUMBERS) {
    if (!link.has(KEYS[name])) continue;
    const text = link.get(KEYS[name]), [least, most] = limits[name], integer = ["seed", "workers", "in_flight"].includes(name);
    const value = DECIMAL.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most && (!integer || Number.isInteger(value))) values[name] = value;
    else bad.push(`${KEYS[name]} must be ${integer ? "a whole number " : ""}from ${least} to ${most}`);
  }
  if (link.has("policies")) {
    const wanted = link.get("policies").split(/[ ,+]/).filter(Boolean);
    if (wanted.length && wanted.every((name) => POLICIES.includes(name))) for (const name of POLICIES) values[`show_${name}`] = wanted.includes(name);
    else bad.push(`policies must be some of ${POLICIES.join(", ")}`);
  }
  if (link.has("tenants")) {
    const rows = rowsOf(link.get("tenants"));
    if (rows) values.tenants = rows;
    else bad.push("tenants must be rows as this page writes them");
  }
  for (const name of link.keys()) if (!known.includes(name)) bad.push(`${name.slice(0, 20)} is not something to set`);
  return { values, bad };
}

// Put a link into the address without leaving the page; "" takes it out.
export function setAddress(link) {
  const address = location.pathname + location.search + (link && `#${link}`);
  try {
    history.replaceState(history.state, "", address);
  } catch { /* some places, such as a frame of another origin, do not allow it */ }
}
