// Measures loading: npm run bench:load [-- --records N --companies N --reader-seconds N]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { openBareLoop } from './load_bare.ts';
import { newMirror, outcomesOf } from './load_mirror.ts';
import { HANDMADE, MIRRORED, makeByHand, QUESTIONS } from './load_queries.ts';
import { companyRecord } from './load_records.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    companies: { type: 'string', default: '1000000' },
    'reader-records': { type: 'string', default: '100000' },
    'reader-seconds': { type: 'string', default: '60' },
  },
});
const GROUP = 200;
const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-bench-'));
try {
  loadBesideBare(Number(values.records));
  await readWhileLoading(Number(values['reader-records']), Number(values['reader-seconds']));
  askQuestions(Number(values.companies));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Ours and the bare loop take turns, group by group, so that both meet the same machine. */
function loadBesideBare(records: number): void {
  say(
    `Loading ${records} records of ${Buffer.byteLength(JSON.stringify(companyRecord(1)))} bytes with two lists, ${GROUP} a transaction`,
  );
  const ours = newMirror(join(folder, 'ours.db'));
  const bare = newMirror(join(folder, 'bare.db'));
  // The first group makes the tables in both.
  for (const { load } of [ours, bare]) load(outcomesOf(0, GROUP, 0, 1));
  const loop = openBareLoop(bare.warehouse.db);
  const first = { ours: stopwatch(), bare: stopwatch() };
  let memoryEarly = 0;
  for (let from = GROUP; from < records; from += GROUP) {
    const outcomes = outcomesOf(from, from + GROUP, 0, from + 1);
    const rows = outcomes.map(({ callId }, at) => loop.rowsOf(from + at, callId, companyRecord(from + at)));
    first.ours.time(() => ours.load(outcomes));
    first.bare.time(() => loop.write(rows));
    if (from <= records / 5) memoryEarly = process.memoryUsage().rss;
  }
  const memoryLate = process.memoryUsage().rss;
  const again = { same: stopwatch(), changed: stopwatch() };
  for (let from = 0; from < records; from += GROUP) {
    const same = outcomesOf(from, from + GROUP, 0, 10_000_000 + from);
    const changed = outcomesOf(from, from + GROUP, 1, 20_000_000 + from);
    again.same.time(() => ours.load(same));
    again.changed.time(() => ours.load(changed));
  }
  say(`  real load        ${perSecond(records, first.ours)}`);
  say(`  bare loop        ${perSecond(records, first.bare)}`);
  say(`  ratio            ${ratio(first.bare, first.ours)} of the bare loop (asked: at least 0.5)`);
  say(`  unchanged again  ${perSecond(records, again.same)}`);
  say(`  changed          ${perSecond(records, again.changed)}`);
  say(
    `  ratio            unchanged is ${ratio(again.changed, again.same)} times as fast (asked: at least 3)`,
  );
  say(`  memory           ${megabytes(memoryEarly)} after a fifth, ${megabytes(memoryLate)} at the end`);
  for (const { warehouse } of [ours, bare]) warehouse.close();
  compareSizes(records);
  compareSqliteUtils(records, first.ours.ms);
}

/** Of a fresh mirror, since the one above holds three versions of everything. */
function compareSizes(records: number): void {
  const fresh = newMirror(join(folder, 'fresh.db'));
  const lines = join(folder, 'records.jsonl');
  writeFileSync(lines, '');
  for (let from = 0; from < records; from += GROUP) {
    const outcomes = outcomesOf(from, from + GROUP, 0, from + 1);
    fresh.load(outcomes);
    appendFileSync(lines, outcomes.map(({ body }) => `${body}\n`).join(''));
  }
  fresh.warehouse.close();
  const gzipped = gzipSync(readFileSync(lines)).length;
  const size = (name: string) => statSync(join(folder, name)).size;
  say(
    `  size             ours ${megabytes(size('fresh.db'))}, bare loop ${megabytes(size('bare.db'))}, JSON Lines ${megabytes(size('records.jsonl'))}, gzip of them ${megabytes(gzipped)}`,
  );
}

function compareSqliteUtils(records: number, oursMs: number): void {
  const arguments_ = ['upsert', join(folder, 'utils.db'), 'entity', join(folder, 'records.jsonl')];
  const startedMs = performance.now();
  const { error, status } = spawnSync('sqlite-utils', [
    ...arguments_,
    '--nl',
    '--flatten',
    '--pk',
    'company_number',
  ]);
  const utilsMs = performance.now() - startedMs;
  const isInstalled = error === undefined && status === 0;
  const speed = `${Math.round((records / utilsMs) * 1000)} records a second (upsert --flatten)`;
  say(
    isInstalled
      ? `  sqlite-utils     ${speed}; ours is ${(utilsMs / oursMs).toFixed(2)} times as fast (asked: at least 1.2)`
      : '  sqlite-utils     is not installed here',
  );
}

/** A reader stays in one transaction while records load: neither may wait for the other. */
async function readWhileLoading(records: number, seconds: number): Promise<void> {
  say(`\nA reader in a transaction of ${seconds} s while ${records} records load`);
  const path = join(folder, 'read.db');
  const { warehouse, load } = newMirror(path);
  load(outcomesOf(0, GROUP, 0, 1));
  const reader = spawn(process.execPath, [
    join(import.meta.dirname, 'load_reader.ts'),
    path,
    String(seconds),
  ]);
  let told = '';
  reader.stdout.on('data', (data) => {
    told += String(data);
  });
  const ended = once(reader, 'exit');
  await once(reader.stdout, 'data');
  let longestMs = 0;
  let largestWal = 0;
  for (let from = GROUP; from < records; from += GROUP) {
    const outcomes = outcomesOf(from, from + GROUP, 0, from + 1);
    const startedMs = performance.now();
    load(outcomes);
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    largestWal = Math.max(largestWal, statSync(`${path}-wal`).size);
  }
  await ended;
  load(outcomesOf(0, GROUP, 1, 90_000_000));
  warehouse.db.pragma('wal_checkpoint(PASSIVE)');
  load(outcomesOf(0, GROUP, 2, 91_000_000));
  const walAfter = statSync(`${path}-wal`).size;
  const { queries, longestMs: longestQueryMs } = JSON.parse(told.split('\n')[1] ?? '{}');
  say(`  loader           longest transaction ${longestMs.toFixed(0)} ms`);
  say(
    `  reader           ${queries} queries of one unmoved snapshot, the longest ${longestQueryMs.toFixed(0)} ms`,
  );
  say(`  WAL              ${megabytes(largestWal)} at most while read, ${megabytes(walAfter)} after`);
  warehouse.close();
}

/** Medians of five, mirror and hand-made table in turn, on one warm connection. */
function askQuestions(companies: number): void {
  say(`\nFive questions to ${companies} companies, beside a table made by hand with the same indexes`);
  const { warehouse, load } = newMirror(join(folder, 'questions.db'));
  const { db } = warehouse;
  for (let from = 0; from < companies; from += GROUP) load(outcomesOf(from, from + GROUP, 0, from + 1));
  makeByHand(db, join(folder, 'hand.db'));
  db.exec('ANALYZE');
  for (const { question, sql } of QUESTIONS) {
    const times = { mirrored: [] as number[], byHand: [] as number[] };
    for (let turn = 0; turn < 6; turn++) {
      times.mirrored.push(timeOf(() => db.prepare(sql(MIRRORED)).all()));
      times.byHand.push(timeOf(() => db.prepare(sql(HANDMADE)).all()));
    }
    const mirrored = median(times.mirrored.slice(1));
    const byHand = median(times.byHand.slice(1));
    say(
      `  ${question.padEnd(40)} ${mirrored.toFixed(2).padStart(9)} ms, by hand ${byHand.toFixed(2).padStart(9)} ms: ${(mirrored / byHand).toFixed(2)} (asked: at most 1.5)`,
    );
  }
  warehouse.close();
}

interface Stopwatch {
  ms: number;
  time(action: () => void): void;
}

function stopwatch(): Stopwatch {
  return {
    ms: 0,
    time(action) {
      this.ms += timeOf(action);
    },
  };
}

function timeOf(action: () => void): number {
  const startedMs = performance.now();
  action();
  return performance.now() - startedMs;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function ratio(a: Stopwatch, b: Stopwatch): string {
  return (a.ms / b.ms).toFixed(2);
}

function perSecond(records: number, { ms }: Stopwatch): string {
  return `${Math.round((records / ms) * 1000)} records a second`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
