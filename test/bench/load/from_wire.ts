import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Classify, openClassify } from '../../../src/dialect/classify.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { say } from '../../support/script.ts';
import { megabytes, perSecond, ratio, settleDisk, stopwatch, timeOf } from './measure.ts';
import { DIALECT, newMirror, outcomesOf } from './mirror.ts';
import { companyRecord } from './records.ts';

const GROUP = 200;
const TURNS = 4;

/** Throws if sqlite-utils is not installed, because this part compares the mirror with it. */
export function requireSqliteUtils(): void {
  if (spawnSync('sqlite-utils', ['--version']).status === 0) return;
  process.stderr.write(
    'This part compares loading with sqlite-utils, which is not installed.\n' +
      'Install it (Debian, Ubuntu: apt-get install -y sqlite-utils), or omit this part: --part load,reader,questions\n',
  );
  process.exit(1);
}

/**
 * Loads records from response bytes in quarters, in turn with quarters that `sqlite-utils upsert --flatten` loads. That
 * command reads the same records from a file and writes one table, without lists, changes, search or lineage.
 */
export function loadFromTheWire(folder: string, records: number): void {
  say(`\nLoading ${records} records from response bytes, compared with sqlite-utils upsert --flatten`);
  const path = (name: string) => join(folder, name);
  const { warehouse, load } = newMirror(path('ours.db'));
  const classify = openClassify(DIALECT);
  const times = { ours: stopwatch(), utils: stopwatch() };
  const startMs = timeOf(() => sqliteUtils(['--version']));
  const sizes = { plain: 0, gzipped: 0 };
  for (let turn = 0; turn < TURNS; turn++) {
    const lines = path('records.jsonl');
    const [from, to] = [(turn * records) / TURNS, ((turn + 1) * records) / TURNS];
    writeFileSync(lines, Array.from({ length: to - from }, (_, at) => lineOf(from + at)).join(''));
    settleDisk();
    for (let at = from; at < to; at += GROUP) {
      const outcomes = outcomesOf(at, Math.min(at + GROUP, to), 0, at + 1);
      times.ours.time(() => load(outcomes.map((outcome) => understood(classify, outcome))));
    }
    settleDisk();
    times.utils.time(() => upsert(path('utils.db'), lines));
    // The start-up time is subtracted, so that only the loading is measured.
    times.utils.ms -= startMs;
    sizes.plain += statSync(lines).size;
    sizes.gzipped += gzipSync(readFileSync(lines)).length;
  }
  warehouse.close();
  say(`  real load        ${perSecond(records, times.ours)}`);
  say(`  sqlite-utils     ${perSecond(records, times.utils)}, without its start of ${startMs.toFixed(0)} ms`);
  say(`  ratio            mirror is ${ratio(times.utils, times.ours)} times as fast (target: at least 1.2)`);
  say(
    `  size             mirror ${megabytes(statSync(path('ours.db')).size)}, sqlite-utils ${megabytes(statSync(path('utils.db')).size)}, JSON Lines ${megabytes(sizes.plain)}, gzip of them ${megabytes(sizes.gzipped)}`,
  );
}

function lineOf(index: number): string {
  return `${JSON.stringify(companyRecord(index))}\n`;
}

function understood(classify: Classify, outcome: Outcome): Outcome {
  const reply = { status: 200, headers: {}, body: outcome.body ?? Buffer.alloc(0) };
  return {
    ...outcome,
    verdict: classify(outcome.call, reply, { nowMs: Date.parse(outcome.sentAt), keyHasWorked: true }),
  };
}

function upsert(path: string, lines: string): void {
  sqliteUtils(['upsert', path, 'entity', lines, '--nl', '--flatten', '--pk', 'company_number']);
}

function sqliteUtils(args: readonly string[]): void {
  const { error, status, stderr } = spawnSync('sqlite-utils', args);
  if (error !== undefined || status !== 0)
    throw new Error(`sqlite-utils ${args[0]} failed: ${error?.message ?? stderr}`);
}
