import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { newQueryNode, type PageSeen, type QueryNode } from '../../../src/plan/discovery/query_node.ts';
import { TextKeySpace } from '../../../src/plan/discovery/text_key_space.ts';
import { type QueryCandidate, UnseenCounts } from '../../../src/plan/discovery/unseen_counts.ts';
import { WordKeySpace } from '../../../src/plan/discovery/word_key_space.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

const LIMITS = { pageSize: 20, window: Number.POSITIVE_INFINITY };
const COUNTED_AT_MS = 1000;

test('a text that was asked hides what is counted and not known, and one that is complete hides nothing', () => {
  const { gaps: unseenCounts, asked } = registry({ total: 30, names: ['abel', 'acme', 'bank'] });
  const open = asked('a', { total: 12 });
  const complete = asked('b', { total: 5, status: 'complete' });
  expect(unseenCounts.of(open)).toBe(12 - 2);
  expect(unseenCounts.of(complete)).toBe(0);
});

test('what the texts that were asked explain is not shared out again', () => {
  const { gaps: unseenCounts, root, asked } = registry({ total: 23, names: ['abel', 'acme', 'bank'] });
  asked('a', { total: 17 });
  const parts = unseenCounts.candidatesOf(root);
  expect(parts.map(({ text }) => text)).not.toContain('a');
  // 20 are missing, of which `a` hides 15.
  expect(sumOf(parts)).toBeCloseTo(20 - 15);
});

test('nothing is expected anywhere else when one text explains all that is missing', () => {
  const { gaps: unseenCounts, root, asked } = registry({ total: 23, names: ['abel', 'acme', 'bank'] });
  asked('a', { total: 22 });
  expect(unseenCounts.candidatesOf(root)).toEqual([]);
});

test('where more is known, more is expected', () => {
  const { gaps: unseenCounts, root } = registry({ total: 30, names: ['abel', 'acme', 'acorn', 'bank'] });
  const [most, next] = unseenCounts.candidatesOf(root).toSorted((one, other) => other.unseen - one.unseen);
  expect([most?.text, next?.text]).toEqual(['a', 'b']);
});

test('a text says what speaks for it: companies below it, its last character known from elsewhere, or nothing', () => {
  const { gaps: unseenCounts, root } = registry({ total: 30, names: ['abel', 'bank'] });
  const kinds = new Map(unseenCounts.candidatesOf(root).map(({ text, kind }) => [text, kind]));
  expect(kinds.get('a')).toBe('seen');
  expect(kinds.get('l')).toBe('unseen');
  expect(kinds.get('z')).toBe('stranger');
});

test('a text without a total takes its share of what is missing, and leaves the rest to others', () => {
  const names = [...'abcdefgh'].map((last) => `a${last}`);
  const { gaps: unseenCounts, root, asked } = registry({ total: 30, names: [...names, 'bank', 'bell'] });
  const withoutTotal = asked('a', { total: null });
  const parts = unseenCounts.candidatesOf(root);
  const other = parts.find(({ text }) => text === 'b');
  expect(unseenCounts.of(withoutTotal)).toBeGreaterThan(2 * (other?.unseen ?? Number.POSITIVE_INFINITY));
  expect(unseenCounts.of(withoutTotal) + sumOf(parts)).toBeCloseTo(20);
});

test('a page of companies that do not fit the text counts for what it shows, not for what is known', () => {
  const { gaps: unseenCounts, asked } = registry({ total: 1000, names: ['abel', 'acme', 'bank'] });
  const node = asked('a', { total: 103, rows: 20 }, { rows: 20, new: 10, fitting: 2 });
  // About half of its page was new, so about half of the 83 that it has not listed are.
  expect(unseenCounts.of(node)).toBe((83 * 10.5) / 21);
});

test('a text hides no more than it has not listed yet', () => {
  const { gaps: unseenCounts, asked } = registry({ total: 1000, names: ['abel'] });
  const node = asked('a', { total: 22, rows: 20 }, { rows: 20, new: 0, fitting: 20 });
  expect(unseenCounts.of(node)).toBe(2);
});

test('a text asked before the registry was counted last is offered again, and not one asked since', () => {
  const { gaps: unseenCounts, root, asked } = registry({ total: 10, names: ['abel', 'bank', 'cafe'] });
  asked('a', { total: 1, status: 'complete', listedAtMs: COUNTED_AT_MS - 1 });
  asked('b', { total: 1, status: 'complete', listedAtMs: COUNTED_AT_MS + 1 });
  const again = unseenCounts.candidatesOf(root).filter(({ kind }) => kind === 'again');
  expect(again).toMatchObject([{ text: 'a', known: 1 }]);
});

test('where the registry does not say its size, more is taken to be missing while pages show new companies', () => {
  const names = Array.from({ length: 100 }, (_, at) => `company ${at}`);
  const { gaps: unseenCounts, root } = registry({ total: null, names });
  unseenCounts.invalidate(null, 1);
  expect(unseenCounts.of(root)).toBe(100);
  for (let page = 0; page < 60; page++) unseenCounts.invalidate(null, 0);
  expect(unseenCounts.of(root)).toBe(LIMITS.pageSize);
});

test('where the registry does not say its size, one text that hides many does not keep the others from being asked', () => {
  const { gaps: unseenCounts, root, asked } = registry({ total: null, names: ['abel', 'bank'] });
  asked('a', { total: 301 });
  // Most names begin with another letter.
  expect(unseenCounts.of(root)).toBeGreaterThan(2 * 300);
  expect(unseenCounts.candidatesOf(root).find(({ text }) => text === 'c')?.unseen).toBeGreaterThan(
    LIMITS.pageSize,
  );
  expect(unseenCounts.unseenInAll).toBe(LIMITS.pageSize);
});

test('a registry that counts fewer than are known says nothing of what is missing', () => {
  const { gaps: unseenCounts, root } = registry({ total: 2, names: ['abel', 'acme', 'bank'] });
  expect(unseenCounts.of(root)).toBe(LIMITS.pageSize);
});

test('where names are found by several words, what the counts leave over is hardly put down to what nobody uses', () => {
  const letters = [...'abcdefghij'];
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  const words = letters.flatMap((one) => letters.map((other) => `${one}x ${other}y`));
  const names = numbers.flatMap((number) => words.map((pair) => `${pair}${number}`));
  const {
    gaps: unseenCounts,
    root,
    asked,
    field: keySpace,
  } = registry({ total: 2020, names, semantics: 'token_prefix' });
  for (const letter of letters) asked(letter, { total: keySpace.known(letter) + 1 });
  // 20 are missing, and each would have two words or nearly: 38 less the 10 that the letters explain.
  expect(sumOf(unseenCounts.candidatesOf(root))).toBeLessThan(28 / 5);
});

interface Shape {
  readonly total: number | null;
  readonly names: readonly string[];
  readonly semantics?: 'prefix' | 'token_prefix';
}

/** A registry counted once, searched by how names begin if it is not told otherwise; `asked` makes the node of a text that was answered. */
function registry({ total, names, semantics = 'prefix' }: Shape) {
  const mirror = new MemoryMirror();
  for (const name of names) mirror.add({ id: name, name });
  const keySpace =
    semantics === 'prefix'
      ? TextKeySpace.byPrefix('name', 1, mirror)
      : new WordKeySpace(semantics, 1, mirror);
  const texts = new Set<string>();
  const unseenCounts = new UnseenCounts(keySpace, LIMITS, (text) => texts.has(text));
  unseenCounts.counted({ total, observedAtMs: COUNTED_AT_MS });
  const root = newQueryNode({ by: 'name', text: '' }, null);
  const asked = (text: string, state: Partial<QueryState>, page: PageSeen | null = null): QueryNode => {
    const node = newQueryNode({ by: 'name', text }, root);
    const begun = { total: null, pages: 1, rows: 1, next: null, status: 'open' as const };
    node.state = { query: node.query, ...begun, listedAtMs: COUNTED_AT_MS + 1, ...state };
    node.page = page;
    texts.add(text);
    root.children.push(node);
    unseenCounts.invalidate(null);
    return node;
  };
  return { gaps: unseenCounts, root, asked, field: keySpace };
}

function sumOf(parts: readonly QueryCandidate[]): number {
  return parts.reduce((total, { unseen }) => total + unseen, 0);
}
