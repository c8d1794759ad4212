import { expect, test } from 'vitest';
import type { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { TextKeySpace } from '../../../src/plan/discovery/text_key_space.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

const NAMES = ['acme bank', 'acme limited', 'bank of man', 'oak'];

function mirrorWith(names: readonly string[]): MemoryMirror {
  const mirror = new MemoryMirror();
  for (const [at, name] of names.entries()) mirror.add({ id: `00${10 + at}`, name });
  return mirror;
}

const SPACES = {
  prefix: (names: readonly string[], minLength = 1) =>
    new TextKeySpace('name', 'prefix', minLength, mirrorWith(names)),
  substring: (names: readonly string[], minLength = 1) =>
    new TextKeySpace('name', 'substring', minLength, mirrorWith(names)),
  token_prefix: (names: readonly string[], minLength = 1) =>
    new TextKeySpace('name', 'token_prefix', minLength, mirrorWith(names)),
  token: (names: readonly string[], minLength = 1) =>
    new TextKeySpace('name', 'token', minLength, mirrorWith(names)),
};
type Rule = keyof typeof SPACES;
const QUERIES = ['a', 'ac', 'acme', 'bank', 'an', 'acme b', 'acme bank', 'x'];

test.each<[Rule, number[], number[]]>([
  ['prefix', [2, 2, 2, 1, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0, 1, 0]],
  // Substrings of more than six characters are not counted.
  ['substring', [4, 2, 2, 2, 2, 1, 0, 0], [0, 0, 0, 1, 1, 1, 0, 0]],
  ['token_prefix', [2, 2, 2, 2, 0, 1, 1, 0], [0, 0, 2, 2, 0, 0, 1, 0]],
  ['token', [0, 0, 2, 2, 0, 0, 1, 0], [0, 0, 2, 2, 0, 0, 1, 0]],
])('known companies are counted under the query rule: %s', (rule, known, ending) => {
  const keySpace = SPACES[rule](NAMES);
  expect(QUERIES.map((query) => keySpace.known(query))).toEqual(known);
  expect(QUERIES.map((query) => keySpace.ending(query))).toEqual(ending);
  expect([keySpace.companies, keySpace.known('')]).toEqual([4, 4]);
});

test.each<[Rule, boolean[]]>([
  ['prefix', [true, true, false, false]],
  ['substring', [true, true, true, true]],
  ['token_prefix', [true, true, true, false]],
  ['token', [false, true, true, false]],
])('a query matches a company under the query rule: %s', (rule, matches) => {
  const keySpace = SPACES[rule](NAMES);
  const queries = ['ac', 'acme', 'bank', 'ank'];
  expect(queries.map((query) => keySpace.matches(query, 'acme bank'))).toEqual(matches);
});

test.each(Object.keys(SPACES) as Rule[])(
  'an added company is counted and changes the revision: %s',
  (rule) => {
    const mirror = mirrorWith(NAMES);
    const keySpace =
      rule === 'prefix'
        ? new TextKeySpace('name', 'prefix', 1, mirror)
        : rule === 'substring'
          ? new TextKeySpace('name', 'substring', 1, mirror)
          : new TextKeySpace('name', rule, 1, mirror);
    expect([keySpace.known('acme'), keySpace.companies]).toEqual([2, 4]);
    const { revision } = keySpace;
    mirror.add({ id: '0099', name: 'acme trust' });
    keySpace.add('acme trust');
    expect([keySpace.known('acme'), keySpace.companies, keySpace.revision]).toEqual([3, 5, revision + 1]);
    expect(keySpace.known('trust')).toBe(rule === 'prefix' ? 0 : 1);
  },
);

test('identifiers are extended by digits and capital letters, and names by any character', () => {
  const textsOf = (keySpace: KeySpace) =>
    keySpace.extensions('', () => false).offered.map(({ text }) => text);
  const identifiers = textsOf(new TextKeySpace('identifier', 'prefix', 1, mirrorWith(NAMES)));
  expect(identifiers[0]).toBe('0');
  expect(new Set(identifiers)).toEqual(new Set('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'));
  expect(textsOf(SPACES.prefix(NAMES))).toEqual(expect.arrayContaining(['a', 'b', 'o', '株']));
  expect(textsOf(SPACES.prefix(NAMES, 2)).every((text) => [...text].length === 2)).toBe(true);
  expect(textsOf(SPACES.substring(NAMES, 3)).every((text) => [...text].length >= 3)).toBe(true);
});

test('common company words predict the next character in a name if queries match by prefix', () => {
  const likelihoodOf = (text: string, rule: Rule) =>
    SPACES[rule]([])
      .extensions(text.slice(0, -1), () => false)
      .offered.find((one) => one.text === text)?.likelihood ?? 0;
  expect(likelihoodOf('university', 'prefix')).toBeGreaterThan(0.5);
  expect(likelihoodOf('university', 'substring')).toBeLessThan(0.1);
});

test('common company words are the first whole words', () => {
  const { offered } = SPACES.token([]).extensions('', () => false);
  expect(offered.slice(0, 2)).toEqual([
    { text: 'limited', likelihood: 0.02, hasNewCharacter: false },
    { text: 'company', likelihood: expect.closeTo(0.02 / 2 ** 0.6), hasNewCharacter: false },
  ]);
});

test('a pair is offered along with its first word, unless its second word begins the first', () => {
  const offered = (rule: 'token' | 'token_prefix', query: string, isSent = (_: string) => false) =>
    SPACES[rule](NAMES)
      .extensions(query, isSent)
      .offered.map(({ text }) => text);
  expect(offered('token', 'acme ')).toEqual(['acme bank', 'acme limited']);
  expect(offered('token', 'acme ', (query) => query === 'acme bank')).toEqual(['acme limited']);
  expect(offered('token_prefix', 'acme ')).toEqual(expect.arrayContaining(['acme b', 'acme l', 'acme ab']));
  expect(offered('token_prefix', 'acme ')).not.toContain('acme a');
});

test('pairs are counted in a small registry, but never if queries match whole texts', () => {
  expect(SPACES.token(NAMES).pairsWith('acme', () => 0)).toBe(true);
  expect(SPACES.prefix(NAMES).pairsWith('acme', () => 0)).toBe(false);
  expect([SPACES.token(NAMES).takesPairs, SPACES.prefix(NAMES).takesPairs]).toEqual([true, false]);
  const overlaps = Object.values(SPACES).map((open) => open([]).overlaps);
  expect(overlaps).toEqual([false, true, true, true]);
});

test('a query is covered by its substrings, or by the prefixes of its second word', () => {
  expect(SPACES.prefix([]).covering('abc')).toEqual([]);
  expect(SPACES.substring([]).covering('abc')).toEqual(['b', 'bc', 'c']);
  expect(SPACES.token_prefix([]).covering('a bc')).toEqual(['b', 'bc']);
  expect(SPACES.token_prefix([]).covering('abc')).toEqual([]);
  expect(SPACES.token([]).covering('a bc')).toEqual(['bc']);
});

test('if an upstream ignores diacritics, queries with diacritics become aliases', () => {
  for (const rule of Object.keys(SPACES) as Rule[]) {
    const keySpace = SPACES[rule](['åcme', 'acme', 'ål']);
    expect([keySpace.isAliased('åcme'), keySpace.known('acme')]).toEqual([false, 1]);
    const { revision } = keySpace;
    keySpace.observe('acme', ['åcme', 'åcme', 'åcme']);
    expect([keySpace.isAliased('åcme'), keySpace.isAliased('acme'), keySpace.known('acme')]).toEqual([
      true,
      false,
      2,
    ]);
    expect([keySpace.matches('åcme', 'acme'), keySpace.revision]).toEqual([true, revision + 1]);
    expect(keySpace.known('acme')).toBe(2);
    keySpace.add('ácme');
    expect(keySpace.known('acme')).toBe(3);
  }
});

test('identifiers have no diacritics to ignore', () => {
  const keySpace = new TextKeySpace('identifier', 'prefix', 1, mirrorWith(NAMES));
  keySpace.observe('a', ['å1', 'å2', 'å3']);
  expect(keySpace.isAliased('å')).toBe(false);
});

test('a query that ends with a space is not sent once a page has a name without that space', () => {
  const keySpace = SPACES.prefix(['acme bank', 'acme limited', 'acmex']);
  const offered = () => keySpace.extensions('acme', () => false).offered.map(({ text }) => text);
  keySpace.observe('acme ', ['acme bank', 'acme limited']);
  expect([keySpace.isAliased('bank '), offered().includes('acme ')]).toEqual([false, true]);
  const { revision } = keySpace;
  keySpace.observe('acme ', ['acme bank', 'acmex']);
  expect([keySpace.isAliased('bank '), keySpace.revision]).toEqual([true, revision + 1]);
  expect(offered()).toEqual(expect.arrayContaining(['acme b', 'acme l', 'acmex']));
  expect(offered()).not.toContain('acme ');
});

test('in a large registry, a sample of the names represents all names that contain a query', () => {
  const names = Array.from({ length: 100_001 }, (_, at) => `a${String(at).padStart(6, '0')}`);
  const keySpace = SPACES.substring(names);
  expect(keySpace.companies).toBe(100_001);
  expect(keySpace.known('a00')).toBeGreaterThan(9_000);
  expect(keySpace.known('a00')).toBeLessThan(11_000);
});
