import { queryKey, type SearchQuery } from '../call.ts';
import type { Config } from '../config/config.ts';
import { readLines } from '../config/line_list.ts';
import { folded } from '../names/folding.ts';
import type { NamedCompany } from '../names/name_candidates.ts';
import type { Wanted, WantedPlanner } from '../plan/wanted/wanted_planner.ts';
import { counted } from '../report/figures.ts';
import type { BackfillItem, BackfillItemRow, SettledItem } from '../warehouse/backfill.ts';

/**
 * Returns the result for a requested name, or null if the item is not settled yet. An item whose records are still to be
 * fetched remains open, so that a later run fetches them.
 */
export function settledName(
  { position }: BackfillItemRow,
  planner: WantedPlanner,
  at: number,
  isOver: boolean,
): SettledItem | null {
  const finding = planner.finding(at);
  const nothing = { position, entityId: null, name: null, candidates: null, note: null };
  switch (finding.is) {
    case 'open':
      return null;
    case 'not_found':
      return { ...nothing, state: 'not_found' };
    case 'found': {
      const { entityId, name } = finding.company;
      if (!isOver && planner.isFetching([entityId])) return null;
      return { ...nothing, state: 'found', entityId, name };
    }
    case 'ambiguous': {
      const candidates = finding.candidates.map(candidateData);
      const same = finding.candidates.filter(({ score }) => score === 1).length;
      const note =
        same === 0
          ? 'only similar names'
          : same === 1
            ? 'other companies may have this name'
            : `${same} companies have this name`;
      return { ...nothing, state: 'ambiguous', candidates: JSON.stringify(candidates), note };
    }
  }
}

/** Returns a company that may be meant, as documented for `--json`. */
export function candidateData({ entityId, name, score }: NamedCompany) {
  return { entity_id: entityId, name, score: Math.round(score * 1000) / 1000 };
}

/** Returns the result for a query or prefix, or null if the item is not settled yet. */
export function settledListing(
  { position, given }: BackfillItemRow,
  planner: WantedPlanner,
  at: number,
  isOver: boolean,
): SettledItem | null {
  const { isDone, found: ids, total } = planner.listing(at);
  if (!isDone || (!isOver && planner.isFetching(ids))) return null;
  const found = ids.size;
  const isTruncated = total !== null && found < total;
  const note = isTruncated
    ? `${found} of ${total} matching companies: the registry returns no more for \`${given}\``
    : counted(found, 'company', 'companies');
  const state = found > 0 ? 'found' : 'not_found';
  return { position, state, entityId: null, name: null, candidates: null, note };
}

/**
 * Returns the failure to report for an item that is still open when the backfill has ended, or null if it has not
 * ended.
 */
export function failedSearch(
  item: BackfillItemRow,
  failed: ReadonlyMap<string, string>,
  isOver: boolean,
): SettledItem | null {
  if (!isOver) return null;
  const note = failed.get(queryKey(queryOf(item))) ?? 'its searches failed';
  return { position: item.position, state: 'failed', entityId: null, name: null, candidates: null, note };
}

/** Returns what the items select. A name's or listing's index is its place among the items of that sort. */
export function wantedOf<Item extends BackfillItem>(items: readonly Item[], withRecords: boolean) {
  const entities = items.filter(({ kind }) => kind === 'entity');
  const names = items.filter(({ kind }) => kind === 'name');
  const listings = items.filter(({ kind }) => kind === 'query' || kind === 'prefix');
  const wanted: Wanted = {
    entityIds: entities.map(({ given }) => given),
    names: names.map(({ given }) => given),
    listings: listings.map((item) => ({ query: queryOf(item), splits: item.kind === 'prefix' })),
    withRecords,
  };
  return { wanted, names, listings };
}

function queryOf({ searchedBy, given }: BackfillItem): SearchQuery {
  return searchedBy === 'identifier'
    ? { by: 'identifier', text: given }
    : { by: 'name', text: folded(given) };
}

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
