import { describe, expect, it } from 'vitest';
import { adoptable } from '../../src/probe/adoption.ts';
import type { Beliefs } from '../../src/probe/beliefs.ts';
import type { Param } from '../../src/probe/exchange.ts';
import type { SearchPage } from '../../src/probe/pages.ts';
import { dialectWith } from '../support/loader_dialect.ts';
import { searchPage } from '../support/probe_exchanges.ts';

const dialect = dialectWith({
  search: { paging: { style: 'page', param: 'page', size_param: 'limit', size: 2 } },
});

/** A first page with two of the query's matches. */
function pageWith(...sizes: readonly Param[]): SearchPage {
  const page = searchPage('acorn', [
    { id: 'C1', name: 'Acorn 1' },
    { id: 'C2', name: 'Acorn 2' },
  ]);
  const { request } = page.exchange;
  const exchange = { ...page.exchange, request: { ...request, params: [...request.params, ...sizes] } };
  return { ...page, exchange, rows: [{ id: 'C1' }, { id: 'C2' }] };
}

function queriesFrom(page: SearchPage, isWhole = false): unknown[] {
  const beliefs = {
    addresses: { value: null },
    search: { pages: [page], isWhole: () => isWhole },
  } as unknown as Beliefs;
  return adoptable([], beliefs, dialect).map(({ call }) => call.kind === 'search' && call.query.text);
}

describe('the pages that the mirror takes over from a probe', () => {
  it('a full page is taken over if it was requested without a page size or with the size in the dialect', () => {
    expect(queriesFrom(pageWith())).toEqual(['acorn']);
    expect(queriesFrom(pageWith(['limit', '2']))).toEqual(['acorn']);
  });

  it('a full page is not taken over if it was requested with other page sizes', () => {
    expect(queriesFrom(pageWith(['limit', '3']))).toEqual([]);
    expect(queriesFrom(pageWith(['limit', '2'], ['per_page', '3']))).toEqual([]);
  });

  it('a page with all matches is taken over whatever page sizes were requested', () => {
    expect(queriesFrom(pageWith(['per_page', '3']), true)).toEqual(['acorn']);
  });

  it('a query in another form than that of the dialect is not taken over', () => {
    expect(queriesFrom({ ...pageWith(), query: '?*:*' })).toEqual([]);
  });
});
