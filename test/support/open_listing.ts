import type { SearchCall } from '../../src/call.ts';
import type { QueryState } from '../../src/knowledge.ts';

/** The state of a name query with an open listing: one page of 20 rows has been received. */
export function openListing(text: string, state: Partial<QueryState> = {}): QueryState {
  const page = { total: null, pages: 1, rows: 20, next: null, status: 'open' as const, listedAtMs: 1000 };
  return { query: { by: 'name', text }, ...page, ...state };
}

/** At most `most` calls, until there is none. */
export function taken(most: number, next: () => SearchCall | null): SearchCall[] {
  const calls: SearchCall[] = [];
  for (let call = next(); call !== null; call = calls.length < most ? next() : null) calls.push(call);
  return calls;
}
