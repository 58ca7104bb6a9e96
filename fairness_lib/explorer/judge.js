// What is judged of a reader's run: each property with the first case against it, in words.
import { judge, isWithin, percent, LEAST_DONE, MOST_WAIT_S, LEAST_KEPT } from "./verdicts.js";
import { seconds, grouped, sum } from "./setting.js";

const SERVED = 0, WAITING = 1, BEHIND_P99 = 10, BEHIND_TENANT = 11, ROUNDING_S = 1e-9;
const at = (s) => `${s.toFixed(3)} s`;

// Call `see(now, next, queued, busy)` for each stretch in which nothing happens, of some tasks.
function sweep({ arrival_s, cost_s, start_s, outcome }, some, see) {
  const come = [], begun = [], done = [];
  for (let i = 0; i < arrival_s.length; i += 1) {
    if (!some(i) || outcome[i] > WAITING) continue;
    come.push(arrival_s[i]);
    if (outcome[i] !== SERVED) continue;
    begun.push(start_s[i]);
    done.push(start_s[i] + cost_s[i]);
  }
  const lists = [come, begun, done].map((list) => Float64Array.from(list).sort()), next = [0, 0, 0];
  const head = (k) => (next[k] < lists[k].length ? lists[k][next[k]] : Infinity);
  for (;;) {
    const now = Math.min(head(0), head(1), head(2));
    if (now === Infinity) return;
    for (let k = 0; k < 3; k += 1) while (head(k) === now) next[k] += 1;
    if (see(now, Math.min(head(0), head(1), head(2)), next[0] - next[1], next[1] - next[2])) return;
  }
}

// The first moment at which a worker idles while one of some tasks waits, or null.
export function firstIdle(run, workers, horizon_s, some = () => true) {
  let found = null;
  const busy = [], queued = [];
  sweep(run, () => true, (now, next, _, at_work) => { busy.push([now, Math.min(next, horizon_s), at_work]); });
  sweep(run, some, (now, next, waiting) => { queued.push([now, Math.min(next, horizon_s), waiting]); });
  let k = 0;
  for (const [from, to, at_work] of busy) {
    if (at_work >= workers || from >= to) continue;
    while (k < queued.length && queued[k][1] <= from) k += 1;
    for (let j = k; j < queued.length && queued[j][0] < to; j += 1) {
      if (queued[j][2] > 0) { found = { now: Math.max(from, queued[j][0]), idle: workers - at_work }; break; }
    }
    if (found) break;
  }
  if (!found) return null;
  const { arrival_s, start_s, outcome } = run, { now } = found;
  const task = arrival_s.findIndex((a, i) => some(i) && a <= now && (outcome[i] === WAITING || (outcome[i] === SERVED && start_s[i] > now)));
  return { ...found, task };
}

// The largest difference of service per weight while two tenants are backlogged, and when; DRR's
// bound on it is twice the largest cost and a quantum, with weights scaled to a least of 1.
export function serviceDifference({ arrival_s, tenant, cost_s, start_s, outcome }, weights) {
  const n = weights.length, least = Math.min(...weights), weight = weights.map((w) => w / least);
  const order = Array.from(arrival_s.keys()).filter((i) => outcome[i] === SERVED).sort((a, b) => start_s[a] - start_s[b] || a - b);
  const queued = new Int32Array(n), stretch = new Float64Array(3 * n * n).fill(NaN), worst = { by: 0 };
  const move = (who, by) => {
    queued[who] += by;
    for (let other = 0; other < n; other += 1) {
      const k = 3 * (Math.min(who, other) * n + Math.max(who, other));
      if (other === who) continue;
      if (!(queued[who] && queued[other])) stretch[k] = NaN;
      else if (stretch[k] !== stretch[k]) stretch[k] = stretch[k + 1] = stretch[k + 2] = 0;
    }
  };
  const serve = (task) => {
    const who = tenant[task];
    for (let other = 0; other < n; other += 1) {
      const k = 3 * (Math.min(who, other) * n + Math.max(who, other));
      if (other === who || stretch[k] !== stretch[k]) continue;
      stretch[k] += ((who < other ? 1 : -1) * cost_s[task]) / weight[who];
      stretch[k + 1] = Math.min(stretch[k + 1], stretch[k]);
      stretch[k + 2] = Math.max(stretch[k + 2], stretch[k]);
      if (stretch[k + 2] - stretch[k + 1] > worst.by) Object.assign(worst, { by: stretch[k + 2] - stretch[k + 1], now: start_s[task], who, other });
    }
    move(who, -1);
  };
  let next = 0;
  for (let i = 0; i < arrival_s.length; i += 1) {
    while (next < order.length && start_s[order[next]] < arrival_s[i]) serve(order[next++]);
    if (outcome[i] <= WAITING) move(tenant[i], 1);
  }
  while (next < order.length) serve(order[next++]);
  return worst;
}

// The most workers that served some tasks at once, and when.
function mostBusy(run, some) {
  let most = 0, when = 0;
  sweep(run, some, (now, _, __, busy) => {
    if (busy > most) [most, when] = [busy, now];
  });
  return { most, when };
}

// `run` holds the columns of the traffic, the fair starts, and what became of each task.
export function verdicts({ run, result, setting, quantum_s, took }) {
  const { tenants, workers, window, objective_s, horizon_s } = setting, [from, to] = window;
  const { arrival_s, tenant, cost_s, fair_start_s, start_s, outcome } = run, { held, kept, least, wait_s } = judge(result, window);
  const name = (task) => tenants[tenant[task]].name, within = isWithin(result, window);
  const first = (wrong) => arrival_s.findIndex((a, i) => a >= from && a < to && wrong(i));
  const lost = outcome.indexOf(WAITING), idle = firstIdle(run, workers, horizon_s);
  const owed = (i) => fair_start_s[i] - arrival_s[i] <= objective_s;
  const late = held.kept === false ? first((i) => owed(i) && !(outcome[i] === SERVED && start_s[i] - arrival_s[i] <= objective_s)) : -1;
  const slow = held.F2 === false ? first((i) => within(tenant[i]) && outcome[i] <= WAITING && !(start_s[i] - arrival_s[i] < MOST_WAIT_S)) : -1;
  const refused = first((i) => within(tenant[i]) && outcome[i] > WAITING);
  const worst = result.x.indexOf(least), became = (i) => (outcome[i] === SERVED ? `started at ${at(start_s[i])}` : outcome[i] === WAITING ? "was never taken" : "was turned away");
  const all = [
    { key: "once", what: "No task is lost", held: lost < 0, words: lost < 0 ? `${grouped(arrival_s.length)} tasks came; each was served once, or turned away` : `task ${lost} of ${name(lost)}, which came at ${at(arrival_s[lost])}, was never given` },
    { key: "conserving", what: "No worker idles while a task waits", held: !idle, words: idle ? `at ${at(idle.now)} ${idle.idle} of ${workers} workers ${idle.idle > 1 ? "were" : "was"} idle while ${name(idle.task)} waited` : "never" },
    { key: "kept", what: `${percent(LEAST_KEPT)} of the starts owed are kept`, held: held.kept, words: held.kept === null ? "nothing was owed" : late < 0 ? `${percent(kept, 1)} of ${grouped(sum(result.owed))}` : `a task of ${name(late)} came at ${at(arrival_s[late])}, was owed a start within ${seconds(1000 * objective_s)}, and ${became(late)}` },
    { key: "F1", what: `F1: who is within its share gets ${percent(LEAST_DONE)} of what it asks`, held: held.F1, words: held.F1 === null ? "nobody was within a share" : `least: ${tenants[worst].name} with ${percent(least, 1)}` },
    { key: "F2", what: `F2: waits ${seconds(1000 * MOST_WAIT_S)} at most (p99), no full queue`, held: held.F2, words: held.F2 === null ? "nobody was within a share" : held.F2 ? `p99 ${seconds(1000 * wait_s)}` : slow >= 0 ? `a task of ${name(slow)} came at ${at(arrival_s[slow])} and ${became(slow)}` : `a task of ${name(refused)} that came at ${at(arrival_s[refused])} met a full queue` },
    { key: "F3", what: "F3: and is not turned away", held: held.F3, words: held.F3 === null ? "nobody was within a share" : refused < 0 ? "none was" : `a task of ${name(refused)} was, at ${at(arrival_s[refused])}` },
  ];
  if (quantum_s > 0) {
    const weights = tenants.map((t) => t.weight), largest = cost_s.reduce((a, b) => Math.max(a, b), 0);
    const bound = 2 * largest + quantum_s * Math.min(...weights), { by, now, who, other } = serviceDifference(run, weights), holds = by <= bound + ROUNDING_S;
    all.push({ key: "bound", what: "DRR's bound, which a class with a quantum_s claims", held: holds, words: `${holds ? "" : `at ${at(now)} `}service of two that waited differed by ${seconds(1000 * by)}${holds ? " at most" : ` (${tenants[who].name}, ${tenants[other].name})`}; the bound is ${seconds(1000 * bound)}` });
  }
  if (took) all.push({ key: "time", what: "Time for a task, in this page", words: `${took.mean_us.toFixed(1)} µs; ${took.most_us.toFixed(1)} µs in the slowest thousand` });
  return all;
}

// What an exercise asks for beside the properties: whether it is so, and what was seen.
const GOALS = {
  weights: ({ result, setting: { tenants } }) => {
    const x = Math.min(...result.x), t = result.x.indexOf(x);
    return { what: "Each gets 97 % of a share by weight", held: x >= LEAST_DONE, words: `least: ${tenants[t].name} with ${percent(x, 1)}` };
  },
  six: ({ run, setting: { tenants } }) => {
    const { most, when } = mostBusy(run, (i) => tenants[run.tenant[i]].name === "heavy");
    return { what: "heavy has six workers at once, and no more", held: most === 6, words: `${most}, first at ${at(when)}` };
  },
  others: ({ run, setting: { tenants, workers, horizon_s } }) => {
    const idle = firstIdle(run, workers, horizon_s, (i) => tenants[run.tenant[i]].name !== "heavy");
    return { what: "No worker idles while anybody else waits", held: !idle, words: idle ? `at ${at(idle.now)} one did while ${tenants[run.tenant[idle.task]].name} waited` : "never" };
  },
  behind: ({ result, results, setting: { tenants } }) => {
    const [mine, drr] = [result, results.drr].map((r) => r.scalars[BEHIND_P99]);
    return { what: "The worst tenant is less behind than under DRR", held: mine < drr, words: `p99 behind the fair start: ${seconds(1000 * mine)} (${tenants[result.scalars[BEHIND_TENANT]].name}); DRR ${seconds(1000 * drr)}` };
  },
  split: ({ result, setting: { tenants } }) => {
    let worst = [Infinity, ""];
    tenants.forEach(({ name }, t) => {
      const part = result.completed[t] / result.arrived[t];
      if (!name.includes("/") && part < worst[0]) worst = [part, name];
    });
    return { what: "Everybody else gets 97 % of what it asks", held: worst[0] >= LEAST_DONE, words: `least: ${worst[1]} with ${percent(worst[0], 1)}` };
  },
};

// The verdicts that decide an exercise: properties by their key, or goals of its own.
export function goalsMet(keys, found, context) {
  return keys.map((key) => found.find((verdict) => verdict.key === key) || { key, ...GOALS[key](context) });
}
