import { statSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../../support/script.ts';
import { openBareLoop } from './bare.ts';
import { megabytes, perSecond, ratio, settleDisk, stopwatch } from './measure.ts';
import { newMirror, outcomesOf } from './mirror.ts';
import { companyRecord } from './records.ts';

const GROUP = 200;

/** The mirror and the bare loop take turns after each group, so that other load on the machine affects both equally. */
export function loadBesideBare(folder: string, records: number): void {
  say(
    `Loading ${records} records of ${Buffer.byteLength(JSON.stringify(companyRecord(1)))} bytes with two lists, ${GROUP} a transaction`,
  );
  const ours = newMirror(join(folder, 'ours.db'));
  const bare = newMirror(join(folder, 'bare.db'));
  // The first group creates the tables in both files.
  for (const { load } of [ours, bare]) load(outcomesOf(0, GROUP, 0, 1));
  const loop = openBareLoop(bare.warehouse.db);
  const first = { ours: stopwatch(), bare: stopwatch() };
  const memory: number[] = [];
  settleDisk();
  for (let from = GROUP; from < records; from += GROUP) {
    const outcomes = outcomesOf(from, from + GROUP, 0, from + 1);
    const rows = outcomes.map(({ callId }, at) => loop.rowsOf(from + at, callId, companyRecord(from + at)));
    first.ours.time(() => ours.load(outcomes));
    first.bare.time(() => loop.write(rows));
    if (memory.length < Math.floor((from * 4) / records)) memory.push(process.memoryUsage().rss);
  }
  memory.push(process.memoryUsage().rss);
  say(`  real load        ${perSecond(records - GROUP, first.ours)}`);
  say(`  bare loop        ${perSecond(records - GROUP, first.bare)}`);
  say(`  ratio            ${ratio(first.bare, first.ours)} of the bare loop (target: at least 0.5)`);
  say(
    `  memory           ${memory.map(megabytes).join(', ')} after each quarter, with the page caches of both files`,
  );
  bare.warehouse.close();
  const size = (name: string) => megabytes(statSync(join(folder, name)).size);
  loadAgain(ours.load, records);
  ours.warehouse.db.pragma('wal_checkpoint(TRUNCATE)');
  say(
    `  size             bare loop ${size('bare.db')}; mirror, with a second version of each record, ${size('ours.db')}`,
  );
  ours.warehouse.close();
}

/** Loads unchanged responses from new calls in turn with responses that have typical changes. */
function loadAgain(load: ReturnType<typeof newMirror>['load'], records: number): void {
  const again = { same: stopwatch(), changed: stopwatch() };
  settleDisk();
  for (let from = 0; from < records; from += GROUP) {
    const same = outcomesOf(from, from + GROUP, 0, 10_000_000 + from);
    const changed = outcomesOf(from, from + GROUP, 1, 20_000_000 + from);
    again.same.time(() => load(same));
    again.changed.time(() => load(changed));
  }
  say(`  unchanged again  ${perSecond(records, again.same)}`);
  say(`  changed          ${perSecond(records, again.changed)}`);
  say(
    `  ratio            unchanged is ${ratio(again.changed, again.same)} times as fast (target: at least 3)`,
  );
}
