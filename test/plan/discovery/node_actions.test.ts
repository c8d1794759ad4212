import { expect, test } from 'vitest';
import type { SearchCall } from '../../../src/call.ts';
import type { QueryState } from '../../../src/knowledge.ts';
import { NodeActions } from '../../../src/plan/discovery/node_actions.ts';
import type { PageEvidence, QueryNode } from '../../../src/plan/discovery/query_node.ts';
import { QueryNodes } from '../../../src/plan/discovery/query_nodes.ts';
import { UnseenCounts } from '../../../src/plan/discovery/unseen_counts.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { GivenKeySpace, openListing, waitingSearch } from '../../support/given_key_space.ts';

const LIMITS = { pageSize: 20, window: 100 };
const NOW_MS = 5000;

/** The actions in a registry of 1,000 companies, unless `total` is given. */
function actionsIn(space: Partial<GivenKeySpace> = {}, { listsAll = false, total = 1000 } = {}) {
  const keySpace = new GivenKeySpace(space);
  const nodes = new QueryNodes(keySpace, (node) => unseenCounts.invalidate(node));
  const unseenCounts = new UnseenCounts(keySpace, LIMITS, (query) => nodes.get(query));
  unseenCounts.setRegistryCount({ total, observedAtMs: 0, countAt: () => null });
  const pending = new Pending([]);
  const actions = new NodeActions({ keySpace, limits: LIMITS, pending, unseenCounts, listsAll });
  const sent = (text: string, state: Partial<QueryState> = {}): QueryNode => {
    const node = Object.assign(text === '' ? nodes.root : nodes.at(text), {
      state: openListing(text, state),
    });
    unseenCounts.invalidate(node);
    return node;
  };
  const bestOf = (node: QueryNode) => actions.bestOf(node, NOW_MS);
  return { nodes, pending, actions, sent, bestOf };
}

/** A query with 60 matches, 10 of which are known. 20 rows have been received, so 40 unseen companies are expected. */
const OPEN = { total: 60, rows: 20 };
/** A query with 200 matches, which exceed the cap of 100. */
const TRUNCATED = { total: 200, rows: 20 };
/** The query `a` has 10 known companies, and its extension `ab` gets all of its unseen companies. */
const UNDER_A = { counts: { a: 10, ab: 10 }, likelihoods: { a: { ab: 1 } } };

function breadthOf(unseen: number): number {
  return (1 + Math.min(unseen, 100) / 20) ** 0.15;
}

test("a query's score is its next page's yield, and is higher for a broad query", () => {
  const { sent, bestOf } = actionsIn(UNDER_A);
  expect(bestOf(sent('a', OPEN))).toEqual({
    ...{ candidate: null, prediction: { kind: 'page', expectedYield: 20 }, expectedYield: 20 },
    score: expect.closeTo(20 * 3 ** 0.15),
  });
});

test("a query's breadth counts unseen companies up to the cap", () => {
  const { sent, bestOf, actions } = actionsIn({ counts: { a: 10, ab: 10 } });
  const a = sent('a', TRUNCATED);
  expect(bestOf(a)?.score).toBeCloseTo(20 * 6 ** 0.15);
  expect(actions.upperBound(a)).toBeCloseTo(20 * 6 ** 0.15);
});

test("the upper bound on a query's score is one page of unseen companies", () => {
  const { sent, actions } = actionsIn();
  expect(actions.upperBound(sent('a', OPEN))).toBeCloseTo(20 * breadthOf(40));
  expect(actions.upperBound(sent('b', { total: 26, rows: 20 }))).toBeCloseTo(6 * breadthOf(6));
  expect(actions.upperBound(sent('c', { status: 'complete' }))).toBe(0);
});

test('an unanswered query keeps its earlier prediction, or has the lowest yield', () => {
  const { nodes, actions, bestOf } = actionsIn();
  const node = nodes.at('a');
  node.estimate = { known: 1, unseen: 40 };
  expect(bestOf(node)).toMatchObject({ prediction: { kind: 'seen', expectedYield: 1e-6 }, candidate: null });
  expect(actions.upperBound(node)).toBeCloseTo(1e-6 * breadthOf(40), 12);
  node.prediction = { kind: 'unseen', expectedYield: 3 };
  expect(bestOf(node)).toMatchObject({ expectedYield: 3, score: 3 * breadthOf(40) });
  expect(actions.upperBound(node)).toBe(3 * breadthOf(40));
});

test('a query without unseen companies has no action', () => {
  const { sent, bestOf } = actionsIn({ counts: { a: 60 } });
  expect(bestOf(sent('a', OPEN))).toBeNull();
});

test('a truncated query is split if a candidate below it has a yield', () => {
  const { sent, bestOf } = actionsIn(UNDER_A);
  // 180 of the 190 unseen companies are on unlisted rows, and all of them match `ab`, so the score is 0.8 · 20 · 180 /
  // 190.
  expect(bestOf(sent('a', TRUNCATED))).toMatchObject({
    candidate: { text: 'ab', kind: 'seen', known: 10, unseen: 180 },
    expectedYield: expect.closeTo((16 * 180) / 190),
    score: expect.closeTo(((16 * 180) / 190) * breadthOf(180)),
  });
});

test('a truncated query is listed if nothing below it can be sent, or if it is listed before it is split', () => {
  const alone = actionsIn({ counts: { a: 10 } });
  const expectedYield = 20;
  const prediction = { kind: 'truncated page', expectedYield };
  expect(alone.bestOf(alone.sent('a', TRUNCATED))).toMatchObject({ candidate: null, prediction });
  const { sent, bestOf } = actionsIn(UNDER_A);
  const a = sent('a', TRUNCATED);
  a.isListedFirst = true;
  expect(bestOf(a)).toMatchObject({ candidate: null, prediction, expectedYield });
});

test("a truncated listing's own calibration corrects the expected yield of its later pages", () => {
  const { sent, bestOf, actions } = actionsIn({ counts: { a: 10 } });
  const a = sent('a', TRUNCATED);
  const page: PageEvidence = { rows: 20, new: 0, matching: 20 };
  actions.learn(a, { kind: 'truncated page', expectedYield: 5 }, page);
  // The listing's ratio is 5 / (5 + 5), and the kind's ratio is 0.5 / (5 + 0.5).
  expect(bestOf(a)?.expectedYield).toBeCloseTo((20 * 0.5 * 0.5) / 5.5);
  actions.learn(a, { kind: 'page', expectedYield: 5 }, page);
  expect(bestOf(a)?.expectedYield).toBeCloseTo((20 * 0.5 * 0.5) / 5.5);
});

test('the ratio for a kind of call corrects later predictions of that kind', () => {
  const { sent, bestOf, actions } = actionsIn(UNDER_A);
  const a = sent('a', OPEN);
  actions.learn(a, { kind: 'page', expectedYield: 1 }, { rows: 20, new: 0, matching: 20 });
  expect(bestOf(a)?.expectedYield).toBeCloseTo((20 * 0.5) / 1.5);
});

test('the candidate with the highest score is chosen', () => {
  const { sent, bestOf } = actionsIn({
    counts: { a: 20, ab: 5, ac: 15 },
    likelihoods: { a: { ab: 0.2, ac: 0.6, ad: 0.2 } },
  });
  expect(bestOf(sent('a', TRUNCATED))?.candidate?.text).toBe('ac');
});

test('a repeated query is expected to find few of its unseen companies', () => {
  const { nodes, sent, bestOf } = actionsIn({ counts: { a: 10 }, companies: 998 });
  sent('a', { total: 10, rows: 10, status: 'complete', listedAtMs: -1 });
  // Two companies are unseen.
  const expectedYield = expect.closeTo(2 / (1 + 6 * 2));
  expect(bestOf(nodes.root)?.prediction).toEqual({ kind: 'repeat', expectedYield });
});

test('a new character is expected to find many companies if it occurs at all', () => {
  const { nodes, bestOf } = actionsIn({
    ...{ by: 'identifier', companies: 999, newCharacters: ['7'], likelihoods: { '': { 7: 1 } } },
    spreads: { '': { distinct: 0.5, perCompany: 1 } },
  });
  // G = 1 and W = w = 1, so the chance is 1 − (1 + 1)^−1, and two companies match if the character occurs.
  expect(bestOf(nodes.root)?.prediction).toEqual({
    kind: 'new character',
    expectedYield: expect.closeTo(0.5 * 2),
  });
});

test('if the empty query lists every company, its first page is an action', () => {
  const space = { companies: 21, counts: { a: 21 }, likelihoods: { '': { a: 1 } } };
  const { nodes, pending, bestOf } = actionsIn(space, { listsAll: true, total: 81 });
  // 60 of the 81 companies are unseen.
  expect(bestOf(nodes.root)).toMatchObject({
    prediction: { kind: 'page of all', expectedYield: expect.closeTo(20 * (60 / 81)) },
    score: expect.closeTo(20 * (60 / 81) * breadthOf(60)),
  });
  pending.wait(waitingSearch('name:', NOW_MS + 1));
  // The query `a` has five pages.
  expect(bestOf(nodes.root)).toMatchObject({ candidate: { text: 'a' }, expectedYield: 12 });
  const other = actionsIn(space, { total: 81 });
  expect(other.bestOf(other.nodes.root)?.candidate?.text).toBe('a');
});

test("the next page is requested if its score exceeds the candidates' scores, even if queries overlap", () => {
  const { sent, bestOf } = actionsIn({ ...UNDER_A, counts: { a: 40, ab: 40 }, overlaps: true });
  // 20 of the 60 matches are unseen: on the other 2 pages of `a`, or on the 3 pages of `ab`.
  expect(bestOf(sent('a', { total: 60, rows: 20 }))?.candidate).toBeNull();
  expect(bestOf(sent('a', { total: 60, rows: 0 }))?.candidate?.text).toBe('ab');
});

test('no next page is requested while one is in flight, before the first page, or after the listing has ended', () => {
  const { sent, pending, bestOf, actions } = actionsIn();
  const a = sent('a', OPEN);
  const call: SearchCall = {
    ...{ kind: 'search', query: a.query, page: { index: 1, next: null }, reason: 'next page', expected: 1 },
  };
  pending.sent(call);
  expect(bestOf(a)).toBeNull();
  expect(actions.isInFlight(a)).toBe(true);
  pending.landed(call);
  expect(bestOf(a)).not.toBeNull();
  pending.sent({ ...call, page: { index: 0, next: null } });
  expect(bestOf(a)).toBeNull();
  expect(bestOf(sent('b', { ...OPEN, pages: 0 }))).toBeNull();
  expect(bestOf(sent('c', { ...OPEN, status: 'capped' }))).toBeNull();
});

test("while another query's page waits for a retry, this query's page stays the best action", () => {
  const { sent, pending, bestOf } = actionsIn();
  const a = sent('a', OPEN);
  pending.wait(waitingSearch('name:a#1', NOW_MS + 1));
  expect(bestOf(a)?.prediction.kind).toBe('page');
});

test("a listing's next page is sure to find a company if its total is below the cap and a company is unseen", () => {
  const { sent, nodes, actions } = actionsIn({ counts: { a: 10, b: 59, c: 59.5 } });
  const sure = (text: string, state: Partial<QueryState>) => actions.nextSurePage(sent(text, state), NOW_MS);
  expect(sure('a', OPEN)).toMatchObject({ expectedYield: 20, candidate: null });
  expect(sure('b', OPEN)).not.toBeNull();
  expect(sure('c', OPEN)).toBeNull();
  expect(sure('d', { total: 101 })).toBeNull();
  expect(sure('e', { total: 100 })).not.toBeNull();
  expect(sure('f', {})).toBeNull();
  expect(actions.nextSurePage(nodes.root, NOW_MS)).toBeNull();
});

test('the root, truncated queries and refused queries are split, and other listings are read to the end', () => {
  const { sent, nodes, actions } = actionsIn();
  const isSplit = (text: string, state: Partial<QueryState>) => actions.isSplit(sent(text, state));
  expect(actions.isSplit(nodes.root)).toBe(true);
  expect(isSplit('', OPEN)).toBe(true);
  expect(actions.isSplit(nodes.at('a'))).toBe(true);
  expect(isSplit('b', { status: 'refused' })).toBe(true);
  expect(isSplit('c', { status: 'capped' })).toBe(true);
  expect(isSplit('d', { status: 'complete' })).toBe(false);
  expect(isSplit('e', TRUNCATED)).toBe(true);
  expect(isSplit('f', OPEN)).toBe(false);
  expect(actionsIn({ overlaps: true }).actions.isSplit(nodes.at('f'))).toBe(true);
});

test('the empty query is truncated if the registry exceeds the cap', () => {
  const { sent, nodes, actions } = actionsIn({ companies: 40 });
  expect(actions.isTruncated(nodes.root)).toBe(true);
  expect(actions.knownOf(nodes.root)).toBe(40);
  expect(actions.isTruncated(nodes.at('a'))).toBe(false);
  expect(actions.isTruncated(sent('b', { total: 100 }))).toBe(false);
  expect(actions.isTruncated(sent('c', { total: 101 }))).toBe(true);
});
