import { expect, test } from 'vitest';
import type { Call, SearchQuery } from '../../../src/call.ts';
import { discover } from '../../support/simulation/discover.ts';
import { type Company, type Page, PLAIN, Registry } from '../../support/simulation/registry.ts';
import { inventedCompanies } from '../../support/simulation/synthetic_registries.ts';

const CONSONANTS = 'bcdfghjklm';
const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };

/** It takes spaces off the ends of what is searched for, as many upstreams do. */
class TrimmingRegistry extends Registry {
  override search(query: SearchQuery, pageIndex: number): Page {
    return super.search({ ...query, text: query.text.trim() }, pageIndex);
  }
}

test('an upstream that cuts off a space at the end is found out, and no such text is paid for again', () => {
  const profile = { ...PLAIN, window: 40 };
  const companies = companiesOfWordsThatGoOn();
  const heeding = discover(new Registry(companies, profile), UNTIL_NOTHING_IS_DUE);
  const trimming = discover(new TrimmingRegistry(companies, profile), UNTIL_NOTHING_IS_DUE);
  expect(textsOf(heeding.calls).filter(endsWithSpace).length).toBeGreaterThan(10);
  expect(textsOf(trimming.calls).filter(endsWithSpace)).toHaveLength(1);
  // Those below the one that was paid for are found as well.
  expect(trimming.mirror.knownCount()).toBe(companies.length);
});

test.each([
  { semantics: 'token', least: 1499 },
  { semantics: 'token_prefix', least: 1500 },
] as const)('a word that stays cut off is asked with a second one: %j', ({ semantics, least }) => {
  const registry = new Registry(inventedCompanies(1500), { ...PLAIN, semantics, window: 40 });
  const { mirror, calls } = discover(registry, UNTIL_NOTHING_IS_DUE);
  expect(mirror.knownCount()).toBeGreaterThanOrEqual(least);
  const pairs = textsOf(calls).filter((text) => text.includes(' '));
  const firstWords = new Set(pairs.map((text) => text.split(' ')[0] as string));
  expect(firstWords).toContain('aviation');
  for (const text of firstWords)
    expect(registry.matches({ by: 'name', text }).length, text).toBeGreaterThan(40);
});

test('a listing that is cut off and shows only what that of a shorter text has shown is soon left', () => {
  const tail = (at: number) =>
    [...'bcdfg'].map((_, place) => CONSONANTS[(at * 7919 + place * 13) % (10 - place)]);
  const named = (at: number) => ({ id: `${1000 + at}`, name: `Enterprise ${tail(at).join('')}${at}` });
  const companies = Array.from({ length: 1500 }, (_, at) => named(at));
  const profile = { ...PLAIN, window: 1000, pageSize: 20 };
  const { calls, mirror } = discover(new Registry(companies, profile), UNTIL_NOTHING_IS_DUE);
  expect(mirror.knownCount()).toBe(companies.length);
  // 75 pages show all. Each of the eleven beginnings that they share can show 50 pages of the same 1,000.
  expect(calls.length).toBeLessThan(250);
});

test.each(['token', 'token_prefix'] as const)('no word is asked with itself: %s', (semantics) => {
  const registry = new Registry(inventedCompanies(800), { ...PLAIN, semantics, window: 20 });
  const { calls } = discover(registry, UNTIL_NOTHING_IS_DUE);
  const pairs = textsOf(calls).flatMap((text) => (text.includes(' ') ? [text.split(' ')] : []));
  expect(pairs.length).toBeGreaterThan(10);
  expect(pairs.filter(([first, second]) => first === second)).toEqual([]);
});

test.each(['prefix', 'substring'] as const)('half a surrogate pair is never asked: %s', (semantics) => {
  // A pair stands where the longest text that is told apart ends.
  const stems = ['abcde', 'abcdefghijklmnopqrstuvw'];
  const companies = stems.flatMap((stem) =>
    Array.from({ length: 200 }, (_, at) => {
      const bold = String.fromCodePoint(0x1d41a + (at % 9));
      return { id: `${stem.length}-${at}`, name: `${stem}${bold}${at}` };
    }),
  );
  const registry = new Registry(companies, { ...PLAIN, semantics, window: 40 });
  const { calls } = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mostCalls: 400 });
  expect(textsOf(calls).filter((text) => !text.isWellFormed())).toEqual([]);
});

/** `land` and `landers`, `port` and `porters`: a space at the end tells them apart. */
function companiesOfWordsThatGoOn(): Company[] {
  const words = ['land', 'port', 'market', 'north', 'bank', 'stone', 'farm', 'star', 'wood', 'hill'];
  return words.flatMap((word, seed) =>
    inventedCompanies(120, seed + 1).map(({ name }, at) => ({
      id: `${seed}-${at}`,
      name: `${word}${at % 2 === 0 ? 'ers' : ''} ${name}`,
    })),
  );
}

function textsOf(calls: readonly Call[]): string[] {
  return calls.flatMap((call) => (call.kind === 'search' ? [call.query.text] : []));
}

function endsWithSpace(text: string): boolean {
  return text.endsWith(' ');
}
