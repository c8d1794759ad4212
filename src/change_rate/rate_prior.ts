import { classWeights, type Evidence, RATE_CLASSES, type RatePrior, rateOfClass } from './change_rate.ts';

/**
 * Fits the Gamma prior by empirical Bayes. It finds the k and m that maximise Σ_i ln Σ_c w_c(k, m) · L_i(c), starting
 * from the previous prior. w_c is the share of the prior distribution in rate class c. L_i(c) is the likelihood of
 * company i's evidence at the rate of class c. A weak log-normal penalty, exp(−(ln k)² / (2·2²)), keeps k finite. If
 * fewer than 50 companies in the sample have evidence, the previous prior is returned.
 */
export function fitPrior(sample: readonly Evidence[], before: RatePrior): RatePrior {
  const observed = sample.filter(({ changes, steadyDays }) => changes + steadyDays > 0);
  if (observed.length < MIN_SAMPLE) return before;
  const likelihoods = observed.map(likelihoodsOf);
  const fitness = (logShape: number, logMean: number) => {
    const weights = classWeights({ shape: Math.exp(logShape), meanPerDay: Math.exp(logMean) });
    let sum = -((logShape / SHAPE_SPREAD) ** 2) / 2;
    for (const one of likelihoods) {
      let likelihood = 1e-300;
      for (let at = 0; at < weights.length; at++) likelihood += (weights[at] as number) * (one[at] as number);
      sum += Math.log(likelihood);
    }
    return sum;
  };
  return climb(fitness, before);
}

/**
 * Maximises the fitness over ln k and ln m by hill climbing. It steps along both axes while that increases the fitness,
 * and then takes smaller steps.
 */
function climb(fitness: (logShape: number, logMean: number) => number, before: RatePrior): RatePrior {
  let shape = Math.log(before.shape);
  let mean = Math.log(before.meanPerDay);
  let best = fitness(shape, mean);
  for (let step = 0.4; step > 0.04; step /= 2) {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const from = best;
      for (const [alongShape, alongMean] of DIRECTIONS) {
        const found = fitness(shape + step * alongShape, mean + step * alongMean);
        if (found <= best) continue;
        best = found;
        shape += step * alongShape;
        mean += step * alongMean;
      }
      if (best === from) break;
    }
  }
  const limited = Math.min(Math.max(Math.exp(shape), MIN_SHAPE), MAX_SHAPE);
  return { shape: limited, meanPerDay: Math.exp(mean) };
}

/**
 * Returns the likelihood of a company's evidence for each rate class: (1 − e^(−λs))^n · e^(−λt), for n spans with a
 * change and t days without a change. The lengths of the n spans are replaced by their geometric mean s. This is exact
 * for short spans, because their likelihood is proportional to their length.
 */
function likelihoodsOf({ changes, changingLog, steadyDays }: Evidence): Float64Array {
  const span = changes === 0 ? 0 : Math.exp(changingLog / changes);
  return RATES.map((rate) => (-Math.expm1(-rate * span)) ** changes * Math.exp(-rate * steadyDays));
}

const RATES = Float64Array.from(RATE_CLASSES, rateOfClass);
const DIRECTIONS = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
] as const;
const MIN_SAMPLE = 50;
const MAX_ROUNDS = 12;
const SHAPE_SPREAD = 2;
const MIN_SHAPE = 0.1;
const MAX_SHAPE = 20;
