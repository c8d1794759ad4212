// npm run bench ablation [-- --data FOLDER --companies 1000 --only TEXT --rows]
// Switches each part of discovery off, one at a time, and compares the searches needed with the whole planner's. FOLDER
// contains `isle_of_man.csv` and `japan_edinet.csv`; without it, the names are generated.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PARTS } from './ablation/parts.ts';

interface Results {
  readonly rows: readonly {
    readonly row: string;
    /** The searches until 90%, 99% and all of the companies are known; null if they never were. */
    readonly calls: readonly (number | null)[];
    readonly found: number;
    readonly all: number;
  }[];
  readonly cpuSeconds: number;
}

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    companies: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
    rows: { type: 'boolean', default: false },
  },
});

const whole = discoverWithout('');
print('Searches without the part, compared with the whole planner: the best, mean and worst row.\n');
print('| without | to 90 % | to 99 % | to 100 % | companies found | CPU |');
print('|---|---|---|---|---|---|');
for (const { name } of PARTS.filter((part) => part.name.includes(values.only))) {
  const results = discoverWithout(name);
  const ratios = [0, 1, 2].map((at) => spread(results, at));
  const found = sumOf(results) - sumOf(whole);
  const cpu = (results.cpuSeconds / whole.cpuSeconds).toFixed(2);
  print(`| ${[name, ...ratios, found > 0 ? `+${found}` : String(found), `× ${cpu}`].join(' | ')} |`);
  if (!values.rows) continue;
  for (const [at, { row, calls, found: known, all }] of results.rows.entries()) {
    const before = whole.rows[at];
    print(
      `|   ${row}: ${before?.calls.join(' / ')} → ${calls.join(' / ')}; ${before?.found} → ${known} in ${before?.all} → ${all} |`,
    );
  }
}

function discoverWithout(part: string): Results {
  const script = join(import.meta.dirname, 'ablation', 'discover_without.ts');
  const args = [script, part, values.data, values.companies];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 })) as Results;
}

/** Returns the lowest, mean and highest ratio to the whole planner's searches, over the rows that both completed. */
function spread({ rows }: Results, share: number): string {
  const ratios = rows.flatMap(({ calls }, at) => {
    const [without, before] = [calls[share] ?? null, whole.rows[at]?.calls[share] ?? null];
    return without === null || before === null ? [] : [without / before];
  });
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  return [Math.min(...ratios), mean, Math.max(...ratios)].map((ratio) => ratio.toFixed(2)).join(' / ');
}

function sumOf({ rows }: Results): number {
  return rows.reduce((sum, { found }) => sum + found, 0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
