import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import type { PageEvidence } from '../../../src/plan/discovery/query_node.ts';
import { QueryNodes } from '../../../src/plan/discovery/query_nodes.ts';
import { UnseenCounts } from '../../../src/plan/discovery/unseen_counts.ts';
import { GivenKeySpace, openListing } from '../../support/given_key_space.ts';

const LIMITS = { pageSize: 20, window: 100 };
const COUNTED_AT_MS = 1000;

/** The estimates in a registry with the count `total`. */
function estimatesIn(space: Partial<GivenKeySpace>, total: number | null) {
  const keySpace = new GivenKeySpace(space);
  const nodes = new QueryNodes(keySpace, (node) => unseenCounts.invalidate(node));
  const unseenCounts = new UnseenCounts(keySpace, LIMITS, (query) => nodes.get(query));
  unseenCounts.setRegistryCount({ total, observedAtMs: COUNTED_AT_MS, countAt: () => null });
  const sent = (text: string, state: Partial<QueryState> = {}, page: PageEvidence | null = null) => {
    const node = Object.assign(nodes.at(text), { state: openListing(text, state), page });
    unseenCounts.invalidate(node);
    return node;
  };
  const candidates = (text = '') => {
    const node = nodes.get(text);
    return node === undefined ? [] : unseenCounts.candidatesOf(node);
  };
  const unseen = (text: string, state: Partial<QueryState>, page: PageEvidence | null = null) =>
    unseenCounts.of(sent(text, state, page));
  return { keySpace, nodes, unseenCounts, sent, candidates, unseen };
}

test("a query's unseen count is its total minus the known matches, and at most the rows not received", () => {
  const { unseen } = estimatesIn({ counts: { a: 25 } }, 1000);
  expect(unseen('a', { total: 60 }, { rows: 20, new: 5, matching: 16 })).toBe(35);
  expect(unseen('a', { total: 60, rows: 30 })).toBe(30);
  expect(unseen('a', { total: 10, rows: 0 })).toBe(0);
});

test('if fewer than half of the rows match, the share of new rows determines the unseen count', () => {
  const { unseen } = estimatesIn({ companies: 0 }, 1000);
  expect(unseen('a', { total: 60 }, { rows: 20, new: 10, matching: 9 })).toBeCloseTo((40 * 10.5) / 21);
  expect(unseen('a', {}, { rows: 20, new: 10, matching: 9 })).toBeCloseTo((20 * 10.5) / 21);
  expect(unseen('a', { total: 10 }, { rows: 20, new: 10, matching: 9 })).toBe(0);
  expect(unseen('a', { total: 60 }, { rows: 20, new: 10, matching: 10 })).toBe(40);
});

test('no company is unseen below a complete or aliased query', () => {
  const { unseen } = estimatesIn({ aliased: ['á'] }, 1000);
  expect(unseen('a', { total: 60, status: 'complete' })).toBe(0);
  expect(unseen('á', { total: 60 })).toBe(0);
});

test('until a query has a response, its estimate is its unseen count', () => {
  const { unseenCounts, nodes } = estimatesIn({}, 1000);
  const node = nodes.at('a');
  expect(unseenCounts.of(node)).toBe(0);
  node.estimate = { known: 1, unseen: 7 };
  expect(unseenCounts.of(node)).toBe(7);
});

test('for a punctuation query without known companies, the share of new companies determines the unseen count', () => {
  const { unseen } = estimatesIn({ counts: { '+': 3 } }, 1000);
  expect(unseen('-', { total: 60 }, { rows: 20, new: 10, matching: 20 })).toBe(20);
  expect(unseen('-', { total: 60 }, { rows: 20, new: 10, matching: 10 })).toBe(20);
  expect(unseen('-', { total: 60 }, { rows: 0, new: 0, matching: 0 })).toBe(0);
  expect(unseen('+', { total: 60 }, { rows: 20, new: 10, matching: 20 })).toBe(40);
});

test('a punctuation query that the upstream refuses, drops or interprets matches no unseen company', () => {
  const { unseen } = estimatesIn({ counts: { '+': 3 } }, 1000);
  expect(unseen('-', { total: 60, rows: 0, status: 'refused' })).toBe(0);
  expect(unseen('-', { total: 60 }, { rows: 20, new: 20, matching: 9 })).toBe(0);
  // Another process received more rows than there are known matches.
  expect(unseen('+', { total: 60, rows: 4 })).toBe(0);
  expect(unseen('+', { total: 60, rows: 3 })).toBe(57);
});

/** 50 of 100 companies are known. The weights of the unsent queries are 20 + 2.5 · 0.2 and 5 + 2.5 · 0.4. */
const FIFTY_OF_100 = {
  companies: 50,
  counts: { a: 25, b: 20, c: 5 },
  spreads: { '': { distinct: 2, perCompany: 1 } },
  likelihoods: { '': { a: 0.4, b: 0.2, c: 0.4 } },
} as const;

test('unseen companies that sent queries do not account for are divided by weight', () => {
  const { sent, candidates } = estimatesIn(FIFTY_OF_100, 100);
  sent('a', { total: 55 });
  // `a` accounts for 30 of the 50 unseen companies.
  expect(candidates()).toEqual([
    { text: 'b', known: 20, kind: 'seen', unseen: expect.closeTo((20 * 20.5) / 26.5), chance: 1 },
    { text: 'c', known: 5, kind: 'seen', unseen: expect.closeTo((20 * 6) / 26.5), chance: 1 },
  ]);
});

test('if companies match several extensions, each unseen company counts several times', () => {
  const spreads = { '': { distinct: 2, perCompany: 1.5 } };
  const { sent, candidates } = estimatesIn({ ...FIFTY_OF_100, spreads }, 100);
  sent('a', { total: 55 });
  expect(candidates()[1]?.unseen).toBeCloseTo(((50 * 1.5 - 30) * 6) / 26.5);
});

test("a candidate's unseen count is at most that of its parent and of each query that covers it", () => {
  const { sent, candidates } = estimatesIn(
    {
      spreads: { a: { distinct: 1, perCompany: 4 } },
      likelihoods: { a: { ab: 0.9, ac: 0.1 } },
      coveredBy: { ac: ['c', 'd', 'e', 'f', 'g', 'h'] },
      counts: { c: 4 },
      aliased: ['h'],
    },
    1000,
  );
  sent('a', { total: 30, rows: 0 });
  sent('c', { total: 6, rows: 0, listedAtMs: COUNTED_AT_MS });
  sent('d', { total: 20, rows: 0 });
  // These listings prove nothing: they are outdated, have no total, or are aliased.
  sent('e', { total: 1, rows: 0, listedAtMs: COUNTED_AT_MS - 1 });
  sent('f', {});
  sent('h', { total: 1, rows: 0 });
  expect(candidates('a').map(({ unseen }) => unseen)).toEqual([30, 2]);
});

test('an unanswered query proves nothing about the queries that it covers', () => {
  const { sent, nodes, candidates } = estimatesIn(
    { likelihoods: { a: { ab: 1 } }, coveredBy: { ab: ['b'] } },
    1000,
  );
  sent('a', { total: 30, rows: 0 });
  nodes.at('b').estimate = { known: 0, unseen: 1 };
  expect(candidates('a')[0]?.unseen).toBe(30);
});

test('an identifier candidate may match no unseen company, and its chance has a negative binomial distribution', () => {
  const { candidates } = estimatesIn({ ...FIFTY_OF_100, by: 'identifier' }, 100);
  const chances = candidates().map(({ chance }) => chance);
  // 50 companies are unexplained (`G`). The extensions have the weights 25 + 2.5 · 0.4, 20.5 and 6.
  const ratio = 1 + 50 / 52.5;
  expect(chances).toEqual([26, 20.5, 6].map((weight) => expect.closeTo(1 - ratio ** -weight)));
});

test("a candidate's kind depends on its known companies, its last character and its words", () => {
  const { candidates, keySpace, unseenCounts } = estimatesIn(
    { ...FIFTY_OF_100, counts: { a: 1, 'a b': 1 }, newCharacters: ['c'], takesPairs: true },
    100,
  );
  keySpace.likelihoods = { '': { a: 0.4, b: 0.2, c: 0.3, 'a b': 0.1 } };
  unseenCounts.invalidate(null);
  expect(candidates().map(({ kind }) => kind)).toEqual(['seen', 'unseen', 'new character', 'pair']);
  expect(unseenCounts.unseenInAll).toBe(50);
});

test('a query with a space is a pair only if the upstream takes pairs', () => {
  const { candidates } = estimatesIn({ companies: 1, likelihoods: { '': { 'a b': 1 } } }, 100);
  expect(candidates()).toMatchObject([{ text: 'a b', kind: 'unseen' }]);
});

test('a query listed before the registry count is a candidate again, with its own weight', () => {
  const { sent, candidates } = estimatesIn(FIFTY_OF_100, 100);
  sent('a', { total: 25, rows: 25, status: 'complete', listedAtMs: COUNTED_AT_MS - 1 });
  // The weights are 25.5 for `a`, 20.5 for `b` and 6 for `c`.
  expect(candidates().at(-1)).toEqual({
    ...{ text: 'a', known: 25, kind: 'repeat', unseen: expect.closeTo((50 * 25.5) / 52), chance: 1 },
  });
});

test('a query without a total gets its share of the companies that its siblings do not account for', () => {
  const { sent, unseenCounts } = estimatesIn(FIFTY_OF_100, 100);
  sent('a', { total: 55 });
  const b = sent('b');
  // The weights are 20 + ½ for `b` and 6 for `c`.
  expect(unseenCounts.of(b)).toBeCloseTo((20 * 20.5) / 26.5);
  sent('a', { total: 90 });
  expect(unseenCounts.of(b)).toBe(0);
});

test("without a registry count, the sent queries' totals are extrapolated to the other queries", () => {
  const { sent, unseenCounts, nodes } = estimatesIn({ ...FIFTY_OF_100, companies: 30 }, null);
  sent('a', { total: 45 });
  sent('d');
  nodes.at('e').estimate = { known: 1, unseen: 500 };
  // `a` has 20 unseen companies. The others have 45 · (1 − 0.4) / 0.4 − 25.
  expect(unseenCounts.of(nodes.root)).toBeCloseTo(20 + 42.5);
  sent('b', { total: 20, status: 'complete' });
  // (45 + 20) · (1 − 0.6) / 0.6 − 5
  expect(unseenCounts.of(nodes.root)).toBeCloseTo(20 + 38.333, 2);
  expect(unseenCounts.unseenInAll).toBe(30);
});

test('the extrapolation counts earlier queries and divides by the number of matching queries per company', () => {
  const { sent, unseenCounts, nodes } = estimatesIn(
    {
      ...FIFTY_OF_100,
      spreads: { '': { distinct: 2, perCompany: 2 } },
      others: { '': { sentLikelihood: 0.4 } },
      counts: {},
    },
    null,
  );
  sent('a', { total: 240, rows: 0 });
  expect(unseenCounts.of(nodes.root)).toBeCloseTo((240 + 240 * 0.25) / 2);
});

test('totals are not extrapolated if the sent queries have less than 2% of the probability', () => {
  const unseenAt = (likelihood: number) => {
    const { sent, unseenCounts, nodes } = estimatesIn({ likelihoods: { '': { a: likelihood } } }, null);
    sent('a', { total: 80, rows: 0 });
    return unseenCounts.of(nodes.root);
  };
  expect(unseenAt(0.019)).toBe(80);
  expect(unseenAt(0.02)).toBeCloseTo(80 + 80 * 49);
});
