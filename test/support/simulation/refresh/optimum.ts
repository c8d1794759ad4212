/** The share of right records when every company is fetched in turn. */
export function roundRobin(ratesPerDay: Float64Array, callsPerDay: number): number {
  const everyDays = ratesPerDay.length / callsPerDay;
  return mean(ratesPerDay, (rate) => rightShare(rate, everyDays));
}

/**
 * The most that a schedule of fetches alone can reach, with all rates known beforehand: every company at the
 * interval at which one more call a day is worth the same everywhere (Cho and Garcia-Molina 2003).
 */
export function fetchOnlyOptimum(ratesPerDay: Float64Array, callsPerDay: number): number {
  const sorted = Float64Array.from(ratesPerDay).sort();
  // Rates that lie side by side get the same interval: a few hundred groups stand for all.
  const groups = Array.from({ length: GROUPS }, (_, at) => {
    const part = sorted.subarray(
      Math.floor((at * sorted.length) / GROUPS),
      Math.floor(((at + 1) * sorted.length) / GROUPS),
    );
    return { rate: mean(part, (rate) => rate), companies: part.length };
  });
  let [low, high] = [0, 1e7];
  for (let round = 0; round < 80; round++) {
    const price = Math.sqrt(Math.max(low, 1e-9) * high);
    const calls = groups.reduce((sum, { rate, companies }) => sum + companies / interval(rate, price), 0);
    if (calls > callsPerDay) low = price;
    else high = price;
  }
  const right = groups.reduce(
    (sum, { rate, companies }) => sum + companies * rightShare(rate, interval(rate, high)),
    0,
  );
  return right / ratesPerDay.length;
}

/** Days after which a fetch of a company of this rate is worth the price; Infinity: it never is. */
function interval(rate: number, priceDays: number): number {
  if (1 / rate <= priceDays) return Number.POSITIVE_INFINITY;
  let [low, high] = [0, 60 / rate];
  for (let round = 0; round < 50; round++) {
    const days = (low + high) / 2;
    const worth = (1 - Math.exp(-rate * days) * (1 + rate * days)) / rate;
    if (worth < priceDays) low = days;
    else high = days;
  }
  return high;
}

function rightShare(rate: number, everyDays: number): number {
  if (everyDays === Number.POSITIVE_INFINITY) return 0;
  return rate * everyDays < 1e-9 ? 1 : -Math.expm1(-rate * everyDays) / (rate * everyDays);
}

function mean(values: Float64Array, of: (value: number) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0) / values.length;
}

const GROUPS = 2000;
