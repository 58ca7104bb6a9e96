// Settings that show something, each with what to look at. All but one tenant stay as they start.

const STATED = 0.05, TOO_LARGE_MS = 500, LOWERED = 0.75;

export function storiesOf(start) {
  const rows = start.tenants, bursting = rows.findIndex((row) => row.bursts.length);
  const busiest = bursting >= 0 ? bursting : rows.reduce((best, row, at) => (row.rate_per_s > rows[best].rate_per_s ? at : best), 0);
  const { name, quota_per_s } = rows[busiest], with_ = (change) => rows.map((row, at) => (at === busiest ? { ...row, ...change } : row));
  const all = [
    bursting >= 0 && ["Calm", { burst: 1 }, "No burst: there is enough for all, and each gets what it asks for."],
    bursting >= 0 && ["The burst", {}, `${name} sends ${start.burst} times its usual traffic. Under which policy do the others notice?`],
    ["Quota as good as DRR?", { tenants: with_({ quota_per_s: Math.round(LOWERED * quota_per_s) }) },
      `${name}'s quota is lowered by ${Math.round(100 - 100 * LOWERED)} %. The others may wait less then; ${name} pays, and so do idle workers.`],
    ["Quantum too large", { quantum_ms: TOO_LARGE_MS }, `A turn lasts ${TOO_LARGE_MS} ms of work. Turns still come round, but late.`],
    ["One tenant lies", { tenants: with_({ stated: STATED }) },
      `${name} says that its tasks cost a twentieth of what they do. DRR believes what tenants state; FIFO does not ask.`],
  ];
  return all.filter(Boolean).map(([label, change, lead]) => ({ label, lead, starts: !Object.keys(change).length, values: { ...start, ...change } }));
}

// The story that the present values tell, if they are one's.
export const storyAt = (stories, model) =>
  stories.find(({ values }) => Object.entries(values).every(([name, value]) => JSON.stringify(model.get(name)) === JSON.stringify(value)));
