// What happened, in words: a sentence for each group (words.py says the same), and one for all.
import { LABELS, grouped, listed, seconds, short } from "./setting.js";
import { isWithin, judge, inVain, percent, LEAST_DONE, MOST_WAIT_S } from "./verdicts.js";

export const POLICY_WORDS = {
  fifo: "first in, first out",
  quota: "a limit for each, then FIFO",
  drr: "tenants take turns",
  drr_quota: "a limit, then turns",
  round_robin: "a task of each in turn",
  sfq: "who has had least comes first",
  in_flight: "before FIFO",
  yours: "as you wrote it",
};
const LEAST = 0.9; // of a fair share; who gets less is marked
const OVER = 1.05; // who gets more has taken places

export const people = ({ name, members }) => (members.length > 1 ? `${members.length} ${name}` : name);
const p99 = (result, t) => result.wait_s[3 * t + 2];
const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
export const worstShare = (result, members) => least(members.filter((t) => result.arrived[t] > 0).map((t) => result.x[t]));
export const worstWait = (result, members) => {
  const waits = members.map((t) => p99(result, t)).filter((v) => v === v);
  return waits.length ? most(waits) : NaN;
};

export const isAmiss = (result, members) => members.some((t) => result.arrived[t] > 0 && result.x[t] < LEAST);
export function groupSentence(result, members) {
  const several = members.length > 1, part = worstShare(result, members), wait_s = worstWait(result, members);
  if (part === Infinity) return several ? "ask for nothing" : "asks for nothing";
  const share = several ? `get at least ${percent(part)} of their fair share` : `gets ${percent(part)} of its fair share`;
  return wait_s === wait_s ? `${share} and ${several ? "wait" : "waits"} up to ${seconds(1000 * wait_s)}` : share;
}

// Who asks for how much in the burst, and what there is.
export function demand({ tenants, burst, workers }, capacity) {
  const bursting = tenants.filter((t) => t.bursts.length);
  const asked = (some) => some.reduce((total, t) => total + t.rate_per_s * (t.bursts.length ? burst : 1), 0);
  const who = listed([...new Set(bursting.map((t) => t.group))]), count = (n) => grouped(Math.round(n));
  const first = who && `${who} ${bursting.length > 1 ? "send" : "sends"} ${count(asked(bursting))} tasks per second. `;
  return `${first || ""}All together: ${count(asked(tenants))}. ${workers} workers can do about ${count(capacity)}.`;
}

// What became of those within their share under one policy.
function fate(result, groups, window) {
  const within = isWithin(result, window), there = groups.map((g) => ({ ...g, members: g.members.filter(within) })).filter((g) => g.members.length);
  const starved = there.filter((g) => worstShare(result, g.members) < LEAST_DONE);
  const { turned, wait_s } = judge(result, window); // as F2 counts: all within their share together
  const slow = wait_s >= MOST_WAIT_S ? there.filter((g) => worstWait(result, g.members) >= MOST_WAIT_S) : [];
  const beyond = groups.filter((g) => g.members.some((t) => result.arrived[t] > 0 && !within(t)));
  return {
    kind: !there.length ? "none" : starved.length ? "starved" : slow.length ? "slow" : "well",
    hurt: starved.length ? starved : slow.length ? slow : there,
    takers: beyond.filter((g) => g.members.some((t) => result.x[t] > OVER)),
    refused: turned.within,
  };
}

// One sentence for policies with one fate.
function clause(fates, results, before) {
  const names = listed(fates.map(({ name }) => LABELS[name])), { kind } = fates[0];
  const hurt = new Map(fates.flatMap((f) => f.hurt.map((g) => [g.row, g])));
  const named = listed([...hurt.values()].map(people)), who = named === before ? "they" : named, several = [...hurt.values()].reduce((n, g) => n + g.members.length, 0) > 1;
  const over = (measure, pick) => pick(fates.flatMap(({ name, hurt: own }) => own.map((g) => measure(results[name], g.members)).filter((v) => v === v)));
  const wait = seconds(1000 * over(worstWait, most)), refused = Math.max(...fates.map((f) => f.refused.full));
  const also = refused ? ` Full queues turn away ${grouped(refused)} of their tasks.` : "";
  const they = several ? ["get as little as", "their", "get their", "wait"] : ["gets", "its", "gets its", "waits"];
  if (kind === "none") return [`Under ${names}, nobody is within a fair share.`, ""];
  if (kind === "well") return [`Under ${names}, nobody within a fair share waits longer than ${wait}.${also}`, ""];
  if (kind === "slow") return [`Under ${names}, ${who} ${they[2]} share but ${they[3]} up to ${wait}.${also}`, named];
  const takers = listed([...new Map(fates.flatMap((f) => f.takers.map((g) => [g.row, people(g)]))).values()]);
  const cause = takers ? `: ${takers} took ${they[1]} places` : "";
  return [`Under ${names}, ${who} ${they[0]} ${percent(over(worstShare, least))} of ${they[1]} fair share and ${they[3]} up to ${wait}${cause}.`, named];
}

// Whether two fates can be told in one sentence: the same tenants, and about the same numbers.
function alike(a, b, results) {
  if (a.kind !== b.kind) return false;
  if (a.kind === "well" || a.kind === "none") return true;
  const whose = ({ hurt }) => hurt.map(({ row }) => row).join();
  const worst = ({ name, hurt }, measure, pick) => pick(hurt.map((g) => measure(results[name], g.members)).filter((v) => v === v));
  const waits = [a, b].map((f) => worst(f, worstWait, most)), shares = [a, b].map((f) => worst(f, worstShare, least));
  return whose(a) === whose(b) && Math.max(...waits) < 2 * Math.min(...waits) && Math.abs(shares[0] - shares[1]) < 0.1;
}

// The sentence that is rewritten at each move.
export function happened(results, groups, window) {
  const told = [];
  const fates = Object.entries(results).map(([name, result]) => ({ name, ...fate(result, groups, window) }));
  for (const kind of ["starved", "slow", "well", "none"]) {
    for (const own of fates) {
      if (own.kind !== kind) continue;
      const same = told.find(([first]) => alike(first, own, results));
      if (same) same.push(own);
      else told.push([own]);
    }
  }
  const sentences = [], vain = Math.max(...Object.values(results).map(inVain));
  let before = "";
  for (const some of told) {
    const [sentence, who] = clause(some, results, before);
    sentences.push(sentence);
    before = who || before;
  }
  if (vain >= 1) sentences.push(`DRR looks at ${short(vain, 2)} queues in vain for each task.`);
  return sentences.join(" ");
}
