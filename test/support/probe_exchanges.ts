import type { Json } from '../../src/json/json.ts';
import type { ProbeExchange } from '../../src/probe/exchange.ts';
import type { SearchPage } from '../../src/probe/pages.ts';

/** A row in a search result, with an index from 0 to 25. */
export function row(index: number) {
  return {
    company_number: `0834390${index}`,
    title: `Active ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[index]} Limited`,
    status: 'active',
  };
}

/** A successful search whose body is `json`. */
export function searchExchange(json: Json | object, query?: string): ProbeExchange {
  return {
    request: {
      kind: 'search',
      path: '/api/search',
      params: query === undefined ? [] : [['q', query]],
      why: '',
    },
    status: 200,
    headers: {},
    json: json as Json,
    text: JSON.stringify(json),
    reading: 'ok',
  };
}

/** A parsed page that shows every match of its query. */
export function searchPage(
  query: string,
  found: readonly { readonly id: string; readonly name: string }[],
): SearchPage {
  return {
    exchange: searchExchange({}, query),
    query,
    rows: [],
    ids: found.map(({ id }) => id),
    keys: found.map(({ id }) => id),
    names: found.map(({ name }) => name),
    total: found.length,
  };
}
