import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { isAscii } from '../../../src/names/folding.ts';
import type { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { newQueryNode, type PageEvidence, type QueryNode } from '../../../src/plan/discovery/query_node.ts';
import { TextKeySpace } from '../../../src/plan/discovery/text_key_space.ts';
import { type QueryCandidate, UnseenCounts } from '../../../src/plan/discovery/unseen_counts.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

const LIMITS = { pageSize: 20, window: Number.POSITIVE_INFINITY };
const COUNTED_AT_MS = 1000;

test("a query's unseen count is its total minus its known companies, and 0 after a complete listing", () => {
  const { unseenCounts, addSent } = registry({ total: 30, names: ['abel', 'acme', 'bank'] });
  const open = addSent('a', { total: 12 });
  const complete = addSent('b', { total: 5, status: 'complete' });
  expect(unseenCounts.of(open)).toBe(12 - 2);
  expect(unseenCounts.of(complete)).toBe(0);
});

test('missing companies that match a sent query are not assigned to the candidates', () => {
  const { unseenCounts, root, addSent } = registry({ total: 23, names: ['abel', 'acme', 'bank'] });
  addSent('a', { total: 17 });
  const candidates = unseenCounts.candidatesOf(root);
  expect(candidates.map(({ text }) => text)).not.toContain('a');
  // 20 companies are missing, and 15 of them match `a`.
  expect(sumOf(candidates)).toBeCloseTo(20 - 15);
});

test('no candidate is left if one query accounts for all missing companies', () => {
  const { unseenCounts, root, addSent } = registry({ total: 23, names: ['abel', 'acme', 'bank'] });
  addSent('a', { total: 22 });
  expect(unseenCounts.candidatesOf(root)).toEqual([]);
});

test('a candidate with more known companies has a higher unseen count', () => {
  const { unseenCounts, root } = registry({ total: 30, names: ['abel', 'acme', 'acorn', 'bank'] });
  const [most, next] = unseenCounts.candidatesOf(root).toSorted((one, other) => other.unseen - one.unseen);
  expect([most?.text, next?.text]).toEqual(['a', 'b']);
});

test("a candidate's kind depends on how many known companies match and on its last character", () => {
  const { unseenCounts, root } = registry({ total: 30, names: ['abel', 'bank'] });
  const kinds = new Map(unseenCounts.candidatesOf(root).map(({ text, kind }) => [text, kind]));
  expect(kinds.get('a')).toBe('seen');
  expect(kinds.get('l')).toBe('unseen');
  expect(kinds.get('z')).toBe('new character');
});

test('a query without a total is assigned a share of the missing companies, and its siblings get the rest', () => {
  const names = [...'abcdefgh'].map((last) => `a${last}`);
  const { unseenCounts, root, addSent } = registry({ total: 30, names: [...names, 'bank', 'bell'] });
  const withoutTotal = addSent('a', { total: null });
  const candidates = unseenCounts.candidatesOf(root);
  const other = candidates.find(({ text }) => text === 'b');
  expect(unseenCounts.of(withoutTotal)).toBeGreaterThan(2 * (other?.unseen ?? Number.POSITIVE_INFINITY));
  expect(unseenCounts.of(withoutTotal) + sumOf(candidates)).toBeCloseTo(20);
});

test('if most rows on a page do not match the query, the share of new rows determines the unseen count', () => {
  const { unseenCounts, addSent } = registry({ total: 1000, names: ['abel', 'acme', 'bank'] });
  const node = addSent('a', { total: 103, rows: 20 }, { rows: 20, new: 10, matching: 2 });
  // About half of the rows were new, so about half of the 83 rows not yet received should be new too.
  expect(unseenCounts.of(node)).toBe((83 * 10.5) / 21);
});

test("a query's unseen count never exceeds the number of rows not yet received", () => {
  const { unseenCounts, addSent } = registry({ total: 1000, names: ['abel'] });
  const node = addSent('a', { total: 22, rows: 20 }, { rows: 20, new: 0, matching: 20 });
  expect(unseenCounts.of(node)).toBe(2);
});

test('a query is repeated only if the registry was counted after it was sent', () => {
  const { unseenCounts, root, addSent } = registry({ total: 10, names: ['abel', 'bank', 'cafe'] });
  addSent('a', { total: 1, status: 'complete', listedAtMs: COUNTED_AT_MS - 1 });
  addSent('b', { total: 1, status: 'complete', listedAtMs: COUNTED_AT_MS + 1 });
  const repeated = unseenCounts.candidatesOf(root).filter(({ kind }) => kind === 'repeat');
  expect(repeated).toMatchObject([{ text: 'a', known: 1 }]);
});

test('if the registry has not grown since a complete listing, the unseen companies match other queries', () => {
  const { repeat, others } = listedBefore({ total: 100, countThen: 100 });
  expect(repeat).toBeLessThan(1);
  expect(others).toBeGreaterThan(89);
});

test('if the registry has grown since a complete listing, new companies may match that query', () => {
  // 80 of the 90 unseen companies are new.
  const all = listedBefore({ total: 100, countThen: 0 });
  const { repeat, others } = listedBefore({ total: 100, countThen: 20 });
  expect(repeat).toBeGreaterThan((80 / 90) * all.repeat);
  expect(repeat).toBeLessThan(all.repeat);
  expect(repeat + others).toBeCloseTo(90, 5);
});

test('a truncated query is unlikely to be repeated unless the registry has grown', () => {
  const { repeat } = listedBefore({ total: 100, countThen: 100 }, { total: 45, status: 'capped' });
  expect(repeat).toBeLessThan(1);
});

test("if the registry's growth is unknown, a listing older than the registry count weighs as much as a new query", () => {
  const { repeat } = listedBefore({ total: 100, countThen: null });
  expect(repeat).toBeGreaterThan(20);
  expect(repeat).toBeCloseTo(listedBefore({ total: 100, countThen: 0 }).repeat, 5);
});

test("without a registry count, a query's unseen count depends on the share of new companies on recent pages", () => {
  const names = Array.from({ length: 100 }, (_, at) => `company ${at}`);
  const { unseenCounts, root } = registry({ total: null, names });
  unseenCounts.invalidate(null, 1);
  expect(unseenCounts.of(root)).toBe(100);
  for (let page = 0; page < 60; page++) unseenCounts.invalidate(null, 0);
  expect(unseenCounts.of(root)).toBe(LIMITS.pageSize);
});

test('without a registry count, a query with many unseen companies still leaves some to its siblings', () => {
  const { unseenCounts, root, addSent } = registry({ total: null, names: ['abel', 'bank'] });
  addSent('a', { total: 301 });
  // Most names begin with another letter.
  expect(unseenCounts.of(root)).toBeGreaterThan(2 * 300);
  expect(unseenCounts.candidatesOf(root).find(({ text }) => text === 'c')?.unseen).toBeGreaterThan(
    LIMITS.pageSize,
  );
  expect(unseenCounts.unseenInAll).toBe(LIMITS.pageSize);
});

test('unseen counts ignore a registry count below the number of known companies', () => {
  const { unseenCounts, root } = registry({ total: 2, names: ['abel', 'acme', 'bank'] });
  expect(unseenCounts.of(root)).toBe(LIMITS.pageSize);
});

test('if names match several prefixes, unsent prefixes get few of the missing companies', () => {
  const letters = [...'abcdefghij'];
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  const words = letters.flatMap((one) => letters.map((other) => `${one}x ${other}y`));
  const names = numbers.flatMap((number) => words.map((pair) => `${pair}${number}`));
  const { unseenCounts, root, addSent, keySpace } = registry({
    total: 2020,
    names,
    semantics: 'token_prefix',
  });
  for (const letter of letters) addSent(letter, { total: keySpace.known(letter) + 1 });
  // 20 companies are missing. On average, each has almost two words. Together they cause 38 matches, and the letters
  // already sent account for 10 of these.
  const inKnownScripts = unseenCounts.candidatesOf(root).filter(({ text }) => isAscii(text));
  expect(sumOf(inKnownScripts)).toBeLessThan(28 / 5);
});

test('a pair query has no unseen companies if its second word has been listed completely', () => {
  const names = ['acme limited', 'bank limited', 'borg limited', 'cafe limited'];
  const { unseenCounts, addSent } = registry({ total: 30, names, semantics: 'token_prefix' });
  addSent('b', { total: 2, rows: 2, status: 'complete' });
  const pairRoot = addSent('limited ', {}, null);
  Object.assign(pairRoot, { state: null, parent: addSent('limited', { total: 24 }) });
  const candidates = new Map(unseenCounts.candidatesOf(pairRoot).map((one) => [one.text, one.unseen]));
  expect(candidates.get('limited b')).toBe(0);
  expect(candidates.get('limited a')).toBeGreaterThan(1);
  // A listing of the second word also covers pairs with longer forms of that word.
  expect(candidates.get('limited ba') ?? 0).toBe(0);
});

test('a query has no unseen companies if one of its substrings has been listed completely', () => {
  const { unseenCounts, addSent } = registry({
    total: 30,
    names: ['abel', 'bank', 'oak'],
    semantics: 'substring',
  });
  addSent('k', { total: 2, rows: 2, status: 'complete' });
  const node = addSent('a', { total: 23 });
  const candidates = new Map(unseenCounts.candidatesOf(node).map((one) => [one.text, one.unseen]));
  expect(candidates.get('ak')).toBe(0);
  expect(candidates.get('an')).toBeGreaterThan(0);
});

/**
 * A mirror with 10 known companies. One listing shows 5 of them and was received when the registry count was
 * `countThen`. The listing is complete by default.
 */
function listedBefore(
  counts: { readonly total: number; readonly countThen: number | null },
  listing: Partial<QueryState> = {},
) {
  const names = ['abel', 'acme', 'adam', 'agro', 'alba', 'bank', 'cafe', 'dune', 'echo', 'foxy'];
  const { unseenCounts, root, addSent } = registry({ ...counts, names });
  addSent('a', { total: 5, rows: 5, status: 'complete', listedAtMs: COUNTED_AT_MS - 1, ...listing });
  const candidates = unseenCounts.candidatesOf(root);
  const repeat = sumOf(candidates.filter(({ kind }) => kind === 'repeat'));
  return { repeat, others: unseenCounts.of(root) - repeat };
}

interface RegistryOptions {
  readonly total: number | null;
  readonly countThen?: number | null;
  readonly names: readonly string[];
  readonly semantics?: 'prefix' | 'token_prefix' | 'substring';
}

/**
 * A registry with a constant count. Searches match name prefixes unless `semantics` is given. `addSent` adds a node for
 * a query that has a response.
 */
function registry({ total, countThen = null, names, semantics = 'prefix' }: RegistryOptions) {
  const mirror = new MemoryMirror();
  for (const name of names) mirror.add({ id: name, name });
  const keySpace = keySpaceOf(semantics, mirror);
  const sent = new Map<string, QueryNode>();
  const unseenCounts = new UnseenCounts(keySpace, LIMITS, (query) => sent.get(query));
  unseenCounts.setRegistryCount({ total, observedAtMs: COUNTED_AT_MS, countAt: () => countThen });
  const root = newQueryNode({ by: 'name', text: '' }, null);
  const addSent = (text: string, state: Partial<QueryState>, page: PageEvidence | null = null): QueryNode => {
    const node = newQueryNode({ by: 'name', text }, root);
    const open = { total: null, pages: 1, rows: 1, next: null, status: 'open' as const };
    node.state = { query: node.query, ...open, listedAtMs: COUNTED_AT_MS + 1, ...state };
    node.page = page;
    sent.set(text, node);
    root.children.push(node);
    unseenCounts.invalidate(null);
    return node;
  };
  return { unseenCounts, root, addSent, keySpace };
}

function keySpaceOf(semantics: 'prefix' | 'token_prefix' | 'substring', mirror: MemoryMirror): KeySpace {
  if (semantics === 'token_prefix') return new TextKeySpace('name', semantics, 1, mirror);
  return semantics === 'prefix'
    ? new TextKeySpace('name', 'prefix', 1, mirror)
    : new TextKeySpace('name', 'substring', 1, mirror);
}

function sumOf(candidates: readonly QueryCandidate[]): number {
  return candidates.reduce((total, { unseen }) => total + unseen, 0);
}
