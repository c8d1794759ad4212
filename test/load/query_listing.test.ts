import { describe, expect, test } from 'vitest';
import {
  ListedPages,
  MAX_PAGES,
  type PageFacts,
  type QueryListing,
  type QueryListingRules,
  listingOf as whatAmountsTo,
} from '../../src/load/query_listing.ts';

const rules: QueryListingRules = { style: 'page', window: null, totalClampedAt: null, largestPage: 10 };

describe('pages by number or offset', () => {
  test('a full page without a total leaves the listing open', () => {
    expect(listingOf([page(0, 10)], rules).status).toBe('open');
  });
  test('a short page without a total is the last', () => {
    expect(listingOf([page(0, 10), page(1, 3)], rules)).toMatchObject({
      status: 'complete',
      rows: 13,
      pages: 2,
    });
  });
  test('a short page is not the last when the total says otherwise', () => {
    expect(listingOf([page(0, 10, 30), page(1, 9, 30)], rules).status).toBe('open');
  });
  test('an empty page is the last, whatever the total says', () => {
    expect(listingOf([page(0, 10, 30), page(1, 0, 30)], rules).status).toBe('complete');
  });
  test('the total reached is the end', () => {
    expect(listingOf([page(0, 10, 20), page(1, 10, 20)], rules).status).toBe('complete');
  });
  test('a clamped total means at least', () => {
    const clamped = { ...rules, totalClampedAt: 20 };
    expect(listingOf([page(0, 10, 20), page(1, 10, 20)], clamped).status).toBe('open');
  });
  test('the window ends what is not complete', () => {
    const capped = { ...rules, window: 20 };
    expect(listingOf([page(0, 10, 55), page(1, 10, 55)], capped).status).toBe('capped');
    expect(listingOf([page(0, 10), page(1, 10)], capped).status).toBe('capped');
    expect(listingOf([page(0, 10, 20), page(1, 10, 20)], capped).status).toBe('complete');
  });
  test('a page that repeats the one before ends the listing, is told, and counts once', () => {
    const repeated = [page(0, 10, 30), { ...page(1, 10, 30), fingerprint: 'page 0' }];
    expect(listingOf(repeated, rules)).toMatchObject({
      status: 'capped',
      rows: 10,
      note: expect.stringMatching(/repeats page 0/),
    });
  });
});

describe('what is odd about a listing is told', () => {
  test('a page that repeats any earlier one', () => {
    const turning = [page(0, 10), page(1, 10), { ...page(2, 10), fingerprint: 'page 0' }];
    expect(listingOf(turning, rules)).toMatchObject({
      status: 'capped',
      rows: 20,
      note: expect.stringMatching(/page 2 repeats page 0/),
    });
  });
  test('no end of pages', () => {
    const endless = Array.from({ length: MAX_PAGES }, (_, index) => page(index, 10));
    expect(listingOf(endless, rules)).toMatchObject({
      status: 'capped',
      note: expect.stringMatching(/no end after/),
    });
  });
  test('fewer or more rows than were announced', () => {
    const empty = listingOf([page(0, 10, 30), page(1, 0, 30)], rules);
    expect(empty).toMatchObject({ status: 'complete', note: 'received 10 rows, but the total is 30' });
    const more = listingOf([page(0, 10, 15), page(1, 10, 15)], rules);
    expect(more).toMatchObject({ status: 'complete', note: 'received 20 rows, but the total is 15' });
    expect(listingOf([page(0, 10, 15), page(1, 5, 15)], rules).note).toBeNull();
  });
});

describe('pages that name the next one', () => {
  const cursor: QueryListingRules = { ...rules, style: 'cursor' };
  test('a short page with a next is not the last', () => {
    expect(listingOf([{ ...page(0, 3), next: 'abc' }], cursor)).toMatchObject({
      status: 'open',
      next: 'abc',
    });
  });
  test('none without a next', () => {
    expect(listingOf([page(0, 10)], cursor).status).toBe('complete');
  });
  test('a full last page below the total is a cap', () => {
    expect(listingOf([page(0, 10, 99)], cursor).status).toBe('capped');
  });
});

describe('one page only', () => {
  const none: QueryListingRules = { ...rules, style: 'none' };
  test('a short one is all', () => expect(listingOf([page(0, 3)], none).status).toBe('complete'));
  test('a full one may not be', () => expect(listingOf([page(0, 10)], none).status).toBe('capped'));
  test('the total decides', () => expect(listingOf([page(0, 10, 10)], none).status).toBe('complete'));
});

test('an empty answer is complete', () => {
  expect(listingOf([page(0, 0)], rules)).toMatchObject({ status: 'complete', pages: 1, rows: 0 });
});

function listingOf(pages: readonly PageFacts[], by: QueryListingRules): QueryListing {
  return whatAmountsTo(new ListedPages(pages), by);
}

function page(index: number, rows: number, total: number | null = null): PageFacts {
  return { index, rows, total, next: null, fingerprint: `page ${index}` };
}
