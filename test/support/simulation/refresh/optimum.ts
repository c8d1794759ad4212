/** The share of up-to-date records if all companies are fetched in rotation. */
export function roundRobin(ratesPerDay: Float64Array, callsPerDay: number): number {
  const everyDays = ratesPerDay.length / callsPerDay;
  return mean(ratesPerDay, (rate) => currentShare(rate, everyDays));
}

/**
 * The highest share of up-to-date records that a fetch schedule can reach if all change rates are known.
 *
 * Each company has a fetch interval `I` in days. At the optimum, each fetch has the same marginal value: `[1 −
 * e^(−λI)(1 + λI)] / λ = μ`, with change rate `λ`. Bisection finds the `μ` that uses exactly the daily calls. Source:
 * Cho and Garcia-Molina, "Effective page refresh policies for web crawlers" (ACM TODS 28(4), 2003).
 */
export function fetchOnlyOptimum(ratesPerDay: Float64Array, callsPerDay: number): number {
  const sorted = Float64Array.from(ratesPerDay).sort();
  // Companies with similar rates form a group with one mean rate, and get the same interval.
  const groups = Array.from({ length: GROUPS }, (_, at) => {
    const group = sorted.subarray(
      Math.floor((at * sorted.length) / GROUPS),
      Math.floor(((at + 1) * sorted.length) / GROUPS),
    );
    return { rate: mean(group, (rate) => rate), companies: group.length };
  });
  let [low, high] = [0, 1e7];
  for (let round = 0; round < 80; round++) {
    const marginal = Math.sqrt(Math.max(low, 1e-9) * high);
    const calls = groups.reduce((sum, { rate, companies }) => sum + companies / interval(rate, marginal), 0);
    if (calls > callsPerDay) low = marginal;
    else high = marginal;
  }
  const current = groups.reduce(
    (sum, { rate, companies }) => sum + companies * currentShare(rate, interval(rate, high)),
    0,
  );
  return current / ratesPerDay.length;
}

/** The fetch interval in days at which a fetch has this marginal value, or Infinity if there is none. */
function interval(rate: number, marginalDays: number): number {
  if (1 / rate <= marginalDays) return Number.POSITIVE_INFINITY;
  let [low, high] = [0, 60 / rate];
  for (let round = 0; round < 50; round++) {
    const days = (low + high) / 2;
    const value = (1 - Math.exp(-rate * days) * (1 + rate * days)) / rate;
    if (value < marginalDays) low = days;
    else high = days;
  }
  return high;
}

function currentShare(rate: number, everyDays: number): number {
  if (everyDays === Number.POSITIVE_INFINITY) return 0;
  return rate * everyDays < 1e-9 ? 1 : -Math.expm1(-rate * everyDays) / (rate * everyDays);
}

function mean(values: Float64Array, of: (value: number) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0) / values.length;
}

const GROUPS = 2000;
