import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListedPages, openQueryListings } from '../../src/load/query_listing.ts';
import { type QueryPage, queryTable } from '../../src/warehouse/query.ts';
import { live } from '../../src/warehouse/table_naming.ts';
import { START_MS, temporaryWarehouse } from '../support/loader.ts';

const received = fc.record({
  key: fc.constantFrom('name:a', 'name:b'),
  index: fc.integer({ min: 0, max: 5 }),
  /** Responses arrive in a different order from their calls. */
  sentAfterMs: fc.integer({ min: 0, max: 20 }),
  rows: fc.integer({ min: 0, max: 2 }),
  like: fc.integer({ min: 0, max: 7 }),
});

test("adding a listing's pages one by one gives the same result as reading them all together", () => {
  const { db } = temporaryWarehouse();
  fc.assert(
    fc.property(fc.array(received, { maxLength: 25 }), (order) => {
      db.exec('DELETE FROM _query_page');
      const queries = queryTable(db, live);
      const listings = openQueryListings(queries);
      const beganAt = new Map<string, string>();
      for (const { key, index, sentAfterMs, rows, like } of order) {
        const sentAt = new Date(START_MS + sentAfterMs).toISOString();
        const page: QueryPage = {
          index,
          callId: 1,
          sentAt,
          rows,
          total: null,
          next: null,
          fingerprint: Buffer.from([like]),
        };
        if (index === 0 || !beganAt.has(key)) beganAt.set(key, sentAt);
        const listedAt = beganAt.get(key) ?? sentAt;
        queries.savePage(key, page);
        const taken = listings.withPage(key, listedAt, page);
        expect(factsOf(taken)).toEqual(factsOf(readAgain(queries.listing(key, listedAt))));
      }
    }),
  );
});

function readAgain(pages: readonly QueryPage[]): ListedPages {
  return new ListedPages(pages.map((page) => ({ ...page, fingerprint: page.fingerprint.toString('hex') })));
}

function factsOf({ pages, rows, last, repeat }: ListedPages) {
  return { pages, rows, last: last?.index ?? null, repeat };
}
