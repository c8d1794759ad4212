import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { UntriedCharacters } from '../../../src/plan/discovery/untried_characters.ts';
import { dialectWith } from '../../support/estimate_knowledge.ts';
import { openListing } from '../../support/given_key_space.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import type { RegistrySettings } from '../../support/simulation/registry.ts';

function untriedAfter(
  names: readonly string[],
  settings: Partial<RegistrySettings> = {},
  states: readonly QueryState[] = [],
): UntriedCharacters {
  const mirror = new MemoryMirror();
  for (const name of names) mirror.add({ id: name, name });
  for (const state of states) mirror.queryStates.set(state.query.text, state);
  return new UntriedCharacters(mirror, dialectWith(settings));
}

/** Returns the untried characters in the order in which they are sent. */
function orderOf(untried: UntriedCharacters): string {
  const sent = new Set<string>();
  for (let next = untried.next(() => true); next !== null; next = untried.next((text) => !sent.has(text)))
    sent.add(next);
  return [...sent].join('');
}

const ASCII = 'acsmbpetdgrhilnfwkjovuzyxq1234567890&\'"(#@+.-!*$/[:?%=,~_<;>)\\]^{|}`';
const NOT_ASCII = 'øåäöéüčšžłıç';
const LATIN = ['abel', 'bank'];

test('letters are tried first, then digits, punctuation, and letters with diacritics', () => {
  const order = orderOf(untriedAfter(LATIN));
  expect(order.startsWith(ASCII + NOT_ASCII)).toBe(true);
  expect(order).toContain('«');
  expect(order).not.toMatch(/[αя株]/);
});

test('characters outside ASCII are tried only if all known names are Latin', () => {
  expect(orderOf(untriedAfter(['abel', 'яблоко']))).toBe(ASCII);
  expect(orderOf(untriedAfter([]))).toContain(NOT_ASCII);
});

test('a search for whole words tries no letters', () => {
  const order = orderOf(untriedAfter(LATIN, { semantics: 'token' }));
  expect(order.startsWith(ASCII.slice(26))).toBe(true);
  expect(order).not.toMatch(/\p{L}/u);
});

test('no first character is tried twice, nor if queries must be longer', () => {
  expect(orderOf(untriedAfter(LATIN, { minLength: 2 }))).toBe('');
  const states = [openListing('a'), { ...openListing('c'), query: { by: 'identifier' as const, text: 'c' } }];
  const untried = untriedAfter(LATIN, {}, states);
  expect(orderOf(untried).startsWith('csm')).toBe(true);
  untried.recordResponse(openListing('s'), ['sole']);
  untried.recordResponse(openListing('unknown'), []);
  expect(orderOf(untried).startsWith('cmb')).toBe(true);
  expect(untried.due.join('').startsWith(ASCII.replace('a', '').replace('s', ''))).toBe(true);
});

test('a script is foreign if known names use other scripts', () => {
  const untried = untriedAfter(LATIN);
  expect([untried.isForeign('я'), untried.isForeign('b'), untried.isForeign('1')]).toEqual([
    true,
    false,
    false,
  ]);
  untried.addName('яблоко');
  expect(untried.isForeign('я')).toBe(false);
  expect(untriedAfter([]).isForeign('я')).toBe(false);
});

test('an untried first character is exempt from the stop rule if all known names are Latin', () => {
  const untried = untriedAfter(LATIN, {}, [openListing('a')]);
  expect([untried.isExemptFromStopRule('b'), untried.isExemptFromStopRule('a')]).toEqual([true, false]);
  untried.addName('яблоко');
  expect(untried.isExemptFromStopRule('b')).toBe(false);
});

test('no more punctuation is tried if a query fails to find a known name that should match', () => {
  const remainsAfter = (
    states: readonly QueryState[],
    name = '&co',
    settings: Partial<RegistrySettings> = {},
  ) => orderOf(untriedAfter(['abel', name], settings, states)).includes('#');
  const none = openListing('&', { total: 0, rows: 0, status: 'complete' });
  expect(remainsAfter([none])).toBe(false);
  expect(remainsAfter([openListing('&', { status: 'refused' })])).toBe(false);
  expect(remainsAfter([openListing('&', { rows: 0 })])).toBe(true);
  expect(remainsAfter([openListing('&', { status: 'complete' })])).toBe(true);
  // No known name begins with `&`.
  expect(remainsAfter([none], 'co &')).toBe(true);
  // If words match, `&` must be a separate word.
  expect(remainsAfter([none], 'co & co', { semantics: 'token_prefix' })).toBe(false);
  expect(remainsAfter([none], 'co&co', { semantics: 'token_prefix' })).toBe(true);
  expect(remainsAfter([none], 'co & co', { semantics: 'token' })).toBe(false);
});

test('the response to a punctuation query decides whether more punctuation is tried', () => {
  const remainsAfter = (state: Partial<QueryState>, names: readonly string[], text = '&') => {
    const untried = untriedAfter(LATIN, { semantics: 'substring' });
    untried.addName('abel & co');
    untried.recordResponse(openListing(text, state), names);
    return orderOf(untried).includes('#');
  };
  expect(remainsAfter({}, ['abel & co', 'bank'])).toBe(true);
  expect(remainsAfter({}, ['abel & co', 'bank', 'cafe'])).toBe(false);
  expect(remainsAfter({ rows: 0 }, [])).toBe(false);
  expect(remainsAfter({ status: 'refused' }, ['abel & co'])).toBe(false);
  // No known name contains `+`, and the response to a letter reveals nothing about punctuation.
  expect(remainsAfter({ rows: 0 }, [], '+')).toBe(true);
  expect(remainsAfter({ rows: 0 }, [], 'a')).toBe(true);
});

test('a registry has a large script if most names use it, with at least 30 distinct characters', () => {
  const hanzi = Array.from({ length: 30 }, (_, at) => String.fromCodePoint(0x4e00 + at));
  const hasLargeScript = (names: readonly string[]) => untriedAfter(names).hasLargeScript;
  expect(hasLargeScript(hanzi)).toBe(true);
  expect(hasLargeScript(hanzi.slice(1))).toBe(false);
  expect(hasLargeScript([...hanzi, ...hanzi.map((_, at) => `name ${at}`)])).toBe(false);
  expect(hasLargeScript([...hanzi, 'name'])).toBe(true);
  const hangul = Array.from({ length: 30 }, (_, at) => String.fromCodePoint(0xac00 + at));
  expect(hasLargeScript(hangul)).toBe(true);
  const untried = untriedAfter([]);
  untried.addName(hanzi.join(''));
  expect(untried.hasLargeScript).toBe(true);
  untried.addName('abel');
  expect(untried.hasLargeScript).toBe(false);
});
