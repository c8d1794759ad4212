import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { ListingCap } from '../../../src/plan/discovery/listing_cap.ts';
import { openListing } from '../../support/given_key_space.ts';

function state(rows: number, total: number | null, status: QueryState['status']): QueryState {
  return { ...openListing('acme', { total, rows }), status };
}

test('the length of a truncated listing is the cap until a longer listing is received', () => {
  const cap = new ListingCap();
  expect(cap.record(state(20, 900, 'open'))).toBe(false);
  expect(cap.rows).toBe(Infinity);
  expect(cap.record(state(300, 900, 'capped'))).toBe(true);
  expect(cap.rows).toBe(300);
  expect(cap.record(state(120, 120, 'complete'))).toBe(false);
  expect(cap.rows).toBe(300);
  expect(cap.record(state(400, 900, 'open'))).toBe(true);
  expect(cap.rows).toBe(Infinity);
});

test('a listing that ends at its total or reports none shows no cap', () => {
  const cap = new ListingCap();
  cap.record(state(300, 300, 'capped'));
  cap.record(state(300, null, 'capped'));
  expect(cap.rows).toBe(Infinity);
});
