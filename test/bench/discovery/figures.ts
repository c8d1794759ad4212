/** The calls are counted until these shares of the registry are known. */
const SHARES = [0.5, 0.9, 0.99];

export interface Growth {
  /** How many companies are known after each call. */
  readonly known: readonly number[];
  readonly companies: number;
  readonly pageSize: number;
}

/**
 * The calls needed to reach each share, as multiples of the lower bound `LB`, such as `0.52 / 0.92 / 1.01`. If a share
 * was not reached, the cell shows the highest share that was, such as `83 % at 12.0`. If there are several runs, the
 * figures are means.
 */
export function callsPerBest(runs: readonly Growth[]): string {
  return SHARES.map((share) => {
    const multiples = runs.map((run) => multipleAt(run, share));
    const reached = multiples.filter((multiple) => multiple !== null);
    if (reached.length < runs.length) return null;
    return mean(reached).toFixed(2);
  })
    .map((cell) => cell ?? furthest(runs))
    .filter((cell, at, cells) => at === 0 || cell !== cells[at - 1] || !cell.includes('%'))
    .join(' / ');
}

/** The runs' lowest and highest figures for the last share, or `–` if a run did not reach it. */
export function spread(runs: readonly Growth[]): string {
  const multiples = runs.map((run) => multipleAt(run, SHARES.at(-1) as number));
  if (multiples.includes(null)) return '–';
  const numbers = multiples.map(Number);
  return `${Math.min(...numbers).toFixed(2)} to ${Math.max(...numbers).toFixed(2)}`;
}

/** The lower bound on the number of calls, which is `LB = ceil(N/P)` for N companies and P rows per page. */
export function fewestCalls({ companies, pageSize }: Pick<Growth, 'companies' | 'pageSize'>): number {
  return Math.ceil(companies / pageSize);
}

function multipleAt(run: Growth, share: number): number | null {
  const at = run.known.findIndex((known) => known >= share * run.companies);
  return at < 0 ? null : (at + 1) / fewestCalls(run);
}

function furthest(runs: readonly Growth[]): string {
  const found = mean(runs.map(({ known, companies }) => (known.at(-1) ?? 0) / companies));
  const calls = mean(runs.map((run) => run.known.length / fewestCalls(run)));
  return `${(Math.floor(found * 1000) / 10).toFixed(1)} % at ${calls.toFixed(1)}`;
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
