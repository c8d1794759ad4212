import type { Config } from '../config/config.ts';
import { readLines } from '../config/line_list.ts';
import type { Wanted } from '../plan/wanted/wanted_planner.ts';
import { wantedOf } from './backfill_items.ts';

/** The names, ids or queries that the user wants, instead of the whole registry. */
export interface Watchlist {
  readonly of: 'names' | 'ids' | 'queries';
  readonly lines: readonly string[];
}

/** Reads the watchlist's file. Returns null if the scope is the whole registry. */
export function readWatchlist(scope: Config['scope']): Watchlist | null {
  if (scope === 'whole') return null;
  if ('names' in scope) return { of: 'names', lines: readLines(scope.names) };
  if ('ids' in scope) return { of: 'ids', lines: readLines(scope.ids) };
  return { of: 'queries', lines: readLines(scope.queries) };
}

/** Returns what the watchlist selects. It selects the same as a backfill of its lines. */
export function watchedBy({ of, lines }: Watchlist): Wanted {
  const items = lines.map((given) => ({ kind: KINDS[of], searchedBy: null, given }));
  return wantedOf(items, true).wanted;
}

const KINDS = { names: 'name', ids: 'entity', queries: 'query' } as const;
