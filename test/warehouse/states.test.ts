import { expect, test } from 'vitest';
import { readCoverage } from '../../src/warehouse/coverage_counts.ts';
import { listQuarantined } from '../../src/warehouse/quarantine.ts';
import { dueRecordCount } from '../../src/warehouse/records_due.ts';
import { pruneAnswers } from '../../src/warehouse/retention.ts';
import { removeProbe } from '../../src/warehouse/stored_probes.ts';
import { bench, START_MS } from '../support/loader.ts';

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

test('the quarantine lists the newest entries first', () => {
  const { warehouse } = oneOfEach();
  for (const which of ['open', 'all'] as const)
    expect(listQuarantined(warehouse.db, which, 9).map(({ target }) => target)).toEqual(['WORSE', 'BAD']);
  expect(listQuarantined(warehouse.db, 'open', 1).map(({ target }) => target)).toEqual(['WORSE']);
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
