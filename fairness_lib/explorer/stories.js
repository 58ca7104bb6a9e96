import { POLICIES } from "./setting.js";

// Settings that show something, each with what to look at. All but one tenant stay as they start.

const OTHERS = ["drr", "round_robin", "sfq"]; // in place of the policies that a page starts with
const STATED = 0.05, TOO_LARGE_MS = 500, LOWERED = 0.75, COSTLIER = 4;

const among = (names) => Object.fromEntries(POLICIES.map((name) => [`show_${name}`, names.includes(name)]));

export function storiesOf(start) {
  const rows = start.tenants, bursting = rows.findIndex((row) => row.bursts.length);
  const busiest = bursting >= 0 ? bursting : rows.reduce((best, row, at) => (row.rate_per_s > rows[best].rate_per_s ? at : best), 0);
  const { name, quota_per_s, cost } = rows[busiest], with_ = (change) => rows.map((row, at) => (at === busiest ? { ...row, ...change } : row));
  const all = [
    bursting >= 0 && ["Calm", { burst: 1 }, "No burst: there is enough for all, and each gets what it asks for."],
    bursting >= 0 && ["The burst", {}, `${name} sends ${start.burst} times its usual traffic. Under which policy do the others notice?`],
    ["Quota as good as DRR?", { tenants: with_({ quota_per_s: Math.round(LOWERED * quota_per_s) }) },
      `${name}'s quota is lowered by ${Math.round(100 - 100 * LOWERED)} %. The others may wait less then; ${name} pays, and so do idle workers.`],
    ["Quantum too large", { quantum_ms: TOO_LARGE_MS }, `A turn lasts ${TOO_LARGE_MS} ms of work. Turns still come round, but late.`],
    ["One tenant lies", { tenants: with_({ stated: STATED }) },
      `${name} says that its tasks cost a twentieth of what they do. DRR believes what tenants state; FIFO does not ask.`],
    ["Tasks or work?", { tenants: with_({ cost: { ...cost, mean_s: COSTLIER * cost.mean_s, long_s: COSTLIER * cost.long_s } }), ...among(OTHERS) },
      `${name}'s tasks cost ${COSTLIER} times as much. Round robin gives each tenant a task in turn, whatever it costs; DRR and SFQ count work. Under which do the others wait longer?`],
  ];
  return all.filter(Boolean).map(([label, change, lead]) => ({ label, lead, starts: !Object.keys(change).length, values: { ...start, ...change } }));
}

// The story that the present values tell, if they are one's.
export const storyAt = (stories, model) =>
  stories.find(({ values }) => Object.entries(values).every(([name, value]) => JSON.stringify(model.get(name)) === JSON.stringify(value)));
