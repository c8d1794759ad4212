import { describe, expect, it } from 'vitest';
import type {
  Conclusions,
  SearchConclusions,
  SearchPage,
  SizeFacts,
} from '../../../src/probe/conclusions.ts';
import { open, type Param, sure } from '../../../src/probe/evidence.ts';
import { cursorDrafts } from '../../../src/probe/findings/cursor_parameter.ts';
import { distinguishingDrafts } from '../../../src/probe/findings/page_and_offset.ts';
import { findPaging } from '../../../src/probe/findings/paging.ts';
import { searchExchange, searchPage } from '../../support/probe_exchanges.ts';

const size: SizeFacts = {
  byDefault: 5,
  isDefaultShown: true,
  param: sure('limit', ''),
  maxSize: open({ rows: 5, next: null }, ''),
};

function page(ids: string, ...params: readonly Param[]): SearchPage {
  const found = [...ids].map((id) => ({ id, name: id }));
  const parsed = searchPage('north', found);
  const { request } = parsed.exchange;
  return {
    ...parsed,
    exchange: { ...parsed.exchange, request: { ...request, params: [...request.params, ...params] } },
  };
}

describe('recognising the paging', () => {
  const first = page('abcde');

  it("the paging uses a parameter if no other explains the page's first row", () => {
    const second = page('b', ['limit', '1'], ['page', '2'], ['offset', '3']);
    expect(findPaging([first, second], size)).toMatchObject({
      value: { style: 'page', param: 'page', first: 1 },
      certainty: 'sure',
    });
  });

  it("the paging is likely, not sure, if two parameters explain the page's first row", () => {
    const second = page('b', ['limit', '1'], ['page', '2'], ['offset', '1']);
    const paging = findPaging([first, second], size);
    expect(paging.certainty).toBe('likely');
    expect(paging.moves.map(({ param }) => param)).toEqual(['page', 'offset']);
  });

  it('pages are numbered from 1 if the second page is beyond the known rows', () => {
    const paging = findPaging([first, page('fghij', ['page', '2'])], size);
    expect(paging).toMatchObject({ value: { param: 'page', first: 1 }, certainty: 'likely' });
  });

  it('pages are numbered from 0 if the second page has no rows although more companies match', () => {
    const [full, empty] = [page('abcde'), page('', ['page', '2'])];
    const paging = findPaging(
      [
        { ...full, total: 8 },
        { ...empty, total: 8 },
      ],
      size,
    );
    expect(paging.value).toEqual({ style: 'page', param: 'page', first: 0 });
  });

  it("no paging is found if no parameter explains the page's first row", () => {
    const second = page('e', ['limit', '1'], ['page', '2']);
    expect(findPaging([first, second], size)).toMatchObject({ value: null, certainty: 'open' });
  });

  it('the paging prefers a next-page link to any parameter', () => {
    const exchange = searchExchange({ next: '/api/search?q=north&after=e' }, 'north');
    expect(findPaging([{ ...first, exchange }], size)).toMatchObject({
      value: { style: 'next_url', next: '/next' },
      certainty: 'sure',
    });
  });

  it('an empty next-page link shows the paging if no response has more than one page', () => {
    const exchange = searchExchange({ links: { next: null } }, 'north');
    expect(findPaging([{ ...page('abc'), exchange }], size)).toMatchObject({
      value: { style: 'next_url', next: '/links/next' },
      certainty: 'likely',
    });
    const cursor = searchExchange({ paging: { next_cursor: null } }, 'north');
    expect(findPaging([{ ...page('abc'), exchange: cursor }], size).value).toBeNull();
  });
});

describe('a request for the next page', () => {
  const withCursor = (one: SearchPage, key = 'next_cursor'): SearchPage => ({
    ...one,
    exchange: { ...one.exchange, json: { [key]: 'c1' }, text: JSON.stringify({ [key]: 'c1' }) },
  });
  const conclusions = {
    query: { stated: { allowed: [], unknown: [], isListed: false, refusesUnknown: false }, mayGuess: true },
    queryParam: { value: 'q' },
  } as unknown as Conclusions;
  const paramsAfter = (...pages: SearchPage[]) =>
    cursorDrafts('north', conclusions, { pages } as unknown as SearchConclusions, true)[0]?.params;

  it('uses the cursor on a page for which the upstream ignored the paging parameters', () => {
    const ignored = withCursor(page('ab', ['limit', '2'], ['page', '2']));
    expect(paramsAfter(page('abcde'), ignored)).toEqual([
      ['q', 'north'],
      ['cursor', 'c1'],
    ]);
  });

  it("tries the cursor's key as a parameter before less likely names", () => {
    const names = [page('abcde'), page('ab', ['cursor', 'c1'])].map((one) => withCursor(one, 'nextToken'));
    expect(paramsAfter(...names)?.[1]).toEqual(['nextToken', 'c1']);
  });

  it('uses the cursor of the empty query if no other cursor is known', () => {
    const { exchange, ...rest } = withCursor(page('vwxyz'));
    const empty = {
      ...rest,
      query: null,
      exchange: { ...exchange, request: { ...exchange.request, params: [] } },
    };
    expect(paramsAfter(page('a'), empty)).toEqual([['cursor', 'c1']]);
  });
});

describe('distinguishing paging parameters', () => {
  const params = ['page', 'p', 'page_number', 'page[number]', 'pageNumber', 'page_no', 'pageNo'];
  const moves = params.map((param) => ({ style: 'page', param, first: 1, shift: 5 }) as const);
  const withoutSize = { ...size, param: open(null, '') };

  it('one request has half of the parameters if the same value moves the first row for all of them', () => {
    const search = { size: withoutSize, paging: { moves, positions: [] } } as unknown as SearchConclusions;
    const [draft] = distinguishingDrafts(['q', 'north'], page('abcdefg'), search, true);
    expect(draft?.params.map(([name]) => name)).toEqual(['q', 'page', 'p', 'page_number', 'page[number]']);
  });
});
