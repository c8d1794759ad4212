import { expect, test } from 'vitest';
import type { EntityCall } from '../../../src/call.ts';
import type { DueRecord, ListedCompany, RecordsDue } from '../../../src/knowledge.ts';
import { noChange } from '../../../src/load_result.ts';
import type { Verdict } from '../../../src/outcome.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { DueRecords } from '../../../src/plan/refresh/due_records.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

const NOW_MS = 1000;
const YIELD = { days: 1, repairs: 1 };

const callFor = (entityId: string): EntityCall => ({ kind: 'entity', entityId, reason: 'test', expected: 1 });

/** A queue over a warehouse that returns `batches` one after another, and the requests that the warehouse received. */
function queueOf(
  batches: readonly (readonly string[])[],
  { isRated = true, pending = new Pending([]) } = {},
) {
  const mirror = new MemoryMirror(NOW_MS);
  const asked: RecordsDue[] = [];
  mirror.recordsDue = (ask) => {
    asked.push(ask);
    const ids = batches[asked.length - 1] ?? [];
    return ids.map((entityId): DueRecord => ({ entityId, why: 'stale' }));
  };
  const age = { startedAtMs: NOW_MS, maxAgeMs: 600 };
  const queue = new DueRecords({
    ...{ knowledge: mirror, age, pending },
    yieldOf: isRated ? () => YIELD : undefined,
  });
  const learn = (verdict: Verdict, row?: Partial<ListedCompany>) =>
    queue.learn({
      ...noChange({ call: callFor('X'), verdict }),
      rows: row === undefined ? [] : [{ entityId: 'R', name: null, isNew: false, changed: false, ...row }],
    });
  const take = (nowMs = NOW_MS) => queue.take(nowMs)?.entityId ?? null;
  return { queue, asked, learn, take, pending };
}

const OK: Verdict = { is: 'gone', answer: { kind: 'record', entityId: 'C1', name: null, document: {} } };
const BROKEN: Verdict = { is: 'broken', why: '' };

test("due records keep the warehouse's order, and the warehouse is read again after the last record of a batch", () => {
  const { take, asked } = queueOf([['A', 'B'], ['C']]);
  expect([take(), take()]).toEqual(['A', 'B']);
  expect(asked).toHaveLength(1);
  expect([take(), take()]).toEqual(['C', null]);
  expect(asked.map(({ nowMs, beforeMs, startedAtMs, most }) => [nowMs, beforeMs, startedAtMs, most])).toEqual(
    Array(3).fill([NOW_MS, 400, NOW_MS, 1024]),
  );
  expect(asked[0]?.expectedYield?.({ why: 'stale', rateClass: 0, ageDays: 1 })).toEqual(YIELD);
});

test('a record in flight or waiting for a retry is skipped and excluded from the next read', () => {
  const { take, asked, pending } = queueOf([['A', 'B', 'C']]);
  pending.sent(callFor('A'));
  pending.wait({ kind: 'entity', target: 'B', tries: 1, nextTryAtMs: NOW_MS + 1, why: '' });
  expect(take()).toBe('C');
  expect(asked[0]?.except).toEqual(new Set(['A', 'B']));
});

test('while nothing is due, the warehouse is read again only after a result that may make a record due', () => {
  const { take, asked, learn, queue } = queueOf([]);
  const reads = (action: () => void) => {
    const before = asked.length;
    action();
    take();
    take();
    return asked.length - before;
  };
  expect(reads(() => {})).toBe(1);
  expect(reads(() => learn(OK))).toBe(0);
  expect(reads(() => learn(OK, {}))).toBe(0);
  expect(reads(() => learn(OK, { isNew: true }))).toBe(1);
  expect(reads(() => learn(OK, { changed: true }))).toBe(1);
  expect(reads(() => learn(BROKEN))).toBe(1);
  expect(reads(() => queue.lookAgain())).toBe(1);
  expect(reads(() => queue.release(callFor('X')))).toBe(1);
});

test('while nothing is due, the warehouse is read again when the earliest retry is due', () => {
  const { take, asked, pending } = queueOf([]);
  pending.wait({ kind: 'entity', target: 'B', tries: 1, nextTryAtMs: NOW_MS + 5, why: '' });
  for (const afterMs of [0, 4, 5]) take(NOW_MS + afterMs);
  expect(asked.map(({ nowMs }) => nowMs - NOW_MS)).toEqual([0, 5]);
});

test('a new flag drops the batch of due records, and later batches start small and grow larger', () => {
  const { take, asked, learn } = queueOf([['A', 'B'], ['C'], ['D'], ['E']]);
  expect(take()).toBe('A');
  learn(OK, { changed: true });
  expect([take(), take(), take()]).toEqual(['C', 'D', 'E']);
  expect(asked.map(({ most }) => most)).toEqual([1024, 16, 32, 64]);
});

test('without expected yields, a new flag keeps the batch of due records', () => {
  const { take, asked, learn } = queueOf([['A', 'B']], { isRated: false });
  expect(take()).toBe('A');
  learn(OK, { changed: true });
  expect(take()).toBe('B');
  expect(asked[0]).not.toHaveProperty('expectedYield');
});

test('only the record taken last returns to the queue when its call is released', () => {
  const { take, queue } = queueOf([['A', 'B', 'C']]);
  expect([take(), take()]).toEqual(['A', 'B']);
  queue.release(callFor('B'));
  expect(take()).toBe('B');
  queue.release(callFor('A'));
  queue.release(callFor('B'));
  expect(take()).toBe('C');
});
