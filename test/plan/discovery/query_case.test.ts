import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import { discover } from '../../support/simulation/discover.ts';
import { type Page, PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
const COMPANIES = syntheticCompanies(250).map(({ id, name }) => ({ id, name: name.toUpperCase() }));

/** A registry that finds only names in the letter case of the query. Its names are in upper case. */
class CaseSensitiveRegistry extends Registry {
  override search(query: SearchQuery, pageIndex: number): Page {
    const isFound = query.text === query.text.toUpperCase();
    return super.search(isFound ? query : { ...query, text: `\0${query.text}` }, pageIndex);
  }
}

test.each(['prefix', 'token_prefix', 'substring'] as const)(
  'a case-sensitive registry of upper-case names receives upper-case queries: %s',
  (semantics) => {
    const settings = { ...PLAIN, semantics, window: 50, totals: 'none' as const };
    const options = { ...UNTIL_NOTHING_IS_DUE, isCounted: false };
    const ignoring = discover(new Registry(COMPANIES, settings), options);
    const distinguishing = discover(new CaseSensitiveRegistry(COMPANIES, settings), options);
    expect(ignoring.calls.map(textOf).filter((text) => text !== text.toLowerCase())).toEqual([]);
    expect(distinguishing.mirror.knownCount()).toBe(ignoring.mirror.knownCount());
    expect(distinguishing.calls.length).toBeLessThan(1.1 * ignoring.calls.length);
  },
);

test('the first queries are tried in upper case, not those in rare scripts', () => {
  const settings = { ...PLAIN, minLength: 2, window: 50, totals: 'none' as const };
  const { calls } = discover(new CaseSensitiveRegistry(COMPANIES, settings), {
    mostCalls: 9,
    enough: 1_000,
    isCounted: false,
  });
  const texts = calls.map(textOf);
  expect(texts[8]).toBe(texts[0]?.toUpperCase());
});

test('the next run sends upper-case queries from its first query', () => {
  const registry = new CaseSensitiveRegistry(COMPANIES, { ...PLAIN, window: 50, totals: 'none' });
  const { mirror } = discover(registry, { mostCalls: 40, enough: 1_000, isCounted: false });
  const { calls } = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror, isCounted: false });
  expect(calls.map(textOf).filter((text) => /[a-z]/.test(text))).toEqual([]);
  expect(mirror.knownCount()).toBe(COMPANIES.length);
});

function textOf(call: object): string {
  return 'query' in call ? (call.query as SearchQuery).text : '';
}
