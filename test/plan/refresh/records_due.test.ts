import { expect, test } from 'vitest';
import type { RatedRecord } from '../../../src/knowledge.ts';
import { reprocess } from '../../../src/load/reprocess.ts';
import { openKnowledge } from '../../../src/warehouse/plan_knowledge.ts';
import { bench, dialectWith, START_MS } from '../../support/loader.ts';

const DAY_MS = 86_400_000;
const PAGE = (name: string) => ({
  total: 3,
  results: ['A', 'B', 'C'].map((id) => ({ id, name: id === 'C' ? name : id })),
});

/** Company A never changes, B has changed at every fetch, and a search flags C at the end. */
function livedIn() {
  const first = bench();
  const { warehouse } = first;
  first.search('a', PAGE('C'));
  for (const id of ['A', 'B', 'C']) first.record(id, { id, name: id, seq: 0 });
  for (const month of [1, 2, 3]) {
    const later = bench({ warehouse, startMs: START_MS + month * 30 * DAY_MS });
    later.record('A', { id: 'A', name: 'A', seq: 0 });
    later.record('B', { id: 'B', name: 'B', seq: month });
    later.record('C', { id: 'C', name: 'C', seq: 0 });
  }
  bench({ warehouse, startMs: START_MS + 95 * DAY_MS }).search('a', PAGE('Sea'));
  return first;
}

test('evidence from fetches and listings is stored with the company, and a rebuild restores it', async () => {
  const { warehouse, all } = livedIn();
  const noted = () =>
    all(
      `SELECT entity_id AS id, changes, round(changing_days) AS changing, round(steady_days) AS steady,
         rate_class AS rateClass FROM _company ORDER BY entity_id`,
    );
  const [quiet, lively, flagged] = noted();
  expect(quiet).toMatchObject({ changes: 0, changing: 0, steady: 90 });
  expect(lively).toMatchObject({ changes: 3, changing: 90, steady: 0 });
  expect(flagged).toMatchObject({ changes: 1 });
  expect(Number(lively?.rateClass)).toBeGreaterThan(Number(quiet?.rateClass));
  const before = noted();
  const estimates = openKnowledge(warehouse).changeEstimates();
  expect(estimates).toMatchObject({ flagsFetched: 0 });
  expect(estimates.lessons).toBe(10);
  await reprocess({ warehouse, dialect: dialectWith() });
  expect(noted()).toEqual(before);
  expect(openKnowledge(warehouse).changeEstimates()).toEqual(estimates);
});

test('due records are ordered by expected yield, which is returned with them', () => {
  const { warehouse } = livedIn();
  const knowledge = openKnowledge(warehouse);
  const ask = dueAt(START_MS + 200 * DAY_MS, DAY_MS);
  const order = (days: (record: RatedRecord) => number) =>
    knowledge
      .recordsDue({ ...ask, expectedYield: (record) => ({ days: days(record), repairs: 1 }) })
      .map(({ entityId, why, expectedYield }) => [entityId, why, expectedYield?.days]);
  expect(order(({ why, rateClass }) => (why === 'flagged' ? 1000 : 100 + rateClass))).toEqual([
    ['C', 'flagged', 1000],
    ['B', 'stale', expect.any(Number)],
    ['A', 'stale', expect.any(Number)],
  ]);
  expect(order(({ why, rateClass }) => (why === 'flagged' ? 1 : -rateClass)).map(([id]) => id)).toEqual([
    'A',
    'B',
    'C',
  ]);
  expect(knowledge.rateClasses().size).toBe(2);
});

test('a record younger than the maximum age is never due, even if its expected yield is high', () => {
  const { warehouse } = livedIn();
  const nowMs = START_MS + 100 * DAY_MS;
  const ask = dueAt(nowMs, 20 * DAY_MS);
  const due = openKnowledge(warehouse).recordsDue({ ...ask, expectedYield: () => ({ days: 1, repairs: 1 }) });
  expect(due.map(({ entityId }) => entityId)).toEqual(['C']);
});

/** A run that starts now. */
function dueAt(nowMs: number, maxAgeMs: number) {
  return { nowMs, startedAtMs: nowMs, beforeMs: nowMs - maxAgeMs, most: 10, except: new Set<string>() };
}
