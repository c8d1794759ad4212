import { describe, expect, it } from 'vitest';
import { firstPageYield, listingPays, nextPageYield } from '../../../src/plan/discovery/search_yield.ts';

const PAGES_OF_20 = { pageSize: 20, window: Number.POSITIVE_INFINITY };
const FIRST_100 = { pageSize: 20, window: 100 };

describe("a first page's yield", () => {
  it("a first page's yield is the unseen count divided by the number of pages if the listing is below the cap", () => {
    expect(firstPageYield({ known: 10, unseen: 30 }, PAGES_OF_20)).toBe(15);
    expect(firstPageYield({ known: 10, unseen: 31 }, PAGES_OF_20)).toBeCloseTo(31 / 3);
  });

  it("a first page's yield assumes at least one page", () => {
    expect(firstPageYield({ known: 0.1, unseen: 0.2 }, PAGES_OF_20)).toBe(0.2);
    expect(firstPageYield({ known: 0, unseen: 0 }, PAGES_OF_20)).toBe(0);
  });

  it("a first page's yield for a truncated query is less than the page's share of unseen companies", () => {
    expect(firstPageYield({ known: 150, unseen: 50 }, FIRST_100)).toBeCloseTo(0.8 * 20 * (50 / 200));
  });
});

describe("a next page's yield", () => {
  it("a next page's yield is the page size times the unseen share of the rows not yet received", () => {
    expect(nextPageYield({ known: 60, unseen: 40 }, 20, PAGES_OF_20)).toBe(10);
  });

  it("a last page's yield is the remaining unseen count", () => {
    expect(nextPageYield({ known: 20, unseen: 5 }, 20, PAGES_OF_20)).toBe(5);
  });

  it("a next page's yield is limited by the cap", () => {
    expect(nextPageYield({ known: 90, unseen: 100 }, 90, FIRST_100)).toBe(10);
  });
});

describe('listing a truncated query before splitting it', () => {
  it('listing a truncated query pays off if each part has too few unseen companies to be worth a call', () => {
    const parts = Array.from({ length: 100 }, () => ({ known: 0, unseen: 2 }));
    expect(listingPays({ whole: { known: 20, unseen: 200 }, parts, rows: 20, limits: FIRST_100 })).toBe(true);
  });

  it('listing a truncated query does not pay off if each part fills a page', () => {
    const parts = Array.from({ length: 10 }, () => ({ known: 0, unseen: 20 }));
    expect(listingPays({ whole: { known: 20, unseen: 200 }, parts, rows: 20, limits: FIRST_100 })).toBe(
      false,
    );
  });

  it('listing a truncated query does not pay off if most of its rows are known', () => {
    const parts = [{ known: 190, unseen: 5 }];
    expect(listingPays({ whole: { known: 190, unseen: 5 }, parts, rows: 20, limits: FIRST_100 })).toBe(false);
  });

  it('listing a truncated query does not pay off once the cap is reached', () => {
    const parts = [{ known: 0, unseen: 20 }];
    expect(listingPays({ whole: { known: 100, unseen: 200 }, parts, rows: 100, limits: FIRST_100 })).toBe(
      false,
    );
  });
});
