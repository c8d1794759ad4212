import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import { withoutDiacritics } from '../../../src/names/folding.ts';
import { discover } from '../../support/simulation/discover.ts';
import { type Company, type Page, PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
const WITH_DIACRITIC: Readonly<Record<string, string>> = { a: 'å', c: 'ç', e: 'é', o: 'ö', s: 'š' };

/** A registry that ignores diacritics in queries but returns names with their diacritics. */
class FoldingRegistry extends Registry {
  readonly #names: ReadonlyMap<string, string>;

  constructor(companies: readonly Company[], settings: typeof PLAIN) {
    super(
      companies.map(({ id, name }) => ({ id, name: withoutDiacritics(name) })),
      settings,
    );
    this.#names = new Map(companies.map(({ id, name }) => [id, name]));
  }

  override search(query: SearchQuery, pageIndex: number): Page {
    const page = super.search({ ...query, text: withoutDiacritics(query.text) }, pageIndex);
    return { ...page, rows: page.rows.map(({ id }) => ({ id, name: this.#names.get(id) ?? '' })) };
  }
}

test.each(['prefix', 'token_prefix', 'substring'] as const)(
  'an upstream that ignores diacritics receives at most five queries with diacritics: %s',
  (semantics) => {
    const companies = companiesWithDiacritics(1_000);
    const settings = { ...PLAIN, semantics, window: 100 };
    const exact = discover(new Registry(companies, settings), UNTIL_NOTHING_IS_DUE);
    const folding = discover(new FoldingRegistry(companies, settings), UNTIL_NOTHING_IS_DUE);
    expect(queriesWithDiacritics(exact.calls).length).toBeGreaterThan(10);
    expect(queriesWithDiacritics(folding.calls).length).toBeLessThanOrEqual(5);
    expect(folding.mirror.knownCount()).toBe(companies.length);
  },
);

/** Companies. A third of their names have diacritics. */
function companiesWithDiacritics(count: number): Company[] {
  return syntheticCompanies(count).map(({ id, name }, at) => {
    return {
      id,
      name:
        at % 3 === 0
          ? name.replace(/[aceos]/gi, (letter) => WITH_DIACRITIC[letter.toLowerCase()] ?? '')
          : name,
    };
  });
}

function queriesWithDiacritics(calls: readonly { readonly kind: string }[]): string[] {
  return calls
    .flatMap((call) => ('query' in call ? [(call.query as SearchQuery).text] : []))
    .filter((text) => withoutDiacritics(text) !== text);
}
