import { expect, test } from 'vitest';
import { FIRST_PAGE, type SearchCall } from '../../../src/call.ts';
import type { ListedCompany, LoadResult, QueryState } from '../../../src/knowledge.ts';
import { noChange } from '../../../src/load_result.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { Sweeps } from '../../../src/plan/refresh/sweeps.ts';
import { listed } from '../../support/estimate_knowledge.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 100 * DAY_MS;
const AGE = { startedAtMs: NOW_MS, maxAgeMs: 30 * DAY_MS };
/** With each day, listing a company again becomes more valuable. */
const byAge = (sinceDays: number) => sinceDays;

/** A complete one-page listing that was received `daysAgo` days ago. */
function listing(text: string, rows: number, daysAgo: number, changes: Partial<QueryState> = {}): QueryState {
  return { ...listed('name', text, rows), listedAtMs: NOW_MS - daysAgo * DAY_MS, ...changes };
}

function sweepsOf(states: readonly QueryState[], pending = new Pending([])) {
  const sweeps = new Sweeps({ states, age: AGE, pending });
  return {
    sweeps,
    pending,
    offer: () => {
      const offer = sweeps.offer(NOW_MS, byAge);
      return offer === null ? null : { rows: offer.rows, sinceDays: offer.sinceDays };
    },
    take: (expected = 1) => {
      const offer = sweeps.offer(NOW_MS, byAge);
      if (offer !== null) sweeps.start(offer);
      const call = offer?.callFor(expected) ?? null;
      if (call !== null) pending.sent(call);
      return call as SearchCall;
    },
  };
}

/** Reports a sweep's page as received and releases its target. */
function learn(
  { sweeps, pending }: ReturnType<typeof sweepsOf>,
  call: SearchCall,
  state: Partial<QueryState>,
  rows: readonly Partial<ListedCompany>[] = [{}],
): void {
  const company = { entityId: 'A', name: 'A', isNew: false, changed: false };
  const query = listing(call.query.text, rows.length, 0, state);
  const result: LoadResult = {
    ...noChange({ call, verdict: { is: 'ok' } }),
    query,
    rows: rows.map((row) => ({ ...company, ...row })),
  };
  pending.landed(call);
  sweeps.learn(result);
}

test('the sweep with the highest product of rows per call and days is proposed and taken first', () => {
  // 10 · 90, 20 · 50 and 40 · 10, which is not due yet.
  const all = sweepsOf([listing('a', 10, 90), listing('b', 20, 50), listing('c', 40, 10)]);
  expect(all.offer()).toEqual({ rows: 20, sinceDays: 50 });
  expect(all.take(7)).toEqual({
    kind: 'search',
    query: { by: 'name', text: 'b' },
    page: FIRST_PAGE,
    reason: 'summaries are due again',
    expected: 7,
  });
});

test('among listings with similar numbers of rows, the oldest is repeated first', () => {
  const all = sweepsOf([listing('a', 10, 40), listing('b', 11, 90), listing('c', 12, 60)]);
  const taken = [1, 2, 3].map(() => {
    const call = all.take();
    learn(all, call, {});
    return call.query.text;
  });
  expect(taken).toEqual(['b', 'c', 'a']);
  expect([all.offer(), all.take()]).toEqual([null, null]);
});

test('a listing is not due while its age equals the maximum age exactly', () => {
  expect(sweepsOf([listing('a', 10, 30)]).offer()).toBeNull();
  expect(sweepsOf([listing('a', 10, 30.01)]).offer()).not.toBeNull();
});

test('an outdated listing is due whatever its age, but not if this run received it', () => {
  const dueAfter = (daysAgo: number) => {
    const states = [listing('', 10, daysAgo)];
    const pending = new Pending([]);
    return new Sweeps({ states, age: AGE, pending, isOutdated: () => true }).offer(NOW_MS, byAge) !== null;
  };
  expect([dueAfter(1), dueAfter(0)]).toEqual([true, false]);
});

test('an unfinished listing is repeated as far as it was read', () => {
  const all = sweepsOf([listing('a', 40, 90, { status: 'open', pages: 2 })]);
  for (const pages of [1, 2]) learn(all, all.take(), { status: 'open', pages });
  expect(all.offer()).toBeNull();
});

test('a started sweep requests its next page before another sweep starts', () => {
  const all = sweepsOf([listing('a', 10, 90), listing('b', 10, 80)]);
  const first = all.take();
  expect(all.sweeps.isSweeping(first.query)).toBe(true);
  learn(all, first, { status: 'open', pages: 1, next: 'cursor' });
  expect(all.offer()).toEqual({ rows: 10, sinceDays: 90 });
  const second = all.take();
  expect(second).toMatchObject({ query: first.query, page: { index: 1, next: 'cursor' } });
  expect(second.reason).toBe('summaries are due again: next page');
  learn(all, second, { status: 'complete', pages: 2 });
  expect(all.sweeps.isSweeping(first.query)).toBe(false);
  expect(all.take().query.text).toBe('b');
});

test("another sweep may start while a sweep's page is in flight", () => {
  const all = sweepsOf([listing('a', 10, 90), listing('b', 10, 80)]);
  expect([all.take(), all.take()].map(({ query }) => query.text)).toEqual(['a', 'b']);
  expect(all.take()).toBeNull();
});

test('a sweep that is waiting for a retry is skipped', () => {
  const waiting = {
    kind: 'search',
    target: 'name:a',
    tries: 1,
    step: 1,
    nextTryAtMs: NOW_MS + 1,
    why: '',
  } as const;
  const all = sweepsOf([listing('a', 10, 90), listing('b', 10, 80)], new Pending([waiting]));
  expect(all.take().query.text).toBe('b');
});

test('a refused query ends its sweep', () => {
  const all = sweepsOf([listing('a', 10, 90)]);
  const call = all.take();
  all.sweeps.learn(noChange({ call, verdict: { is: 'refused' } }));
  all.pending.landed(call);
  expect(all.sweeps.isSweeping(call.query)).toBe(false);
  expect(all.offer()).toBeNull();
});

test('sweeps leave out listings that discovery repeats', () => {
  const all = sweepsOf([listing('a', 10, 90)]);
  const call: SearchCall = {
    kind: 'search',
    query: { by: 'name', text: 'a' },
    page: FIRST_PAGE,
    reason: 'test',
    expected: 0,
  };
  learn(all, call, {});
  expect(all.offer()).toBeNull();
});

test('a sweep becomes less valuable when another listing shows some of its rows', () => {
  const later = (listedAtMs: number) => {
    const all = sweepsOf([listing('a', 8, 90), listing('b', 8, 91)]);
    all.take();
    const call = all.take();
    learn(all, call, { rows: 4, listedAtMs: NOW_MS - 40 * DAY_MS }, Array(4).fill({ listedAtMs }));
    return all.offer();
  };
  // The mean of 8 and the number of rows that were last listed before the midpoint between the two listings.
  expect(later(NOW_MS - 66 * DAY_MS)).toEqual({ rows: 6, sinceDays: 40 });
  expect(later(NOW_MS - 64 * DAY_MS)).toEqual({ rows: 4, sinceDays: 40 });
});

test("the oldest listing's age is taken from the listings that show the most companies", () => {
  const all = sweepsOf([listing('a', 2, 90), listing('b', 64, 50), listing('c', 64, 60)]);
  expect(all.sweeps.oldestDays(NOW_MS)).toBe(60);
  // 3 · 2 rows are more than 5.
  const small = sweepsOf([
    listing('a', 2, 80),
    listing('b', 2, 70),
    listing('c', 2, 75),
    listing('d', 5, 90),
  ]);
  expect(small.sweeps.oldestDays(NOW_MS)).toBe(80);
  expect(sweepsOf([]).sweeps.oldestDays(NOW_MS)).toBeNull();
});

test('a listing with several pages has a value that depends on its rows per page', () => {
  expect(sweepsOf([listing('a', 90, 40, { pages: 3 })]).offer()).toEqual({ rows: 30, sinceDays: 40 });
});

test('each of 2,200 listings is repeated exactly once', () => {
  const states = Array.from({ length: 2_200 }, (_, at) =>
    listing(`n${String(at).padStart(4, '0')}`, 10, 90 + at / 1e4),
  );
  const all = sweepsOf(states);
  const taken = new Set<string>();
  for (let call = all.take(); call !== null; call = all.take()) {
    taken.add(call.query.text);
    learn(all, call, {});
  }
  expect(taken.size).toBe(2_200);
});
