// npm run bench ablation [-- --data FOLDER --sizes 300:3,1000:2 --only NAME,NAME --rows]
// Switches each part of discovery off, one at a time, and compares the searches needed with the whole planner's. `--sizes
// 300:3` means three registries of 300 companies of each sort. FOLDER contains `isle_of_man.csv` and `japan_edinet.csv`;
// without it, all names are generated. `--only` with `+` between names switches several parts off together.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { argumentsOf, say } from '../support/script.ts';
import { PARTS } from './ablation/parts.ts';

interface Run {
  readonly row: string;
  /** The searches until 90%, 99% and all of the companies are known; null if they never were. */
  readonly calls: readonly (number | null)[];
  readonly found: number;
}

interface Results {
  readonly rows: readonly Run[];
  readonly cpuSeconds: number;
}

const values = argumentsOf({ data: '', sizes: '300:3,1000:2', only: null, rows: false });

const whole = discoverWithout('');
say('Searches without the part, compared with the whole planner: the best, mean and worst row.\n');
say('| without | to 90 % | to 99 % | to 100 % | companies found | CPU |');
say('|---|---|---|---|---|---|');
for (const name of values.only?.split(',') ?? PARTS.map((part) => part.name)) {
  const results = discoverWithout(name);
  const rows = Object.entries(Object.groupBy(results.rows.keys(), (at) => results.rows[at]?.row ?? ''));
  const ratios = rows.map(([row, runs]) => ({
    row,
    of: [0, 1, 2].map((share) => ratio(results, runs ?? [], share)),
  }));
  const cells = [0, 1, 2].map((share) => spread(ratios.flatMap(({ of }) => of[share] ?? [])));
  const found = sumOf(results) - sumOf(whole);
  const cpu = (results.cpuSeconds / whole.cpuSeconds).toFixed(2);
  say(`| ${[name, ...cells, found > 0 ? `+${found}` : String(found), `× ${cpu}`].join(' | ')} |`);
  if (!values.rows) continue;
  for (const { row, of } of ratios)
    say(`|   ${row}: ${of.map((one) => one?.toFixed(2) ?? '–').join(' / ')} |`);
}

function discoverWithout(parts: string): Results {
  const script = join(import.meta.dirname, 'ablation', 'discover_without.ts');
  const args = [script, parts.replaceAll('+', ','), values.data, values.sizes];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 })) as Results;
}

/**
 * Returns the geometric mean of the ratios to the whole planner's searches, over the registries of one row, or null if
 * the whole planner or the planner without the part reached the share in none of them.
 */
function ratio({ rows }: Results, runs: readonly number[], share: number): number | null {
  const logs = runs.flatMap((at) => {
    const [without, before] = [rows[at]?.calls[share] ?? null, whole.rows[at]?.calls[share] ?? null];
    return without === null || before === null ? [] : [Math.log(without / before)];
  });
  return logs.length === 0 ? null : Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

function spread(ratios: readonly number[]): string {
  const mean = ratios.reduce((sum, one) => sum + one, 0) / ratios.length;
  return [Math.min(...ratios), mean, Math.max(...ratios)].map((one) => one.toFixed(2)).join(' / ');
}

function sumOf({ rows }: Results): number {
  return rows.reduce((sum, { found }) => sum + found, 0);
}
