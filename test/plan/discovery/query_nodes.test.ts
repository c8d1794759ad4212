import { expect, test } from 'vitest';
import type { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { isPairRoot, isUnanswered } from '../../../src/plan/discovery/query_node.ts';
import { QueryNodes } from '../../../src/plan/discovery/query_nodes.ts';
import { Revisions } from '../../../src/plan/discovery/revisions.ts';
import { listed } from '../../support/estimate_knowledge.ts';

function nodesOf(takesPairs = false) {
  const added: string[] = [];
  const nodes = new QueryNodes({ by: 'name', takesPairs } as KeySpace, ({ query }) => added.push(query.text));
  return { nodes, added };
}

test("a query's parent is its longest prefix in the query tree", () => {
  const { nodes, added } = nodesOf();
  const [a, abc] = [nodes.at('a'), nodes.at('abc')];
  expect(nodes.at('abcd').parent).toBe(abc);
  expect(abc.parent).toBe(a);
  expect([a.parent, nodes.at('b').parent]).toEqual([nodes.root, nodes.root]);
  expect(nodes.at('a')).toBe(a);
  expect(a.children).toEqual([abc]);
  expect(added).toEqual(['a', 'abc', 'abcd', 'b']);
  expect(nodes.all().map(({ query }) => query.text)).toEqual(['', 'a', 'abc', 'abcd', 'b']);
  expect([nodes.has('abc'), nodes.has('ab'), nodes.get('ab'), nodes.get('abc')]).toEqual([
    ...[true, false, undefined, abc],
  ]);
});

test("a pair query's parent is its pair root, which is added if it is missing", () => {
  const { nodes, added } = nodesOf(true);
  const pair = nodes.at('acme b');
  expect(pair.parent?.query.text).toBe('acme ');
  expect(added).toEqual(['acme ', 'acme b']);
  expect(isPairRoot(pair.parent ?? pair)).toBe(true);
  expect(isPairRoot(pair)).toBe(false);
  expect(nodesOf(false).nodes.at('acme b').parent?.query.text).toBe('');
});

test('a query counts as unanswered from its first estimate until its first response', () => {
  const node = nodesOf().nodes.at('acme ');
  expect([isUnanswered(node), isPairRoot(node)]).toEqual([false, true]);
  node.estimate = { known: 1, unseen: 2 };
  expect([isUnanswered(node), isPairRoot(node)]).toEqual([true, false]);
  node.state = listed('name', 'acme ');
  expect([isUnanswered(node), isPairRoot(node)]).toEqual([false, false]);
});

test('a changed query node invalidates its own estimate and those of its ancestors', () => {
  const { nodes } = nodesOf();
  const keySpace = { revision: 0 };
  const revisions = new Revisions(keySpace as KeySpace);
  const [a, ab, b] = [nodes.at('a'), nodes.at('ab'), nodes.at('b')];
  const at = revisions.current;
  const valid = () => [nodes.root, a, ab, b].map((node) => revisions.isValid(node, at));
  expect(valid()).toEqual([true, true, true, true]);
  revisions.invalidate(a);
  expect(valid()).toEqual([false, false, true, true]);
  expect(revisions.isValid(a, revisions.current)).toBe(true);
  keySpace.revision = 1;
  revisions.invalidate(a);
  expect(valid()).toEqual([false, false, false, false]);
  const later = revisions.current;
  revisions.invalidate(ab);
  expect(revisions.isValid(b, later)).toBe(true);
  revisions.invalidate(null);
  expect(revisions.isValid(b, later)).toBe(false);
});
