// Axes by decades. What lies beyond one is drawn at its edge with a sign that says so, and 0, which
// has no place on it, in a column of its own.
const ZERO = 9, LABEL = 30;

// `low` and `high` are ends in powers of ten; an axis may get one decade more, and keeps it.
export function decades(low, high, label) {
  const axis = {
    low, high, from: 0, to: 100, least: low - 1, zeros: false,
    x: (value) => axis.from + ((axis.to - axis.from) * (Math.log10(value) - axis.low)) / (axis.high - axis.low),
    // Where a value is drawn, and whether it is there (0), below (-1) or above (1).
    place: (value) => {
      if (value <= 0) return [axis.from - ZERO, 0];
      const at = Math.log10(value);
      return at < axis.low ? [axis.from, -1] : at > axis.high ? [axis.to, 1] : [axis.x(value), 0];
    },
    reach: (value) => {
      const first = value <= 0 && !axis.zeros;
      axis.zeros ||= first;
      if (!(value > 0 && Math.log10(value) < axis.low && axis.low > axis.least)) return first;
      axis.low = axis.least;
      return true;
    },
    ticks: () => Array.from({ length: axis.high - axis.low + 1 }, (_, i) => [10 ** (axis.low + i), label(10 ** (axis.low + i))]),
    isLabelled: (_, i) => i % Math.ceil((LABEL * (axis.high - axis.low)) / (axis.to - axis.from)) === 0,
    zero: () => axis.from - ZERO,
  };
  return axis;
}

export const inTime = (ms) => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`);

// A round number that is not below this one.
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}
