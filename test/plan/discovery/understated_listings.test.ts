import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { type Company, type Page, PLAIN, Registry } from '../../support/simulation/registry.ts';

const WORDS = 'alpha beta gamma delta harbour north river stone wood silver green ocean trade union'.split(
  ' ',
);
const COMPANIES: readonly Company[] = Array.from({ length: 400 }, (_, at) => ({
  id: `${100_000 + at}`,
  name: `${WORDS[at % 14]} ${WORDS[(at * 5 + Math.floor(at / 14)) % 14]} ${WORDS[(at * 3) % 14]}`,
}));
const SETTINGS = { ...PLAIN, semantics: 'token_prefix', pageSize: 20 } as const;
const WHOLE = { mostCalls: 1000, enough: Number.POSITIVE_INFINITY };

test.each<[string, (page: Page) => Page]>([
  ['no companies', (page) => ({ ...page, rows: [], total: 0, more: false })],
  ['one company', (page) => ({ ...page, rows: page.rows.slice(0, 1), total: 1, more: false })],
])('discovery repeats searches that returned %s during an outage, although many match', (_, outage) => {
  const { mirror, calls } = discover(new FailingRegistry(outage), WHOLE);
  expect(mirror.knownCount()).toBe(COMPANIES.length);
  expect(calls.length).toBeLessThan(85);
});

test('discovery sends few repeats if the dialect has the wrong query rule', () => {
  // The dialect assumes that queries find any word, so each query appears to list too few of the known companies.
  const limited = COMPANIES.map(({ id, name }) => ({ id, name: `${name} limited services group` }));
  const registry = new Registry(limited, { ...SETTINGS, semantics: 'prefix' });
  const { calls } = discover(registry, { ...WHOLE, dialect: dialectOf(SETTINGS) });
  const repeats = calls.filter(({ reason }) => reason === 'repeated after too few rows');
  expect(repeats.length).toBeGreaterThan(0);
  expect(repeats.length).toBeLessThan(6);
});

/** A registry in which the sixth to nineteenth searches fail. */
class FailingRegistry extends Registry {
  readonly #outage: (page: Page) => Page;
  #searches = 0;

  constructor(outage: (page: Page) => Page) {
    super(COMPANIES, SETTINGS);
    this.#outage = outage;
  }

  override search(query: SearchQuery, pageIndex: number): Page {
    this.#searches += 1;
    const page = super.search(query, pageIndex);
    return this.#searches > 5 && this.#searches < 20 ? this.#outage(page) : page;
  }
}
