import type { DerivedTables } from '../warehouse/derived.ts';
import type { QueryPage } from '../warehouse/query.ts';
import { ListedPages } from './listing.ts';

/**
 * The pages of the listings that are under way. They are kept in memory: to read all the pages of a query again
 * for each that is added takes time that grows with their square.
 */
export interface Listings {
  /** The listing of the query that began at `listedAt`, with this page, which is written already. */
  withPage(key: string, listedAt: string, page: QueryPage): ListedPages;
}

export function openListings(queries: DerivedTables['queries']): Listings {
  const latest = new Map<string, { readonly listedAt: string; readonly pages: ListedPages }>();

  function pagesWith(key: string, listedAt: string, page: QueryPage): ListedPages {
    const known = latest.get(key);
    // A page that comes again, or of an earlier listing, took the place of one that is counted.
    const isNext = known?.listedAt === listedAt && page.sentAt >= listedAt && !known.pages.has(page.index);
    if (!isNext) return new ListedPages(queries.pagesSince(key, listedAt).map(factsOf));
    known.pages.take(factsOf(page));
    return known.pages;
  }

  return {
    withPage: (key, listedAt, page) => {
      const pages = pagesWith(key, listedAt, page);
      latest.delete(key);
      latest.set(key, { listedAt, pages });
      for (const oldest of latest.keys()) {
        if (latest.size <= MOST_LISTINGS) break;
        latest.delete(oldest);
      }
      return pages;
    },
  };
}

function factsOf(page: QueryPage) {
  return { ...page, fingerprint: page.fingerprint.toString('hex') };
}

// One of ten thousand pages takes a megabyte. What is pushed out is read again.
const MOST_LISTINGS = 16;
