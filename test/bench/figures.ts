/** The median, minimum and maximum ratio of two figures over all rounds of a benchmark. */
export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Ratio {
  const ratios = numerators.map((numerator, round) => numerator / (denominators[round] ?? Number.NaN));
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}

function inWords({ median: middle, least, most }: Ratio): string {
  return `${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

/** Formats a ratio with its target, and marks a missed target. */
export function judged(what: string, ratio: Ratio, reach: { least: number } | { most: number }): string {
  const isMet = 'least' in reach ? ratio.median >= reach.least : ratio.median <= reach.most;
  const target = 'least' in reach ? `at least ${reach.least}` : `at most ${reach.most}`;
  return `  ${what.padEnd(44)} ${inWords(ratio).padEnd(24)} target: ${target}${isMet ? '' : ': NOT REACHED'}`;
}
