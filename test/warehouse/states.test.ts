import { expect, test } from 'vitest';
import { removeProbe } from '../../src/warehouse/answered_calls.ts';
import { readCoverage } from '../../src/warehouse/coverage_counts.ts';
import {
  listQuarantined,
  openQuarantineCount,
  quarantineCounts,
  setQuarantineState,
  supersedeQuarantined,
} from '../../src/warehouse/quarantine.ts';
import { dueRecordCount, openRecordsDue } from '../../src/warehouse/records_due.ts';
import { pruneAnswers } from '../../src/warehouse/retention.ts';
import { bench, resultPage, START_MS } from '../support/loader.ts';

// Public queries over a small warehouse that has one company in each state.

const YEAR_MS = 365 * 86_400_000;

function oneOfEach() {
  const mirror = bench();
  const { search, record } = mirror;
  const row = (id: string) => ({ id, name: id });
  search('a', { total: 4, results: ['LISTED', 'FETCHED', 'GONE', 'BAD'].map(row) });
  record('FETCHED', row('FETCHED'));
  record('GONE', row('GONE'));
  record('GONE', { ...row('GONE'), class: 'Deleted' });
  record('BAD', 'unreadable');
  record('WORSE', 'unreadable too');
  return mirror;
}

test('a record is due if it was never fetched or is too old, also of a gone company', () => {
  const { warehouse } = oneOfEach();
  const due = (beforeMs: number) => dueRecordCount(warehouse.db, beforeMs);
  const { known, fetched, gone } = readCoverage(warehouse.db);
  expect({ known, fetched, gone }).toMatchObject({ fetched: 1, gone: 1 });
  expect(due(START_MS + YEAR_MS)).toBe(known);
  expect(due(START_MS + YEAR_MS) - due(START_MS - YEAR_MS)).toBeGreaterThanOrEqual(fetched);
});

test('due records are those of each state, and within a state the oldest first', () => {
  const { search, record, fail, warehouse } = bench();
  const ids = ['F1', 'F2', 'S1', 'S2', 'N1', 'N2', 'G1'];
  search('a', { total: 7, results: ids.map((id) => ({ id, name: id })) });
  for (const id of ['F1', 'F2', 'S1', 'S2', 'G1']) record(id, { id, name: id });
  record('G1', { id: 'G1', class: 'Deleted' });
  for (const id of ['F2', 'F1']) search(id, resultPage({ id, name: `${id} renamed` }));
  fail({ kind: 'entity', entityId: 'N9', reason: 'test', expected: 1 }, { is: 'broken', why: 'busy' });
  const nowMs = START_MS + YEAR_MS;
  const due = (beforeMs: number, most: number, except: readonly string[] = []) =>
    openRecordsDue(warehouse.db)({
      nowMs,
      beforeMs,
      startedAtMs: nowMs,
      most,
      except: new Set(except),
    }).map(({ entityId, why }) => `${why} ${entityId}`);
  const waiting = ['flagged F2', 'flagged F1', 'never_fetched N1', 'never_fetched N2'];
  expect(due(START_MS, 9)).toEqual(waiting);
  expect(due(nowMs, 9)).toEqual([...waiting, 'stale S1', 'stale S2', 'stale G1']);
  expect(due(nowMs, 2, ['F2', 'N1'])).toEqual(['flagged F1', 'never_fetched N2']);
});

test('the daily counts have each call once, also a call that a probe made and that is loaded again', () => {
  const { warehouse, value } = oneOfEach();
  const { db } = warehouse;
  const counts = () => [
    value('SELECT count(*) FROM _call'),
    value('SELECT sum(calls) FROM allowance_daily'),
    value('SELECT sum(entity_calls) FROM allowance_daily'),
  ];
  expect(counts()).toEqual([6, 6, 5]);
  const callId = value("SELECT max(call_id) FROM _call WHERE kind = 'entity'") as number;
  db.prepare("UPDATE _call SET kind = 'probe' WHERE call_id = ?").run(callId);
  expect(counts()).toEqual([6, 6, 4]);
  removeProbe(db, callId);
  expect(counts()).toEqual([5, 5, 4]);
});

/** A quarantine with one entry in each state, each for a call of its own. */
function quarantineOfEach() {
  const mirror = bench();
  const states = ['discarded', 'open', 'replayed', 'superseded'] as const;
  for (const state of states) mirror.record(state, `unreadable ${state}`);
  const { db } = mirror.warehouse;
  for (const { quarantineId, target } of listQuarantined(db, 'all', 9))
    setQuarantineState(db, quarantineId, target as (typeof states)[number]);
  return { ...mirror, db, states };
}

test('every query of the quarantine reads the entries in its own state, the newest first', () => {
  const { db, states } = quarantineOfEach();
  const targets = (which: 'open' | 'all', most: number) =>
    listQuarantined(db, which, most).map(({ target, state }) => [target, state]);
  const [discarded, open, replayed, superseded] = states.map((state) => [state, state]);
  expect(targets('all', 9)).toEqual([superseded, replayed, open, discarded]);
  expect(targets('all', 1)).toEqual([superseded]);
  expect(targets('open', 9)).toEqual([open]);
  expect(quarantineCounts(db)).toEqual({ open: 1, replayed: 1, superseded: 1, discarded: 1 });
  expect(openQuarantineCount(db)).toBe(1);
  for (const state of states) supersedeQuarantined(db, 'entity', state);
  expect(quarantineCounts(db)).toEqual({ open: 0, replayed: 1, superseded: 2, discarded: 1 });
});

test('only open entries keep an old response in the warehouse', () => {
  const { db, all } = quarantineOfEach();
  pruneAnswers(db, { maxAgeMs: 0, versions: 1 }, START_MS + YEAR_MS);
  expect(all('SELECT target FROM _answer JOIN _call USING (call_id)')).toEqual([{ target: 'open' }]);
});

test('a replaced response is kept until it is older than the configured age', () => {
  const mirror = bench();
  for (const n of [1, 2]) mirror.record('C1', { id: 'C1', n });
  const sentAtMs = Date.parse(
    mirror.value(
      "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', sent_at) FROM _call ORDER BY call_id LIMIT 1",
    ) as string,
  );
  const maxAgeMs = 86_400_000;
  const pruned = (nowMs: number) =>
    pruneAnswers(mirror.warehouse.db, { maxAgeMs, versions: 1 }, nowMs).answers;
  expect(pruned(sentAtMs + maxAgeMs)).toBe(0);
  expect(pruned(sentAtMs + maxAgeMs + 1)).toBe(1);
});
