// Whether the properties hold, as fairness_lib.measures.properties checks them, and what it took.
import { seconds, grouped, short, sum } from "./setting.js";

const UNDER_SHARE_P99 = 4, WINDOW_UTILISATION = 6;
export const OUTCOMES = 4, FULL = 2, QUOTA = 3;
export const LEAST_DONE = 0.97, MOST_WAIT_S = 0.05, LEAST_KEPT = 0.99;

export const isWithin = (result, [from, to]) => (t) =>
  result.arrived[t] > 0 && result.arrived[t] / (to - from) <= result.fair_share_per_s[t];

// Counted in the window, by who was turned away and by what; held is null where nothing was to judge.
export function judge(result, window) {
  const within = isWithin(result, window), turned = { within: { full: 0, quota: 0 }, beyond: { full: 0, quota: 0 } };
  let least = Infinity;
  result.arrived.forEach((_, t) => {
    const where = turned[within(t) ? "within" : "beyond"];
    where.full += result.outcomes[OUTCOMES * t + FULL];
    where.quota += result.outcomes[OUTCOMES * t + QUOTA];
    if (within(t)) least = Math.min(least, result.x[t]);
  });
  const owed = sum(result.owed), kept = owed ? sum(result.kept) / owed : NaN, wait_s = result.scalars[UNDER_SHARE_P99];
  const nobody = least === Infinity;
  return {
    turned, kept, least, wait_s,
    busy: result.scalars[WINDOW_UTILISATION],
    held: {
      kept: owed ? kept >= LEAST_KEPT : null,
      F1: nobody ? null : least >= LEAST_DONE,
      F2: nobody ? null : turned.within.full === 0 && !(wait_s >= MOST_WAIT_S),
      F3: nobody ? null : turned.within.full + turned.within.quota === 0,
    },
  };
}

export const percent = (part, digits = 0) => (part === part && Math.abs(part) < Infinity ? `${(100 * part).toFixed(digits)} %` : "–");
// Near a limit, with more digits and never rounded over it: the number agrees with its sign.
const partNear = (part, limit) => (part < 1 && Math.abs(part - limit) < 0.01 ? `${(Math.floor(1000 * part) / 10).toFixed(1)} %` : percent(part));
const timeNear = (s) => (s === s ? (Math.abs(s - MOST_WAIT_S) < 0.001 ? `${(Math.floor(1e5 * s) / 100).toFixed(2)} ms` : seconds(1000 * s)) : "–");
const sign = (held) => (held === null ? "–" : held ? "✓" : "✗");
export const signed = (held) => `${sign(held)} ${held === null ? "nobody to judge" : held ? "met" : "not met"}`;

// Visits of DRR that served nobody, for each task served, in the whole run.
export const inVain = ({ fruitless: [count], served: [tasks] }) => (tasks ? count / tasks : 0);

// The lines of a lane: whether it holds (undefined: a plain number), what, briefly, and how much.
export function lines(result, { window, policies }, name) {
  const { held, kept, least, wait_s, turned, busy } = judge(result, window), { full } = turned.within;
  const policy = policies.find((p) => p.name === name), all = (where) => turned[where].full + turned[where].quota;
  return [
    { key: "kept", held: held.kept, what: "owed starts kept", brief: "kept", value: partNear(kept, LEAST_KEPT) },
    { key: "F1", held: held.F1, what: "done, within share", brief: "done", value: partNear(least, LEAST_DONE) },
    { key: "F2", held: held.F2, what: "p99, within share", brief: "p99", value: timeNear(wait_s) + (full && wait_s < MOST_WAIT_S ? " + full queue" : "") },
    { key: "F3", held: held.F3, what: "rejected, in · beyond", brief: "rejected", value: held.F3 === null ? "–" : grouped(all("within")), more: ` · ${grouped(all("beyond"))}` },
    policy.loop === "drr"
      ? { key: "cost", what: "visits in vain per task", brief: "", value: short(inVain(result), 2) }
      : { key: "cost", what: "workers busy", brief: "", value: percent(busy, busy > 0.995 || busy < 0.9 ? 0 : 1) },
  ];
}
