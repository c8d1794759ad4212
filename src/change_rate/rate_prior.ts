import { classWeights, type Evidence, RATE_CLASSES, type RatePrior, rateOfClass } from './change_rate.ts';

/** The Gamma prior under which this evidence is likeliest; searched for from the one before. */
export function fitPrior(sample: readonly Evidence[], before: RatePrior): RatePrior {
  const seen = sample.filter(({ changes, steadyDays }) => changes + steadyDays > 0);
  if (seen.length < LEAST_SAMPLE) return before;
  const likelihoods = seen.map(likelihoodsOf);
  const fitness = (shape: number, mean: number) => {
    const weights = classWeights({ shape: Math.exp(shape), meanPerDay: Math.exp(mean) });
    let sum = -((shape / SHAPE_SPREAD) ** 2) / 2;
    for (const one of likelihoods) {
      let likelihood = 1e-300;
      for (let at = 0; at < weights.length; at++) likelihood += (weights[at] as number) * (one[at] as number);
      sum += Math.log(likelihood);
    }
    return sum;
  };
  return climb(fitness, before);
}

/** Steps along both axes as long as that helps, then smaller steps. */
function climb(fitness: (shape: number, mean: number) => number, before: RatePrior): RatePrior {
  let shape = Math.log(before.shape);
  let mean = Math.log(before.meanPerDay);
  let best = fitness(shape, mean);
  for (let step = 0.4; step > 0.04; step /= 2) {
    for (let round = 0; round < MOST_ROUNDS; round++) {
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
  const limited = Math.min(Math.max(Math.exp(shape), LEAST_SHAPE), LARGEST_SHAPE);
  return { shape: limited, meanPerDay: Math.exp(mean) };
}

/**
 * How likely a company's evidence is under each class of rates. Spans of unlike length are taken together at their
 * geometric mean: for short ones, whose likelihood is proportional to their length, that is exact.
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
const LEAST_SAMPLE = 50;
const MOST_ROUNDS = 12;
const SHAPE_SPREAD = 2;
const LEAST_SHAPE = 0.1;
const LARGEST_SHAPE = 20;
