// Weighted max-min shares, as in fairness_lib/measures/allocation.py: in the order in which
// vessels are full, the first that is not shares what is left with all after it.
export const pour = (demands, weights, capacity) => {
  const asked = demands.map((demand, i) => demand / weights[i]);
  const order = demands.map((_, i) => i).sort((a, b) => asked[a] - asked[b] || a - b);
  const sharing = new Map();
  order.reduceRight((sum, i) => (sharing.set(i, sum + weights[i]), sum + weights[i]), 0);
  const shares = [...demands];
  let before = 0;
  for (const [place, i] of order.entries()) {
    const level = (capacity - before) / sharing.get(i);
    if (asked[i] > level) {
      for (const j of order.slice(place)) shares[j] = Math.max(level, 0) * weights[j];
      return { shares, level: Math.max(level, 0) };
    }
    before += demands[i];
  }
  return { shares, level: null }; // all have what they ask for
};
