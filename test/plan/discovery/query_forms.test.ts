import { expect, test } from 'vitest';
import type { Call, SearchQuery } from '../../../src/call.ts';
import { discover } from '../../support/simulation/discover.ts';
import { type Company, type Page, PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const CONSONANTS = 'bcdfghjklm';
const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };

/** A registry that trims queries, as many upstreams do. */
class TrimmingRegistry extends Registry {
  override search(query: SearchQuery, pageIndex: number): Page {
    return super.search({ ...query, text: query.text.trim() }, pageIndex);
  }
}

test('once a response shows that the upstream trims spaces, no query ends with a space', () => {
  const settings = { ...PLAIN, window: 40 };
  const companies = companiesWithPrefixWords();
  const exact = discover(new Registry(companies, settings), UNTIL_NOTHING_IS_DUE);
  const trimming = discover(new TrimmingRegistry(companies, settings), UNTIL_NOTHING_IS_DUE);
  expect(textsOf(exact.calls).filter(endsWithSpace).length).toBeGreaterThan(10);
  expect(textsOf(trimming.calls).filter(endsWithSpace)).toHaveLength(1);
  // Companies that only longer queries match are also found.
  expect(trimming.mirror.knownCount()).toBe(companies.length);
});

test('a new process learns from stored queries or from one query that the upstream trims spaces', () => {
  const registry = new TrimmingRegistry(companiesWithPrefixWords(), { ...PLAIN, window: 40 });
  let isTrimmingKnown = false;
  const { mirror, calls } = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mostCalls: 60 });
  const sent = textsOf(calls);
  for (let last = calls.length; last > 0; ) {
    isTrimmingKnown = sent.some(endsWithSpace);
    const texts = textsOf(discover(registry, { ...UNTIL_NOTHING_IS_DUE, mostCalls: 60, mirror }).calls);
    if (isTrimmingKnown) expect(new Set(texts.filter(endsWithSpace)).size).toBeLessThan(2);
    sent.push(...texts);
    last = texts.length;
  }
  expect(isTrimmingKnown).toBe(true);
  expect(mirror.knownCount()).toBe(1_200);
});

test.each([
  { semantics: 'token', minKnown: 1499 },
  { semantics: 'token_prefix', minKnown: 1500 },
] as const)(
  'the planner splits a truncated word query by adding a second word: %j',
  ({ semantics, minKnown }) => {
    const registry = new Registry(syntheticCompanies(1500), { ...PLAIN, semantics, window: 40 });
    const { mirror, calls } = discover(registry, UNTIL_NOTHING_IS_DUE);
    expect(mirror.knownCount()).toBeGreaterThanOrEqual(minKnown);
    const pairs = textsOf(calls).filter((text) => text.includes(' '));
    const firstWords = new Set(pairs.map((text) => text.split(' ')[0] as string));
    expect(firstWords).toContain('aviation');
    for (const text of firstWords)
      expect(registry.matches({ by: 'name', text }).length, text).toBeGreaterThan(40);
  },
);

test('a truncated listing ends early if it repeats the rows of a shorter query', () => {
  const tail = (at: number) =>
    [...'bcdfg'].map((_, place) => CONSONANTS[(at * 7919 + place * 13) % (10 - place)]);
  const named = (at: number) => ({ id: `${1000 + at}`, name: `Enterprise ${tail(at).join('')}${at}` });
  const companies = Array.from({ length: 1500 }, (_, at) => named(at));
  const settings = { ...PLAIN, window: 1000, pageSize: 20 };
  const { calls, mirror } = discover(new Registry(companies, settings), UNTIL_NOTHING_IS_DUE);
  expect(mirror.knownCount()).toBe(companies.length);
  // 75 pages can list every company. Without this rule, each of the eleven common prefixes would list the same 1,000
  // companies on 50 pages.
  expect(calls.length).toBeLessThan(350);
});

test.each(['token', 'token_prefix'] as const)(
  'no pair query contains the same word twice: %s',
  (semantics) => {
    const registry = new Registry(syntheticCompanies(800), { ...PLAIN, semantics, window: 20 });
    const { calls } = discover(registry, UNTIL_NOTHING_IS_DUE);
    const pairs = textsOf(calls).flatMap((text) => (text.includes(' ') ? [text.split(' ')] : []));
    expect(pairs.length).toBeGreaterThan(10);
    expect(pairs.filter(([first, second]) => first === second)).toEqual([]);
  },
);

test.each(['prefix', 'substring'] as const)('no query contains half of a surrogate pair: %s', (semantics) => {
  // The query length limit falls within a surrogate pair.
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

/** Companies with words such as `land` and `landers`, which only a trailing space can distinguish. */
function companiesWithPrefixWords(): Company[] {
  const words = ['land', 'port', 'market', 'north', 'bank', 'stone', 'farm', 'star', 'wood', 'hill'];
  return words.flatMap((word, seed) =>
    syntheticCompanies(120, seed + 1).map(({ name }, at) => ({
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
