/** How often one number of a round is the other's, over the rounds: the middle, and the least and the most. */
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

export function inWords({ median: middle, least, most }: Ratio): string {
  return `${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

/** A line of figures with what it shall reach; what it falls short of makes the command fail. */
export function judged(what: string, ratio: Ratio, reach: { least: number } | { most: number }): string {
  const isMet = 'least' in reach ? ratio.median >= reach.least : ratio.median <= reach.most;
  const asked = 'least' in reach ? `at least ${reach.least}` : `at most ${reach.most}`;
  return `  ${what.padEnd(44)} ${inWords(ratio).padEnd(24)} asked: ${asked}${isMet ? '' : ': NOT REACHED'}`;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
