import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { ExtensionWeights } from '../../../src/plan/discovery/extension_weights.ts';
import { QueryNodes } from '../../../src/plan/discovery/query_nodes.ts';
import { RegistryUnseen } from '../../../src/plan/discovery/registry_unseen.ts';
import { Revisions } from '../../../src/plan/discovery/revisions.ts';
import { UnderstatedListings } from '../../../src/plan/discovery/understated_listings.ts';
import { GivenKeySpace, openListing } from '../../support/given_key_space.ts';

const COUNTED_AT_MS = 1000;

interface Given {
  /** The registry count at each time, of which the last is the current one. */
  readonly counts?: Readonly<Record<number, number>>;
  /** The upper bound on a query's unseen count. */
  readonly mostUnseen?: Readonly<Record<string, number>>;
}

function weightsIn(space: Partial<GivenKeySpace>, { counts = {}, mostUnseen = {} }: Given = {}) {
  const keySpace = new GivenKeySpace(space);
  const revisions = new Revisions(keySpace);
  const nodes = new QueryNodes(keySpace, (node) => revisions.invalidate(node));
  const registry = new RegistryUnseen(keySpace, { pageSize: 20, window: 100 });
  const countAt = (atMs: number) => counts[atMs] ?? null;
  registry.setCount({ total: countAt(COUNTED_AT_MS), observedAtMs: COUNTED_AT_MS, countAt });
  const weights = new ExtensionWeights({
    ...{ keySpace, registry, revisions, understated: new UnderstatedListings(keySpace) },
    isSent: (query) => nodes.has(query),
    mostUnseen: (query) => mostUnseen[query] ?? Number.POSITIVE_INFINITY,
  });
  const sent = (text: string, state: Partial<QueryState>) => {
    const node = nodes.at(text);
    node.state = openListing(text, state);
    revisions.invalidate(node);
    return node;
  };
  return { keySpace, revisions, nodes, weights, sent };
}

/** The weight for the query `a`, of which the name model contributes 3 + ½. */
const UNDER_A = {
  spreads: { a: { distinct: 3, perCompany: 1 }, '': { distinct: 1, perCompany: 1 } },
  counts: { ab: 5 },
  endings: { a: 2, '': 2 },
  likelihoods: { a: { ab: 0.4, ac: 0.1 }, '': { b: 0.5 } },
  others: { a: { otherLikelihood: 0.2 } },
};

test("a query's weight is the sum for unsent extensions, extensions not offered, and exact matches", () => {
  const { weights, sent } = weightsIn(UNDER_A);
  const a = sent('a', { total: 60 });
  // (5 + 3.5 · 0.4) + 3.5 · 0.1 for the extensions, 3.5 · 0.2 for those not offered, and 2 exact matches.
  expect(weights.weigh(a).sum).toBeCloseTo(6.4 + 0.35 + 0.7 + 2);
  expect(weights.weigh(a).model).toBe(3.5);
});

test('an extension has no weight if it was sent, or if another query proves that it is empty', () => {
  const { weights, sent } = weightsIn(UNDER_A, { mostUnseen: { ac: 0 } });
  const a = sent('a', { total: 60 });
  sent('ab', { total: 20 });
  expect(weights.weigh(a).sum).toBeCloseTo(0.7 + 2);
});

test('exact matches have no weight below the root, nor below a word that is split into pairs', () => {
  const { weights, nodes, sent } = weightsIn({ ...UNDER_A, takesPairs: true });
  // `b` is unsent: 1.5 · 0.5.
  expect(weights.weigh(nodes.root).sum).toBeCloseTo(0.75);
  const a = sent('a', { total: 60 });
  nodes.at('a b');
  // The pair root `a ` has neither companies nor extensions.
  expect(weights.weigh(a).sum).toBeCloseTo(6.4 + 0.35 + 0.7);
});

test("the sum of a query's weights is never 0", () => {
  const { weights, nodes } = weightsIn({});
  expect(weights.weigh(nodes.root).sum).toBe(1e-9);
});

test('an extension without a total is weighted by its known companies, and once listed by its own extensions', () => {
  const { weights, sent } = weightsIn({
    counts: { ab: 5, abc: 4 },
    spreads: { ab: { distinct: 1, perCompany: 1 } },
    likelihoods: { ab: { abc: 1 } },
  });
  const a = sent('a', { total: 60 });
  sent('ab', { status: 'open' });
  expect(weights.weigh(a).sum).toBeCloseTo(5 + 0.5);
  sent('ab', { status: 'capped' });
  expect(weights.weigh(a).sum).toBeCloseTo(4 + 1.5);
});

test("a pair root's weight is divided by the number of second words per company", () => {
  const { weights, nodes, sent } = weightsIn({
    takesPairs: true,
    counts: { 'a b': 4 },
    spreads: { 'a ': { distinct: 1, perCompany: 2 } },
    likelihoods: { 'a ': { 'a b': 1 } },
  });
  sent('a', { total: 60 });
  const pairRoot = nodes.at('a ');
  expect(weights.weigh(pairRoot).sum).toBeCloseTo(5.5);
  expect(weights.weightOf(pairRoot)).toBeCloseTo(5.5 / 2);
});

test('in an overlapping key space, a counted extension keeps a small weight', () => {
  const { weights, sent } = weightsIn({ overlaps: true, counts: { ab: 500, ac: 10 } });
  const a = sent('a', { total: 600 });
  sent('ab', { total: 500 });
  sent('ac', {});
  expect(weights.weigh(a).sum).toBeCloseTo(0.003 * 500 + 10.5);
});

test('a query counts as counted if it has a total, a complete listing or an alias', () => {
  const { weights, nodes, sent } = weightsIn({ aliased: ['á'] });
  const isCounted = (text: string, state: Partial<QueryState>) => weights.isCounted(sent(text, state));
  expect(isCounted('a', { total: 30 })).toBe(true);
  expect(isCounted('b', { status: 'complete' })).toBe(true);
  expect(isCounted('á', {})).toBe(true);
  expect(isCounted('c', {})).toBe(false);
  expect(isCounted('d', { status: 'capped' })).toBe(false);
  expect(weights.isCounted(nodes.at('e'))).toBe(true);
  expect(weights.isCounted(nodes.at('e '))).toBe(false);
});

test('queries counted before the registry get a weight for companies that joined later', () => {
  const { weights, nodes, sent } = weightsIn(
    {
      companies: 50,
      counts: { a: 4, b: 2, c: 3 },
      spreads: { '': { distinct: 1, perCompany: 1 } },
      likelihoods: { '': { c: 0.5 } },
    },
    // 50 companies are unseen. 10 of them joined after `a` was listed, and 25 after `b` was listed.
    { counts: { 900: 90, 800: 75, [COUNTED_AT_MS]: 100 } },
  );
  sent('a', { total: 4, rows: 4, status: 'complete', listedAtMs: 900 });
  sent('b', { total: 2, rows: 2, status: 'complete', listedAtMs: 800 });
  sent('d', { total: 1, rows: 1, status: 'complete', listedAtMs: COUNTED_AT_MS });
  const { sum, outdated } = weights.weigh(nodes.root);
  const others = 3 + 1.5 * 0.5;
  expect([...outdated.keys()]).toEqual(['a', 'b']);
  expect(outdated.get('a')).toBeCloseTo(0.2 * 4.5);
  expect(outdated.get('b')).toBeCloseTo(0.5 * 2.5);
  expect(sum).toBeCloseTo(others + 0.2 * 4.5 + 0.5 * 2.5);
});

test('an outdated query without a total is not weighted twice, and a planned query is not outdated', () => {
  const { weights, nodes, sent } = weightsIn({ counts: { a: 4, b: 9 } });
  sent('a', { listedAtMs: 900 });
  sent('b', { total: 9, listedAtMs: 900 }).prediction = { kind: 'repeat', expectedYield: 1 };
  expect(weights.weigh(nodes.root)).toMatchObject({ sum: 4.5, outdated: new Map([['a', 4.5]]) });
});

test('a listing with too few rows is weighted by its known companies, whenever it was received', () => {
  const { weights, nodes, sent } = weightsIn(
    { companies: 50, counts: { a: 9, b: 8, c: 3 }, likelihoods: { '': { c: 0 } } },
    { counts: { 2000: 90, [COUNTED_AT_MS]: 100 } },
  );
  for (const text of ['a', 'b']) sent(text, { total: 1, rows: 1, status: 'complete', listedAtMs: 2000 });
  expect(weights.weigh(nodes.root)).toMatchObject({ sum: 3 + 9.5, outdated: new Map([['a', 9.5]]) });
});

test('a pair is outdated if its listing is older than the listing of its first word', () => {
  const { weights, nodes, sent } = weightsIn({ takesPairs: true, counts: { 'a b': 4, 'a c': 6 } });
  sent('a', { total: 60, listedAtMs: 2000 });
  sent('a b', { total: 4, listedAtMs: 1999 });
  sent('a c', { total: 6, listedAtMs: 2000 });
  expect(weights.weigh(nodes.at('a ')).outdated).toEqual(new Map([['a b', 4.5]]));
});

test('extensions are computed again only if something has changed and few unsent extensions are left', () => {
  const likelihoods = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`a${at}`, 0.01]));
  const { weights, keySpace, nodes, sent } = weightsIn({
    companies: 100,
    likelihoods: { a: likelihoods },
    others: { a: { isTruncated: true } },
  });
  const a = sent('a', {});
  weights.extensionsOf(a);
  // 20 unsent extensions remain.
  nodes.at('a0');
  weights.extensionsOf(a);
  expect(keySpace.extended).toEqual(['a']);
  nodes.at('a1');
  weights.extensionsOf(a);
  weights.extensionsOf(a);
  expect(keySpace.extended).toEqual(['a', 'a']);
});

test('if all extensions were sent, they are computed again only after a company is found', () => {
  const { weights, keySpace, revisions, nodes, sent } = weightsIn({
    companies: 100,
    likelihoods: { a: { ab: 1 } },
  });
  const a = sent('a', {});
  weights.extensionsOf(a);
  nodes.at('ab');
  weights.extensionsOf(a);
  expect(keySpace.extended).toHaveLength(1);
  keySpace.companies = 101;
  revisions.invalidate(null);
  weights.extensionsOf(a);
  expect(keySpace.extended).toHaveLength(2);
});

test('extensions are computed again after enough more known companies, a further alphabet or an alias', () => {
  const { weights, keySpace, revisions, sent } = weightsIn(
    { companies: 10, likelihoods: { a: { ab: 0.5, ac: 0.5 } } },
    { counts: { [COUNTED_AT_MS]: 22 } },
  );
  const a = sent('a', {});
  const computedAfter = (change: Partial<GivenKeySpace>) => {
    Object.assign(keySpace, change);
    revisions.invalidate(null);
    weights.extensionsOf(a);
    return keySpace.extended.length;
  };
  expect(computedAfter({})).toBe(1);
  expect(computedAfter({ companies: 11 })).toBe(1);
  expect(computedAfter({ companies: 12 })).toBe(2);
  expect(computedAfter({ companies: 20 })).toBe(3);
  expect(computedAfter({ companies: 21 })).toBe(3);
  // One company is left. If queries overlap, one more known company may add queries that find it.
  expect(computedAfter({ overlaps: true })).toBe(4);
  expect(computedAfter({ alphabets: 1 })).toBe(5);
  expect(computedAfter({})).toBe(5);
  expect(computedAfter({ aliased: ['ab'] })).toBe(6);
});

test("a query's weights are computed again only after a change", () => {
  const { weights, keySpace, revisions, sent } = weightsIn({ endings: { a: 2 } });
  const a = sent('a', {});
  expect(weights.weigh(a).sum).toBe(2);
  keySpace.endings = { a: 3 };
  expect(weights.weigh(a).sum).toBe(2);
  revisions.invalidate(a);
  expect(weights.weigh(a).sum).toBe(3);
});
