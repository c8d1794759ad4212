import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { walBytes } from '../../../src/warehouse/wal.ts';
import { say } from '../../support/script.ts';
import { megabytes, perSecond, settleDisk, stopwatch, timeOf } from './measure.ts';
import { newMirror, outcomesOf } from './mirror.ts';

const GROUP = 200;

/**
 * Loads records into two files in turn. A reader keeps its transaction open on one of the files. Loading continues
 * after the reader has ended, and the WAL must shrink.
 */
export async function readWhileLoading(folder: string, records: number, seconds: number): Promise<void> {
  say(`\nA reader in a transaction of ${seconds} s while ${records} records load`);
  const read = newMirror(join(folder, 'read.db'));
  const alone = newMirror(join(folder, 'alone.db'));
  for (const { load } of [read, alone]) load(outcomesOf(0, GROUP, 0, 1));
  settleDisk();
  const reader = startReader(read.warehouse.path, seconds);
  await reader.reads;
  const startedMs = performance.now();
  const times = { read: stopwatch(), alone: stopwatch() };
  const longest = { readMs: 0, aloneMs: 0, logBytes: 0 };
  for (let from = GROUP; from < records; from += GROUP) {
    const outcomes = outcomesOf(from, from + GROUP, 0, from + 1);
    const timed = (mirror: typeof read, watch: typeof times.read) =>
      timeOf(() => watch.time(() => mirror.load(outcomes)));
    longest.readMs = Math.max(longest.readMs, timed(read, times.read));
    longest.aloneMs = Math.max(longest.aloneMs, timed(alone, times.alone));
    longest.logBytes = Math.max(longest.logBytes, walBytes(read.warehouse.db));
  }
  const loadedSeconds = (performance.now() - startedMs) / 1000;
  const { queries, longestMs } = await reader.ended;
  const atEnd = walBytes(read.warehouse.db);
  for (const turn of [1, 2]) read.load(outcomesOf(0, GROUP, turn, turn * 100_000_000));
  say(
    `  loader           ${perSecond(records - GROUP, times.read)} while read, ${perSecond(records - GROUP, times.alone)} alone; longest transaction ${longest.readMs.toFixed(0)} ms, alone ${longest.aloneMs.toFixed(0)} ms`,
  );
  say(
    `  reader           ${queries} queries of one unchanged snapshot, the longest ${longestMs.toFixed(1)} ms; loading both files took ${loadedSeconds.toFixed(0)} s`,
  );
  say(
    `  WAL              ${megabytes(longest.logBytes)} at most, ${megabytes(atEnd)} when the reader ended, ${megabytes(walBytes(read.warehouse.db))} two transactions later (limit 67 MB); alone ${megabytes(walBytes(alone.warehouse.db))}`,
  );
  for (const { warehouse } of [read, alone]) warehouse.close();
}

function startReader(path: string, seconds: number) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'reader.ts'), path, String(seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let hints = '';
  child.stdout.on('data', (data) => {
    hints += String(data);
  });
  return {
    reads: once(child.stdout, 'data'),
    ended: once(child, 'exit').then(() => {
      const [, result = ''] = hints.split('\n');
      if (result === '') throw new Error('the reader failed; see its output');
      return JSON.parse(result) as { queries: number; longestMs: number };
    }),
  };
}
