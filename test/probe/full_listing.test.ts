import { expect, test } from 'vitest';
import { draftDialect } from '../../src/probe/dialect_draft.ts';
import { findFullListing } from '../../src/probe/lengths.ts';
import type { SearchPage } from '../../src/probe/pages.ts';
import { searchExchange } from '../support/probe_exchanges.ts';
import { probedWith } from '../support/probed_api.ts';

/** A page of a search without a query, with the companies `from` to `to`. */
function pageOf(from: number, to: number, params: readonly (readonly [string, string])[] = []): SearchPage {
  const ids = Array.from({ length: to - from }, (_, at) => String(from + at));
  const exchange = searchExchange({ data: ids.map((id) => ({ id })) });
  return {
    exchange: { ...exchange, request: { ...exchange.request, params } },
    query: null,
    rows: ids.map((id) => ({ id })),
    ids,
    keys: ids,
    names: ids.map(() => null),
    total: null,
  };
}

test('a listing without a total lists the registry if it has pages and ends', () => {
  const whole = pageOf(0, 641, [['limit', '1000']]);
  const second = pageOf(100, 200, [['cursor', '99']]);
  const found = (pages: readonly SearchPage[]) =>
    findFullListing(
      pages,
      pages.map(({ exchange }) => exchange),
      null,
    );
  expect(found([whole, second])).toMatchObject({ value: true, certainty: 'likely' });
  expect(found([whole])).toMatchObject({ certainty: 'open' });
});

test('a parameter of a registry that always returns the same companies is never taken for the query', () => {
  const listed = Array.from({ length: 60 }, (_, index) => ({
    id: `R${1000 + index}`,
    name: `${['Harbour', 'Meadow', 'Castle', 'River', 'Stone'][index % 5]} ${['Trading', 'Foods', 'Holdings'][index % 3]} ${index}`,
  }));
  const beliefs = probedWith(
    ({ kind, path }) => {
      if (kind !== 'entity') return { status: 200, json: { data: listed } };
      const company = listed.find(({ id }) => path.endsWith(`/${id}`));
      return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
    },
    { search: '/search', entity: '/companies/{id}', stats: null },
  );
  expect(beliefs.search?.listing.results).toBe('/data');
  expect(beliefs.query).toMatchObject({ value: null, certainty: 'open' });
  expect(draftDialect(beliefs)).toBeNull();
});
