import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { ListingCap } from '../../../src/plan/discovery/listing_cap.ts';
import { openListing } from '../../support/open_listing.ts';

function state(
  text: string,
  { rows, total }: { rows: number; total: number | null },
  isCapped = true,
): QueryState {
  return { ...openListing(text, { total, rows }), status: isCapped ? 'capped' : 'complete' };
}

test('the length of three truncated listings is the cap until a longer listing is received', () => {
  const cap = new ListingCap();
  cap.record(state('a', { rows: 20, total: 20 }, false));
  cap.record(state('b', { rows: 300, total: 900 }));
  cap.record(state('c', { rows: 300, total: 400 }));
  cap.record(state('c', { rows: 300, total: 400 }));
  expect(cap.rows).toBe(Infinity);
  cap.record(state('d', { rows: 300, total: 301 }));
  expect(cap.rows).toBe(300);
  cap.record(state('e', { rows: 120, total: 120 }, false));
  cap.record(state('f', { rows: 400, total: 400 }, false));
  expect(cap.rows).toBe(Infinity);
});

test('a listing that ends at its total or reports none shows no cap', () => {
  const cap = new ListingCap();
  for (const text of ['a', 'b', 'c']) {
    cap.record(state(text, { rows: 300, total: 300 }));
    cap.record(state(`${text}${text}`, { rows: 300, total: null }));
  }
  expect(cap.rows).toBe(Infinity);
});
