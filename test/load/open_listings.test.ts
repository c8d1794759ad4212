import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesHash } from '../../src/load/content.ts';
import { ListedPages, OpenListings } from '../../src/load/query_listing.ts';
import { Queries, type QueryPage } from '../../src/warehouse/query.ts';
import { START_MS, temporaryWarehouse } from '../support/loader.ts';

const received = fc.record({
  key: fc.constantFrom('name:a', 'name:b'),
  index: fc.integer({ min: 0, max: 5 }),
  total: fc.constantFrom(null, 8, 9),
  overlap: fc.constantFrom('none', 'none', 'same', 'partial', 'disjoint'),
  rows: fc.integer({ min: 0, max: 2 }),
  like: fc.integer({ min: 0, max: 7 }),
});

test("adding a listing's pages one by one gives the same result as reading them all together", () => {
  const { db } = temporaryWarehouse();
  fc.assert(
    fc.property(fc.array(received, { maxLength: 25 }), (order) => {
      db.exec('DELETE FROM _query_page');
      const queries = new Queries(db);
      const listings = new OpenListings(queries, false);
      const beganWith = new Map<string, number>();
      for (const [at, { key, index, rows, like, total, overlap }] of order.entries()) {
        const callId = at + 1;
        const page: QueryPage = {
          index,
          callId,
          sentAt: new Date(START_MS).toISOString(),
          rows,
          total,
          next: null,
          fingerprint: Buffer.from([like]),
          overlap,
          moved: 0,
          earlierCall: null,
          earlierFingerprint: null,
        };
        if (index === 0 || !beganWith.has(key)) beganWith.set(key, callId);
        const firstCall = beganWith.get(key) ?? callId;
        queries.savePage(key, page);
        const taken = listings.withPage(key, firstCall, page);
        expect(factsOf(taken)).toEqual(factsOf(readAgain(queries.pages(key, firstCall))));
      }
    }),
  );
});

function readAgain(pages: readonly QueryPage[]): ListedPages {
  return new ListedPages(
    pages.map((page) => ({ ...page, fingerprint: bytesHash(page.fingerprint).toString('hex') })),
  );
}

function factsOf({ pages, rows, last, repeat, contradiction }: ListedPages) {
  return { pages, rows, last: last?.index ?? null, repeat, contradiction };
}
