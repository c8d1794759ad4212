import { describe, expect, test } from 'vitest';
import { isoTime } from '../../src/clock.ts';
import { MINUTE_MS } from '../../src/durations.ts';
import {
  ListedPages,
  listingOf as listingOfPages,
  MAX_PAGES,
  PARTIAL,
  type PageFacts,
  type QueryListing,
  type QueryListingRules,
} from '../../src/load/query_listing.ts';
import { bench } from '../support/loader.ts';

const rules: QueryListingRules = {
  style: 'page',
  hasMainRow: false,
  window: null,
  totalClampedAt: null,
  fullPage: 10,
  endsWithShortPage: true,
};

const [linked, cursor, none] = (['next_url', 'cursor', 'none'] as const).map((style) => ({ style }));

/** The numbers of rows on pages of 40, of which the last one is short. */
const pagesOf40 = (rows: number) => [...Array(Math.floor(rows / 40)).fill(40), rows % 40];

test.each<[string, number[], number | null, Partial<QueryListingRules> | undefined, Partial<QueryListing>]>([
  ['a full page, and no total', [10], null, {}, { status: 'open' }],
  ['a short page, and no total', [10, 3], null, {}, { status: 'complete', rows: 13, pages: 2 }],
  ['pages of different sizes, and no total', [10, 8, 7], null, {}, { status: 'open' }],
  ['an empty page after pages of different sizes', [10, 8, 7, 0], null, {}, { status: 'open', rows: 25 }],
  ['√pages empty ones after pages of different sizes', [10, 8, 7, 0, 0, 0], null, {}, { status: 'complete' }],
  [
    'an empty page between pages of different sizes',
    [10, 8, 7, 0, 9],
    null,
    {},
    { status: 'open', rows: 34 },
  ],
  ['an empty first page', [0], null, {}, { status: 'complete', pages: 1, rows: 0 }],
  ['a short page before the total', [10, 9], 30, {}, { status: 'open' }],
  ['as many rows as the total', [10, 10], 20, {}, { status: 'complete' }],
  ['a full page and more rows than the total', [10, 10], 15, {}, { status: 'open' }],
  ['a short page and more rows than the total', [10, 10, 3], 15, {}, { status: 'complete', rows: 23 }],
  ['an empty page and more rows than the total', [10, 10, 0], 15, {}, { status: 'complete', rows: 20 }],
  [
    'one row more than the total, which is outside the list',
    [11],
    10,
    { hasMainRow: true },
    { status: 'complete' },
  ],
  ['as many rows as a total that is a lower bound', [10, 10], 20, { totalClampedAt: 20 }, { status: 'open' }],
  ['as many rows as the cap, and no total', [10, 10], null, { window: 20 }, { status: 'capped' }],
  ['as many rows as the cap, before the total', [10, 10], 55, { window: 20 }, { status: 'capped' }],
  ['as many rows as the cap and the total', [10, 10], 20, { window: 20 }, { status: 'complete' }],
  ['a full page without a cursor', [10], null, cursor, { status: 'complete' }],
  ['a full page without a cursor, before the total', [10], 99, cursor, { status: 'capped' }],
  ['a short page, without paging', [3], null, none, { status: 'complete' }],
  ['a full page, without paging', [10], null, none, { status: 'capped' }],
  ['a full page that reaches the total, without paging', [10], 10, none, { status: 'complete' }],
  ['a round number of rows that reaches the total', Array(10).fill(10), 100, linked, { status: 'complete' }],
  ['a round number of rows, and no total', Array(10).fill(10), null, linked, { status: 'capped' }],
  ['half a round number of rows, and no total', Array(5).fill(10), null, linked, { status: 'capped' }],
  ['another number of rows, and no total', Array(9).fill(10), null, linked, { status: 'complete' }],
  ['a round number of rows and an empty page', [...Array(10).fill(10), 0], null, {}, { status: 'capped' }],
  ['half a round number and an empty page', [...Array(5).fill(10), 0], null, {}, { status: 'capped' }],
  [
    '450 rows, a short page and an empty one',
    [...pagesOf40(450), 0],
    null,
    { fullPage: 40 },
    { status: 'complete' },
  ],
  ['500 rows, the last on a short page', pagesOf40(500), null, { fullPage: 40 }, { status: 'capped' }],
  ['full pages and an empty page, and no total', [...Array(9).fill(10), 0], null, {}, { status: 'capped' }],
  [
    '37 full pages and an empty page, and no total',
    [...Array(37).fill(10), 0],
    null,
    {},
    { status: 'complete' },
  ],
  [
    '15 full pages and an empty page, and no total',
    [...Array(15).fill(10), 0],
    null,
    {},
    { status: 'capped' },
  ],
  ['a short page if pages differ', [10, 3], null, { endsWithShortPage: false }, { status: 'open' }],
  ['an empty page if pages differ', [10, 3, 0], null, { endsWithShortPage: false }, { status: 'complete' }],
  ['one full page and an empty page, and no total', [10, 0], null, {}, { status: 'complete' }],
])('a listing with %s has the right status', (_, counts, total, changes, expected) => {
  const pages = counts.map((rows, index) => page(index, rows, total));
  expect(listingOf(pages, { ...rules, ...changes })).toMatchObject(expected);
});

test('a listing is not complete if its last page is partial, but if a partial page has others after it', () => {
  const partial = (index: number, rows: number): PageFacts => ({ ...page(index, rows, null), next: PARTIAL });
  for (const pages of [
    [partial(0, 3)],
    [page(0, 10, null), partial(1, 3)],
    [page(0, 10, null), partial(1, 0)],
  ])
    expect(listingOf(pages, rules)).toMatchObject({
      status: 'capped',
      next: null,
      note: expect.stringContaining('partial'),
    });
  expect(listingOf([partial(0, 10)], rules)).toMatchObject({ status: 'open', next: null });
  expect(listingOf([partial(0, 10), partial(1, 10), page(2, 3, null)], rules).status).toBe('complete');
  expect(listingOf([partial(0, 3)], { ...rules, ...cursor }).status).toBe('capped');
});

test('a partial page links to no other page, so the page after it stays in the listing', () => {
  const reread: PageFacts = { ...page(0, 10, null), next: PARTIAL, callId: 9, overlap: 'partial' };
  expect(listingOf([reread, { ...page(1, 10, null), callId: 1 }], rules)).toMatchObject({
    status: 'open',
    contradiction: 'page 0 was read again after page 1',
  });
});

describe('a listing with page numbers or offsets', () => {
  test('an empty page before the total is reached is read again, and breaks the listing off if it is empty again', () => {
    const empty = page(1, 0, 30);
    expect(listingOf([page(0, 10, 30), empty], rules)).toMatchObject({
      status: 'open',
      pages: 1,
      rows: 10,
      contradiction: 'page 1 is empty after 10 rows, but the total is 30',
    });
    const again: PageFacts = { ...empty, callId: 9, overlap: 'same' };
    expect(listingOf([page(0, 10, 30), again], rules)).toMatchObject({
      status: 'capped',
      contradiction: null,
    });
  });
  test('an empty page that links to the next page does not end the listing, but two in a row do', () => {
    const pages = [page(0, 10), page(1, 0), page(2, 0)].map((one) => ({ ...one, next: `?p=${one.index}` }));
    expect(listingOf(pages.slice(0, 2), { ...rules, ...linked })).toMatchObject({
      status: 'open',
      pages: 2,
      next: '?p=1',
    });
    expect(listingOf(pages, { ...rules, ...linked }).status).toBe('complete');
  });
  test('a listing ends at a page that repeats the one before, counts its rows once, and gets a note', () => {
    const repeated = [page(0, 10, 30), { ...page(1, 10, 30), fingerprint: 'page 0' }];
    expect(listingOf(repeated, rules)).toMatchObject({
      status: 'capped',
      rows: 10,
      note: expect.stringMatching(/repeats page 0/),
    });
  });
});

describe('a total that changes while pages stay the same', () => {
  const total = (pages: number) => 500 + pages;
  const reread = (index: number): PageFacts => ({ ...page(index, 10, total(index)), overlap: 'same' });
  const unread = (index: number) => page(index, 10, total(index));
  test('a total that changes between most of the pages does not contradict the listing', () => {
    const pages = [...[0, 1, 2, 3, 4].map(reread), unread(5)];
    expect(listingOf(pages, rules)).toMatchObject({ pages: 6, contradiction: null });
  });
  test('a total that changes between a few of many pages contradicts the listing', () => {
    const still = Array.from({ length: 12 }, (_, index) => page(index, 10, total(12)));
    const pages = [...still, ...[12, 13, 14, 15, 16].map(reread), unread(17)];
    expect(listingOf(pages, rules)).toMatchObject({
      status: 'open',
      pages: 16,
      contradiction: 'the total changed from 516 to 517 while the listing was read',
    });
  });
});

describe("a listing's note", () => {
  test("a listing's note reports that the listing never ends", () => {
    const endless = Array.from({ length: MAX_PAGES }, (_, index) => page(index, 10));
    expect(listingOf(endless, rules)).toMatchObject({
      status: 'capped',
      note: expect.stringMatching(/no end after/),
    });
  });
  test.each([
    [100, 'capped'],
    [52, 'complete'],
  ])('a listing of 50 rows with a total of %i is %s', (total, status) => {
    const rows = [...[0, 1, 2, 3, 4].map((index) => page(index, 10, total)), page(5, 0, total)];
    rows[5] = { ...page(5, 0, total), overlap: 'same' };
    expect(listingOf(rows, rules).status).toBe(status);
  });
});

test('a listing stays open if its round total is reached but the upstream offers another page', () => {
  const offering = (count: number) =>
    listingOf(
      Array.from({ length: count }, (_, at) => ({ ...page(at, 10, 10 * count), next: `?page=${at + 2}` })),
      { ...rules, ...linked },
    );
  expect(offering(10)).toMatchObject({ status: 'open', next: '?page=11' });
  expect(offering(9).status).toBe('complete');
});

test('a listing with cursors stays open after a short page with a cursor', () => {
  const short = { ...page(0, 3), next: 'abc' };
  expect(listingOf([short], { ...rules, ...cursor })).toMatchObject({ status: 'open', next: 'abc' });
});

describe('a listing that moves while it is read', () => {
  const read = (
    index: number,
    callId: number,
    total: number | null,
    overlap: PageFacts['overlap'] = 'none',
  ) => ({
    ...page(index, 10, total),
    callId,
    sentAt: isoTime(callId * MINUTE_MS),
    overlap,
    fingerprint: `call ${callId}`,
  });

  test('a page is read again if the total changed between it and the next page', () => {
    for (const total of [39, 41]) {
      const moved = [read(0, 1, 40), read(1, 2, 40), read(2, 3, total)];
      expect(listingOf(moved, { ...rules, style: 'offset' })).toMatchObject({
        status: 'open',
        pages: 1,
        rows: 10,
        next: '10',
        contradiction: `the total changed from 40 to ${total} while the listing was read`,
      });
    }
  });

  test('the page before is read again too if a page shares no company with its earlier reading', () => {
    const disjoint = [read(0, 1, 60), read(1, 2, 60), read(2, 5, 45, 'disjoint'), read(3, 4, 45)];
    expect(listingOf(disjoint, rules)).toMatchObject({ pages: 1, contradiction: expect.any(String) });
    const back = [read(0, 1, 60), read(1, 6, 45, 'partial'), read(2, 5, 45, 'disjoint'), read(3, 4, 45)];
    expect(listingOf(back, rules)).toMatchObject({ pages: 2, contradiction: expect.any(String) });
  });

  test('a page is read again if more than twelve hours passed before the next page', () => {
    const later = 13 * 60;
    const pages = [read(0, 1, null), read(1, 2, null), read(2, later, null)];
    expect(listingOf(pages, rules)).toMatchObject({
      pages: 1,
      contradiction: expect.stringMatching(/long after/),
    });
    const again = [read(0, 1, null), read(1, later + 1, null, 'same'), read(2, later, null)];
    expect(listingOf(again, rules).pages).toBe(3);
  });

  test('totals are ignored after four of them changed although the pages stayed the same', () => {
    const pagesRead = (sameCount: number) => {
      const same = Array.from({ length: sameCount }, (_, at) => read(at, 10 + at, 90 - at, 'same'));
      return [...same, read(sameCount, 10 + sameCount, 50), read(sameCount + 1, 11 + sameCount, 40)];
    };
    expect(listingOf(pagesRead(4), rules)).toMatchObject({ pages: 3, contradiction: expect.any(String) });
    expect(listingOf(pagesRead(5), rules)).toMatchObject({ pages: 7, contradiction: null });
  });
});

test('a company that moved to an earlier page is looked for, although the page that shows the move was read again', () => {
  const { search } = bench({ dialect: { search: { paging: { style: 'page', param: 'page', size: 3 } } } });
  const read = (index: number, total: number, ids: string) =>
    search('a', listed(total, ids.split('')), { page: index }).query;
  read(0, 8, 'ABC');
  // G has moved before A, so C is on the second page too. Then B is deleted.
  read(1, 8, 'CDE');
  expect(read(2, 7, 'H')).toMatchObject({ isContradicted: true, pages: 1 });
  expect(read(1, 7, 'DEF')).toMatchObject({ isContradicted: true, pages: 2 });
  expect(read(2, 7, 'H')).toMatchObject({ status: 'open', pages: 0, isContradicted: true });
});

describe('a company that was received before the total fell and is gone', () => {
  function readBeforeFall() {
    const mirror = bench({ dialect: { search: { paging: { style: 'page', param: 'page', size: 3 } } } });
    const read = (index: number, total: number, ids: string) =>
      mirror.search('a', listed(total, ids.split('')), { page: index }).query;
    read(0, 8, 'ABC');
    // B has moved behind H, so D is on the first page. Then B is deleted.
    read(1, 8, 'EFG');
    read(2, 7, 'H');
    read(1, 7, 'EFG');
    expect(read(2, 7, 'H')).toMatchObject({ status: 'complete', rows: 7 });
    return mirror;
  }
  const state = 'SELECT status, repeats FROM _query';
  const missing = (mirror: ReturnType<typeof bench>) => {
    mirror.record('B', { error: 'not found' }, 404);
    const next = mirror.reopen();
    next.record('NEVER-1', { error: 'not found' }, 404);
    next.record('B', { error: 'not found' }, 404);
    next.record('A', { id: 'A', name: 'A' });
    expect(mirror.value('SELECT count(*) FROM _company WHERE gone_at IS NOT NULL')).toBe(1);
  };

  test('shows that the listing lacks another one, so it is read again', () => {
    const mirror = readBeforeFall();
    missing(mirror);
    expect(mirror.all(state)).toEqual([{ status: 'open', repeats: 1 }]);
  });

  test('shows nothing if its record was received after the listing', () => {
    const mirror = readBeforeFall();
    mirror.record('B', { id: 'B', name: 'B' });
    missing(mirror);
    expect(mirror.all(state)).toEqual([{ status: 'complete', repeats: 0 }]);
  });
});

test('companies that are added while a listing is read do not start it again', () => {
  const { search } = bench({ dialect: { search: { paging: { style: 'page', param: 'page', size: 3 } } } });
  search('a', listed(5, ['A', 'B', 'C']));
  search('a', listed(6, ['C', 'D', 'E']), { page: 1 });
  search('a', listed(6, ['N', 'A', 'B']));
  expect(search('a', listed(6, ['C', 'D', 'E']), { page: 1 }).query).toMatchObject({ status: 'complete' });
});

test('a listing without a total is read again while companies that were received twice hide others', () => {
  const { search } = bench({ dialect: { search: { paging: { style: 'page', param: 'page', size: 3 } } } });
  const page = (ids: string) => ({ results: ids.split('').map((id) => ({ id, name: `Acme ${id}` })) });
  const read = (...pages: string[]) =>
    pages.map((ids, index) => search('', page(ids), { page: index }).query).at(-1);
  expect(read('ABC', 'BCE', 'F')).toMatchObject({ pages: 0, isContradicted: true });
  expect(read('FBC', 'ADE', 'G')).toMatchObject({ status: 'complete', rows: 7 });
});

test('a listing goes on after a page that failed four times, and is truncated without it until it is read', () => {
  const { search } = bench({ dialect: { search: { paging: { style: 'page', param: 'page', size: 3 } } } });
  const page = (ids: string) => ({ results: ids.split('').map((id) => ({ id, name: id })) });
  search('a', page('ABC'));
  const failed = Array.from({ length: 4 }, () => search('a', 'broken', { page: 1, status: 500 }).query);
  expect(failed.map((state) => state?.pages)).toEqual([undefined, undefined, undefined, 2]);
  expect(search('a', page('GH'), { page: 2 }).query).toMatchObject({ status: 'open', pages: 3 });
  expect(search('a', page(''), { page: 3 }).query).toMatchObject({ status: 'capped', rows: 5 });
  expect(search('a', page('DEF'), { page: 1 }).query).toMatchObject({ status: 'open', isContradicted: true });
  expect(search('a', page('GH'), { page: 2 }).query).toMatchObject({ status: 'complete', rows: 8 });
});

test('a listing is redundant until it is the first to show a company', () => {
  const { search, record } = bench();
  const read = (query: string, ids: string[]) => search(query, listed(ids.length, ids)).query?.isRedundant;
  record('A', { id: 'A', name: 'Acme A' });
  expect(read('a', ['A'])).toBeUndefined();
  expect(read('b', ['A'])).toBe(true);
  expect(read('b', ['A', 'B'])).toBeUndefined();
  expect(read('b', ['A', 'B'])).toBeUndefined();
});

function listingOf(pages: readonly PageFacts[], by: QueryListingRules): QueryListing {
  return listingOfPages(new ListedPages(pages), by);
}

function page(index: number, rows: number, total: number | null = null): PageFacts {
  const callId = index + 1;
  return {
    index,
    callId,
    sentAt: isoTime(0),
    rows,
    total,
    next: null,
    fingerprint: `page ${index}`,
    overlap: 'none',
  };
}

function listed(total: number, ids: readonly string[]) {
  return { total, results: ids.map((id) => ({ id, name: `Acme ${id}` })) };
}
