import { expect, test } from 'vitest';
import { Frontier } from '../../../src/plan/discovery/frontier.ts';
import { newQueryNode } from '../../../src/plan/discovery/query_node.ts';

/** A frontier whose nodes have an upper bound and a changing score. A node's score is also its yield. */
function frontierOf(
  bounds: Readonly<Record<string, number>>,
  scores: Record<string, number | null>,
  minYield = 1,
) {
  const nodes = Object.keys(bounds).map((text) => newQueryNode({ by: 'name', text }, null));
  const evaluated: string[] = [];
  const frontier = new Frontier({
    nodes: () => nodes,
    upperBound: ({ query }) => bounds[query.text] ?? 0,
    actionOf: ({ query }) => {
      evaluated.push(query.text);
      const score = scores[query.text] ?? null;
      return score === null ? null : { score, expectedYield: score };
    },
    minYield,
  });
  frontier.insertAll();
  const take = () => frontier.takeBest()?.node.query.text ?? null;
  return { frontier, nodes, evaluated, take };
}

test('the frontier returns the node with the best score, whatever the bounds', () => {
  const scores = { a: 3, b: 8, c: 5 };
  const { take } = frontierOf({ a: 10, b: 9, c: 8 }, scores);
  expect([take(), take(), take()]).toEqual(['b', 'c', 'a']);
});

test('the frontier evaluates no node whose bound is below the best score', () => {
  const { take, evaluated } = frontierOf({ a: 10, b: 4, c: 9, d: 0 }, { a: 6, b: 4, c: 7 });
  expect(take()).toBe('c');
  expect(evaluated).not.toContain('b');
  expect(evaluated).not.toContain('d');
});

test('if scores are equal, the frontier returns the node inserted first', () => {
  expect(frontierOf({ a: 5, b: 5 }, { a: 5, b: 5 }).take()).toBe('a');
});

test('the frontier notices a higher score only after it is marked as stale', () => {
  const scores: Record<string, number | null> = { a: 0.5, b: 0.4 };
  const { frontier, take } = frontierOf({ a: 10, b: 10 }, scores);
  expect(take()).toBeNull();
  scores.b = 7;
  expect(take()).toBeNull();
  frontier.markStale({ areMany: false });
  expect(take()).toBe('b');
});

test('if many scores may have increased, the frontier notices a higher score before it is empty', () => {
  const scores = { a: 1, b: 5 };
  const { frontier, nodes, take } = frontierOf({ a: 1, b: 5 }, scores);
  const [, second] = nodes;
  if (second !== undefined) frontier.insert(second, 0);
  frontier.markStale({ areMany: false });
  expect(take()).toBe('a');
  for (const node of nodes) frontier.insert(node, node === second ? 0 : 1);
  frontier.markStale({ areMany: true });
  expect(take()).toBe('b');
});

test('the frontier skips nodes without an action and nodes below the minimum yield', () => {
  expect(frontierOf({ a: 5 }, { a: null }).take()).toBeNull();
  expect(frontierOf({ a: 5 }, { a: 0.9 }).take()).toBeNull();
  expect(frontierOf({ a: 5 }, { a: 1 }).take()).toBe('a');
  expect(frontierOf({}, {}).take()).toBeNull();
});

test("a node's new entry in the frontier replaces its earlier entry", () => {
  const { frontier, nodes, take, evaluated } = frontierOf({ a: 5, b: 4 }, { a: 5, b: 4 });
  const [first] = nodes;
  if (first !== undefined) for (const score of [5, 5, 0]) frontier.insert(first, score);
  expect(take()).toBe('b');
  expect(evaluated).toEqual(['b']);
});
