import { describe, expect, it } from 'vitest';
import { firstPageYield, listingPays, nextPageYield } from '../../../src/plan/discovery/search_yield.ts';

const PAGES_OF_20 = { pageSize: 20, window: Number.POSITIVE_INFINITY };
const FIRST_100 = { pageSize: 20, window: 100 };

describe('a first look', () => {
  it('is worth what a text that can be listed brings, divided by its pages', () => {
    expect(firstPageYield({ known: 10, unseen: 30 }, PAGES_OF_20)).toBe(15);
    expect(firstPageYield({ known: 10, unseen: 31 }, PAGES_OF_20)).toBeCloseTo(31 / 3);
  });

  it('costs one call however little is there', () => {
    expect(firstPageYield({ known: 0.1, unseen: 0.2 }, PAGES_OF_20)).toBe(0.2);
    expect(firstPageYield({ known: 0, unseen: 0 }, PAGES_OF_20)).toBe(0);
  });

  it('of a text that is cut off is worth less than a page whose companies are new as often as elsewhere', () => {
    expect(firstPageYield({ known: 150, unseen: 50 }, FIRST_100)).toBeCloseTo(0.8 * 20 * (50 / 200));
  });
});

describe('the next page', () => {
  it('shows as many new companies as the share of new ones among those not listed yet', () => {
    expect(nextPageYield({ known: 60, unseen: 40 }, 20, PAGES_OF_20)).toBe(10);
  });

  it('is worth what is left when it is the last', () => {
    expect(nextPageYield({ known: 20, unseen: 5 }, 20, PAGES_OF_20)).toBe(5);
  });

  it('is as short as what can still be reached', () => {
    expect(nextPageYield({ known: 90, unseen: 100 }, 90, FIRST_100)).toBe(10);
  });
});

describe('a text that is cut off is listed first', () => {
  it('when the texts below it find too few for a call each', () => {
    const parts = Array.from({ length: 100 }, () => ({ known: 0, unseen: 2 }));
    expect(listingPays({ whole: { known: 20, unseen: 200 }, parts, rows: 20, limits: FIRST_100 })).toBe(true);
  });

  it('and not when each of the texts below it fills a page', () => {
    const parts = Array.from({ length: 10 }, () => ({ known: 0, unseen: 20 }));
    expect(listingPays({ whole: { known: 20, unseen: 200 }, parts, rows: 20, limits: FIRST_100 })).toBe(
      false,
    );
  });

  it('and not when nearly all that it shows is known', () => {
    const parts = [{ known: 190, unseen: 5 }];
    expect(listingPays({ whole: { known: 190, unseen: 5 }, parts, rows: 20, limits: FIRST_100 })).toBe(false);
  });

  it('and not when no more of it can be reached', () => {
    const parts = [{ known: 0, unseen: 20 }];
    expect(listingPays({ whole: { known: 100, unseen: 200 }, parts, rows: 100, limits: FIRST_100 })).toBe(
      false,
    );
  });
});
