import { expect, test } from 'vitest';
import type { SearchCall } from '../../../src/call.ts';
import type { QueryState } from '../../../src/knowledge.ts';
import type { PageEvidence } from '../../../src/plan/discovery/query_node.ts';
import { QueryTree } from '../../../src/plan/discovery/query_tree.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { GivenKeySpace, openListing, taken, waitingSearch } from '../../support/given_key_space.ts';

const NOW_MS = 5000;

interface Given {
  readonly total?: number;
  readonly listsAll?: boolean;
  readonly window?: number;
  /** The responses from earlier runs. */
  readonly earlier?: readonly QueryState[];
}

/** The query tree for a registry of 100 companies, unless `total` is given. */
function treeIn(space: Partial<GivenKeySpace>, given: Given = {}) {
  const { total = 100, listsAll = false, window = 100, earlier = [] } = given;
  const keySpace = new GivenKeySpace(space);
  const pending = new Pending([]);
  const tree = new QueryTree({ keySpace, limits: { pageSize: 20, window }, pending, listsAll });
  const setTotal = (count: number, observedAtMs = 1000) =>
    tree.setRegistryCount({ total: count, observedAtMs, countAt: () => null });
  setTotal(total);
  tree.start(earlier);
  const choose = (most = 1, nowMs = NOW_MS) => taken(most, () => tree.next(nowMs));
  const sure = (most = 1, nowMs = NOW_MS) => taken(most, () => tree.nextSurePage(nowMs));
  const textsOf = (calls: readonly SearchCall[]) => calls.map(({ query }) => query.text);
  const next = (most = 1, nowMs = NOW_MS) => textsOf(choose(most, nowMs));
  /** Receives the response to the next call. */
  const respond = (state: Partial<QueryState>, page: PageEvidence = ALL_NEW) => {
    const [call] = choose();
    if (call === undefined) throw new Error('no call');
    pending.landed(call);
    tree.recordResponse(openListing(call.query.text, state), page);
  };
  return { keySpace, pending, tree, choose, sure, next, respond, setTotal };
}

const ALL_NEW: PageEvidence = { rows: 20, new: 20, matching: 20 };

/** 50 companies are known. The weights are 25 + 2.5 · 0.4 for `a`, 20.5 for `b` and 6 for `c`, and the sum is 52.5. */
const FIFTY = {
  companies: 50,
  counts: { a: 25, b: 20, c: 5 },
  spreads: { '': { distinct: 2, perCompany: 1 } },
  likelihoods: { '': { a: 0.4, b: 0.2, c: 0.4 } },
} as const;
// Each query's unseen companies, divided by its number of pages.
const YIELDS = { a: (50 * 26) / 52.5 / 3, b: (50 * 20.5) / 52.5 / 2, c: (50 * 6) / 52.5 };

test('the query tree chooses the queries with the most new companies per call first', () => {
  const { choose, tree } = treeIn(FIFTY);
  expect(tree.bestYield).toBeCloseTo(YIELDS.b);
  expect(tree.bestYield).toBeCloseTo(YIELDS.b);
  const [first, second, third, ...rest] = choose(4);
  expect(first).toEqual({
    ...{ kind: 'search', query: { by: 'name', text: 'b' }, page: { index: 0, next: null } },
    ...{ reason: 'new query', expected: 9.762 },
  });
  expect(second).toMatchObject({ query: { text: 'a' }, expected: 8.254 });
  expect(third).toMatchObject({ query: { text: 'c' }, expected: 5.714 });
  expect(rest).toEqual([]);
  expect(tree.bestYield).toBe(0);
});

test('the query tree chooses no more calls than requested, and none twice', () => {
  const { next } = treeIn(FIFTY);
  expect([next(2), next(2), next(2)]).toEqual([['b', 'a'], ['c'], []]);
});

test('a query that waits for a retry is skipped until the retry is due', () => {
  const { next, pending } = treeIn(FIFTY);
  pending.wait(waitingSearch('name:b', NOW_MS + 10));
  expect(next()).toEqual(['a']);
  expect(next(1, NOW_MS + 9)).toEqual(['c']);
  expect(next(1, NOW_MS + 9)).toEqual([]);
  expect(next(1, NOW_MS + 10)).toEqual(['b']);
});

test("a failed call's query is chosen again once it is reconsidered", () => {
  const { choose, next, pending, tree } = treeIn(FIFTY);
  const [b] = choose(3);
  if (b !== undefined) pending.landed(b);
  expect(next()).toEqual([]);
  tree.reconsider({ by: 'name', text: 'unknown' });
  expect(next()).toEqual([]);
  tree.reconsider({ by: 'name', text: 'b' });
  expect(next()).toEqual(['b']);
});

test('the query tree reads a listing below the cap to the end', () => {
  const { respond, choose } = treeIn({ ...FIFTY, companies: 99, counts: { b: 20 } });
  respond({ total: 41, rows: 20, next: 'cursor' });
  expect(choose()).toMatchObject([
    { query: { text: 'b' }, page: { index: 1, next: 'cursor' }, reason: 'next page' },
  ]);
});

/** `a` has 10 known companies, and all its unseen companies match `ab` or `ac`. */
const UNDER_A = {
  companies: 20,
  counts: { a: 10, ab: 10 },
  spreads: { a: { distinct: 1, perCompany: 1 } },
  likelihoods: { '': { a: 1 }, a: { ab: 0.8, ac: 0.2 } },
};

test('a truncated query is split into its extensions', () => {
  const { respond, choose } = treeIn(UNDER_A, { total: 1000 });
  respond({ total: 500, rows: 20 });
  expect(choose(2)).toMatchObject([
    { query: { text: 'ab' }, reason: 'splits a' },
    { query: { text: 'ac' }, reason: 'splits a' },
  ]);
});

test('a truncated query is listed first if each extension has few unseen companies', () => {
  // 80 rows below the cap have not been received, and each extension has less than 30% of a page.
  const many = Array.from({ length: 40 }, (_, at) => [`a${at}`, 1 / 40] as const);
  const space = { ...UNDER_A, counts: {}, likelihoods: { '': { a: 1 }, a: Object.fromEntries(many) } };
  const { respond, choose } = treeIn(space, { total: 1000 });
  respond({ total: 140, rows: 20 });
  expect(choose()).toMatchObject([{ query: { text: 'a' }, reason: 'next page' }]);
});

/** The word `a` is truncated. Pairs of words can be sent if `wordsWithPairs` holds it. */
const PAIRS = {
  takesPairs: true,
  wordsWithPairs: ['a'],
  companies: 200,
  counts: { a: 100, ab: 90, 'a b': 50 },
  likelihoods: { '': { a: 1 }, a: { ab: 1 }, 'a ': { 'a b': 1 } },
};

test('a truncated word is split into pairs if at least half of its companies have the whole word', () => {
  const partsOf = (space: Partial<GivenKeySpace>, state: Partial<QueryState> = {}) => {
    const { respond, choose } = treeIn({ ...PAIRS, ...space }, { total: 1000 });
    respond({ total: 500, rows: 20, ...state });
    const parts = choose(3).filter(({ reason }) => reason === 'splits a');
    return parts.map(({ query }) => query.text).toSorted();
  };
  expect(partsOf({ endings: { a: 50 } })).toEqual(['a b', 'ab']);
  expect(partsOf({ endings: { a: 50 } }, { status: 'capped', total: null })).toEqual(['a b', 'ab']);
  expect(partsOf({ endings: { a: 49 } })).toEqual(['ab']);
  expect(partsOf({ endings: { a: 50 }, wordsWithPairs: [] })).toEqual(['ab']);
  expect(partsOf({ endings: { a: 50 }, takesPairs: false })).toEqual(['ab']);
  // The cap is 100.
  expect(partsOf({ endings: { a: 50 }, overlaps: true }, { total: 100 })).not.toContain('a b');
});

test("earlier responses to pairs are used only if the first word's pairs are counted", () => {
  const earlier = [
    openListing('a b', { total: 80, rows: 0 }),
    openListing('a', { total: 500, rows: 0, status: 'capped' }),
  ];
  const textsWith = (space: Partial<GivenKeySpace>) =>
    treeIn({ ...PAIRS, ...space, likelihoods: {} }, { total: 1000, earlier }).next(2);
  expect(textsWith({})).toEqual(['a b']);
  expect(textsWith({ wordsWithPairs: [] })).toEqual([]);
  expect(textsWith({ wordsWithPairs: [], takesPairs: false })).toEqual(['a b']);
});

test('earlier responses are added to the query tree, shortest query first', () => {
  const earlier = [openListing('ab', { total: 70, rows: 70 }), openListing('a', { total: 70, rows: 70 })];
  const { next } = treeIn(
    { companies: 50, counts: { a: 70, ab: 70 }, likelihoods: { '': { c: 1 } } },
    { total: 100, earlier },
  );
  expect(next(2)).toEqual(['c']);
});

test('a response to the empty query is used only if that query lists every company', () => {
  const earlier = [openListing('', { total: 80, rows: 20 })];
  const textsWith = (listsAll: boolean) =>
    treeIn({ companies: 20 }, { total: 80, listsAll, earlier }).choose();
  expect(textsWith(true)).toMatchObject([{ query: { text: '' }, page: { index: 1 } }]);
  expect(textsWith(false)).toEqual([]);
  const { tree, next } = treeIn({ companies: 20 }, { total: 80 });
  tree.recordResponse(openListing('', { total: 80, rows: 20 }), ALL_NEW);
  expect(next()).toEqual([]);
});

test('while a page of all companies is in flight, the query tree chooses no other call', () => {
  const earlier = [openListing('b', { total: 25 })];
  const { tree, next } = treeIn({ ...FIFTY, companies: 20 }, { total: 80, listsAll: true, earlier });
  expect(tree.isListingAll).toBe(false);
  // 60 of the 80 companies are unseen.
  expect(tree.emptyQueryYield(NOW_MS)).toBeCloseTo(15);
  expect(next(3)).toEqual(['']);
  expect(tree.isListingAll).toBe(true);
  expect(tree.emptyQueryYield(NOW_MS)).toBe(0);
  expect(next(3)).toEqual([]);
});

test('while a page of a registry above the cap is in flight, the query tree chooses other queries', () => {
  const earlier = [openListing('b', { total: 25 })];
  const { tree, next } = treeIn({ ...FIFTY, companies: 20 }, { total: 200, listsAll: true, earlier });
  expect(next(2)).toEqual(['', 'b']);
  expect(tree.isListingAll).toBe(false);
});

test('the empty query has no yield if the queries below it are better', () => {
  const { tree } = treeIn({ ...FIFTY, companies: 79, counts: { a: 10 } }, { total: 80, listsAll: true });
  expect(tree.emptyQueryYield(NOW_MS)).toBe(0);
  expect(tree.bestYield).toBeGreaterThan(0.25);
});

test('responses to one kind of call correct later predictions of that kind', () => {
  const { respond, tree } = treeIn({ ...FIFTY, counts: { ...FIFTY.counts, b: 22 } });
  const before = tree.bestYield;
  respond({ total: 22, rows: 22, status: 'complete' }, { rows: 22, new: 0, matching: 22 });
  // Half of the registry is still missing, and `a` comes next.
  expect(tree.bestYield).toBeLessThan(before / 4);
});

test('a query listed before the registry count is repeated, and is skipped while it waits for a retry', () => {
  const earlier = [openListing('a', { total: 25, rows: 25, status: 'complete', listedAtMs: 999 })];
  const space = { companies: 50, counts: { a: 25, b: 3 }, likelihoods: { '': { b: 1 } } };
  const { choose } = treeIn(space, { earlier });
  expect(choose(2)).toMatchObject([
    { query: { text: 'b' } },
    { query: { text: 'a' }, page: { index: 0, next: null }, reason: 'repeated to find new companies' },
  ]);
  const waiting = treeIn(space, { earlier });
  waiting.pending.wait(waitingSearch('name:a', NOW_MS + 10));
  expect(waiting.next(3)).toEqual(['b']);
});

test('companies found elsewhere change the estimates, and a company below the root changes its extensions', () => {
  const { keySpace, tree } = treeIn(FIFTY, { earlier: [openListing('a', { total: 25, rows: 25 })] });
  expect(tree.bestYield).toBeGreaterThan(0);
  const computedAfter = (texts: readonly string[]) => {
    keySpace.extended.length = 0;
    tree.addFound(texts);
    expect(tree.bestYield).toBeGreaterThan(0);
    return keySpace.extended.includes('');
  };
  expect(computedAfter(['abel'])).toBe(false);
  expect(computedAfter(['abel', 'dune'])).toBe(true);
  keySpace.companies = 100;
  tree.addFound(['abel']);
  expect([tree.bestYield, tree.unseenInAll]).toEqual([0, 0]);
});

test('a higher registry count makes the queries candidates again', () => {
  const { tree, setTotal, next } = treeIn(FIFTY, { total: 50 });
  expect(next()).toEqual([]);
  setTotal(50);
  setTotal(100);
  expect(tree.unseenInAll).toBe(50);
  expect(next()).toEqual(['b']);
});

test('sure pages are the next pages of listings with unseen companies below the cap, best first', () => {
  const { sure, pending } = treeIn(
    { companies: 50, counts: { a: 20, b: 20, c: 20 } },
    {
      total: 1000,
      earlier: [
        ...[
          openListing('a', { total: 25 }),
          openListing('b', { total: 40 }),
          openListing('c', { total: 101 }),
        ],
        ...[openListing('d', { total: 20, status: 'complete' }), openListing('e', { total: 90, rows: 20 })],
      ],
    },
  );
  pending.wait(waitingSearch('name:e#1', NOW_MS + 10));
  expect(sure()).toMatchObject([
    { query: { text: 'b' }, page: { index: 1 }, reason: 'next page', expected: 20 },
  ]);
  expect(sure(9)).toMatchObject([{ query: { text: 'a' }, expected: 5 }]);
  expect(sure(9)).toEqual([]);
  expect(sure(9, NOW_MS + 10)).toMatchObject([{ query: { text: 'e' } }]);
});

test('the inventory stays open until every new character has been sent', () => {
  const space = { hasInventory: true, likelihoods: { '': { z: 1 } }, newCharacters: ['z'] };
  const { tree } = treeIn(space);
  expect(tree.isInventoryOpen).toBe(true);
  tree.next(NOW_MS);
  expect(tree.isInventoryOpen).toBe(false);
  expect(treeIn({ ...space, hasInventory: false }).tree.isInventoryOpen).toBe(false);
});
