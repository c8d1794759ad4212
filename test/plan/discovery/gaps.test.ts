import { expect, test } from 'vitest';
import { Gaps, type Part } from '../../../src/plan/discovery/gaps.ts';
import { type Node, newNode, type PageSeen } from '../../../src/plan/discovery/node.ts';
import { TextField } from '../../../src/plan/discovery/text_field.ts';
import { WordField } from '../../../src/plan/discovery/word_field.ts';
import type { QueryState } from '../../../src/plan/knowledge.ts';
import { MemoryMirror } from '../../bench/simulation/memory.ts';

const LIMITS = { pageSize: 20, window: Number.POSITIVE_INFINITY };
const COUNTED_AT_MS = 1000;

test('a text that was asked hides what is counted and not known, and one that is complete hides nothing', () => {
  const { gaps, asked } = registry({ total: 30, names: ['abel', 'acme', 'bank'] });
  const open = asked('a', { total: 12 });
  const complete = asked('b', { total: 5, status: 'complete' });
  expect(gaps.of(open)).toBe(12 - 2);
  expect(gaps.of(complete)).toBe(0);
});

test('what the texts that were asked explain is not shared out again', () => {
  const { gaps, root, asked } = registry({ total: 23, names: ['abel', 'acme', 'bank'] });
  asked('a', { total: 17 });
  const parts = gaps.partsOf(root);
  expect(parts.map(({ text }) => text)).not.toContain('a');
  // 20 are missing, of which `a` hides 15.
  expect(sumOf(parts)).toBeCloseTo(20 - 15);
});

test('nothing is expected anywhere else when one text explains all that is missing', () => {
  const { gaps, root, asked } = registry({ total: 23, names: ['abel', 'acme', 'bank'] });
  asked('a', { total: 22 });
  expect(gaps.partsOf(root)).toEqual([]);
});

test('where more is known, more is expected', () => {
  const { gaps, root } = registry({ total: 30, names: ['abel', 'acme', 'acorn', 'bank'] });
  const [most, next] = gaps.partsOf(root).toSorted((one, other) => other.gap - one.gap);
  expect([most?.text, next?.text]).toEqual(['a', 'b']);
});

test('a text says what speaks for it: companies below it, its last character known from elsewhere, or nothing', () => {
  const { gaps, root } = registry({ total: 30, names: ['abel', 'bank'] });
  const kinds = new Map(gaps.partsOf(root).map(({ text, kind }) => [text, kind]));
  expect(kinds.get('a')).toBe('seen');
  expect(kinds.get('l')).toBe('unseen');
  expect(kinds.get('z')).toBe('stranger');
});

test('a text without a total takes its share of what is missing, and leaves the rest to others', () => {
  const names = [...'abcdefgh'].map((last) => `a${last}`);
  const { gaps, root, asked } = registry({ total: 30, names: [...names, 'bank', 'bell'] });
  const withoutTotal = asked('a', { total: null });
  const parts = gaps.partsOf(root);
  const other = parts.find(({ text }) => text === 'b');
  expect(gaps.of(withoutTotal)).toBeGreaterThan(2 * (other?.gap ?? Number.POSITIVE_INFINITY));
  expect(gaps.of(withoutTotal) + sumOf(parts)).toBeCloseTo(20);
});

test('a page of companies that do not fit the text counts for what it shows, not for what is known', () => {
  const { gaps, asked } = registry({ total: 1000, names: ['abel', 'acme', 'bank'] });
  const node = asked('a', { total: 103, rows: 20 }, { rows: 20, new: 10, fitting: 2 });
  // About half of its page was new, so about half of the 83 that it has not listed are.
  expect(gaps.of(node)).toBe((83 * 10.5) / 21);
});

test('a text hides no more than it has not listed yet', () => {
  const { gaps, asked } = registry({ total: 1000, names: ['abel'] });
  const node = asked('a', { total: 22, rows: 20 }, { rows: 20, new: 0, fitting: 20 });
  expect(gaps.of(node)).toBe(2);
});

test('a text asked before the registry was counted last is offered again, and not one asked since', () => {
  const { gaps, root, asked } = registry({ total: 10, names: ['abel', 'bank', 'cafe'] });
  asked('a', { total: 1, status: 'complete', listedAtMs: COUNTED_AT_MS - 1 });
  asked('b', { total: 1, status: 'complete', listedAtMs: COUNTED_AT_MS + 1 });
  const again = gaps.partsOf(root).filter(({ kind }) => kind === 'again');
  expect(again).toMatchObject([{ text: 'a', known: 1 }]);
});

test('where the registry does not say its size, more is taken to be missing while pages show new companies', () => {
  const names = Array.from({ length: 100 }, (_, at) => `company ${at}`);
  const { gaps, root } = registry({ total: null, names });
  gaps.happened(null, 1);
  expect(gaps.of(root)).toBe(100);
  for (let page = 0; page < 60; page++) gaps.happened(null, 0);
  expect(gaps.of(root)).toBe(LIMITS.pageSize);
});

test('where the registry does not say its size, one text that hides many does not keep the others from being asked', () => {
  const { gaps, root, asked } = registry({ total: null, names: ['abel', 'bank'] });
  asked('a', { total: 301 });
  // Most names begin with another letter.
  expect(gaps.of(root)).toBeGreaterThan(2 * 300);
  expect(gaps.partsOf(root).find(({ text }) => text === 'c')?.gap).toBeGreaterThan(LIMITS.pageSize);
  expect(gaps.missing).toBe(LIMITS.pageSize);
});

test('a registry that counts fewer than are known says nothing of what is missing', () => {
  const { gaps, root } = registry({ total: 2, names: ['abel', 'acme', 'bank'] });
  expect(gaps.of(root)).toBe(LIMITS.pageSize);
});

test('where names are found by several words, what the counts leave over is hardly put down to what nobody uses', () => {
  const letters = [...'abcdefghij'];
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  const words = letters.flatMap((one) => letters.map((other) => `${one}x ${other}y`));
  const names = numbers.flatMap((number) => words.map((pair) => `${pair}${number}`));
  const { gaps, root, asked, field } = registry({ total: 2020, names, semantics: 'token_prefix' });
  for (const letter of letters) asked(letter, { total: field.known(letter) + 1 });
  // 20 are missing, and each would have two words or nearly: 38 less the 10 that the letters explain.
  expect(sumOf(gaps.partsOf(root))).toBeLessThan(28 / 5);
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
  const field =
    semantics === 'prefix' ? TextField.byBeginning('name', 1, mirror) : new WordField(semantics, 1, mirror);
  const texts = new Set<string>();
  const gaps = new Gaps(field, LIMITS, (text) => texts.has(text));
  gaps.counted({ total, observedAtMs: COUNTED_AT_MS });
  const root = newNode({ by: 'name', text: '' }, null);
  const asked = (text: string, state: Partial<QueryState>, page: PageSeen | null = null): Node => {
    const node = newNode({ by: 'name', text }, root);
    const begun = { total: null, pages: 1, rows: 1, next: null, status: 'open' as const };
    node.state = { query: node.query, ...begun, listedAtMs: COUNTED_AT_MS + 1, ...state };
    node.page = page;
    texts.add(text);
    root.children.push(node);
    gaps.happened(null);
    return node;
  };
  return { gaps, root, asked, field };
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((total, { gap }) => total + gap, 0);
}
