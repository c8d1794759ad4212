import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../knowledge.ts';
import { exactTotal } from '../names/query_matching.ts';
import { checkedRows, countOfListing, isChecked, ROUND_LIMIT } from '../whole_listing.ts';
import { conclusiveQueries, withInferredIdentifiers } from './discovery/identifier_rule.ts';

/** The lower and upper bounds on the number of companies in the registry, and the evidence for them. */
export interface RegistrySize {
  readonly low: number;
  /** The upper bound; null if unknown. */
  readonly high: number | null;
  readonly by: 'statistics' | 'totals' | 'nothing';
}

/**
 * Estimates the registry's size from the statistics or the listing of every company. Without them, the listing for any
 * query contains at least as many companies as its total.
 */
export function sizeOf(knowledge: Knowledge, given: Dialect): RegistrySize {
  const dialect = withInferredIdentifiers(given, knowledge);
  const known = knowledge.existingCount();
  const queries = conclusiveQueries(dialect, knowledge);
  const everything = listingOfAll(queries, dialect);
  const reported = latestCount(knowledge, everything, dialect, checkedRows(queries, everything));
  if (reported !== null) {
    const size = Math.max(reported.total, known);
    return { low: size, high: size, by: reported.isByStatistics ? 'statistics' : 'totals' };
  }
  const largest = queries.reduce((most, { total }) => Math.max(most, total ?? 0), 0);
  return { low: Math.max(known, largest), high: null, by: largest === 0 ? 'nothing' : 'totals' };
}

/** How many companies the upstream reports for the whole registry. */
interface LatestCount {
  readonly total: number;
  readonly observedAtMs: number;
  /** True if the statistics report the count, and false if it is the number of companies that the empty query matches. */
  readonly isByStatistics: boolean;
  /** True if both report the same number, or if other searches have returned enough companies of the listing. */
  readonly isConfirmed: boolean;
}

/**
 * Returns the count in the statistics or the number of companies that the empty query matches, whichever is larger, or
 * null if neither is known. Statistics can lag behind, or count only some of the companies. `rowsBeside` is the number of
 * rows that other searches have returned since the listing of all companies began.
 */
export function latestCount(
  knowledge: Pick<Knowledge, 'latestStats' | 'existingCount' | 'hasSeveralRows'>,
  everything: QueryState | null,
  dialect: Dialect,
  rowsBeside: number,
): LatestCount | null {
  const stats = knowledge.latestStats();
  const known = knowledge.existingCount();
  const listed =
    everything === null
      ? null
      : countOfAll(everything, dialect, { known, rowsBeside, hasSeveralRows: knowledge.hasSeveralRows() });
  if (everything !== null && listed !== null && listed > (stats?.total ?? 0)) {
    const isConfirmed = isChecked(listed, rowsBeside);
    return { total: listed, observedAtMs: everything.listedAtMs, isByStatistics: false, isConfirmed };
  }
  return stats === null || stats.total === null
    ? null
    : {
        total: stats.total,
        observedAtMs: stats.observedAtMs,
        isByStatistics: true,
        isConfirmed: listed === stats.total,
      };
}

/** Returns the empty query's state, or null if the query was not sent or the upstream does not accept it. */
export function listingOfAll(queries: Iterable<QueryState>, { search }: Dialect): QueryState | null {
  if (search.min_length > 0) return null;
  for (const state of queries) if (isOfAll(state)) return state;
  return null;
}

/** Returns whether this is the empty name query, which lists every company if the upstream permits it. */
export function isOfAll({ query }: Pick<QueryState, 'query'>): boolean {
  return query.by === 'name' && query.text === '';
}

/**
 * Returns the number of companies that the empty query matches: its total or, if the listing is complete, its number of
 * rows. Returns null if that number is unknown, or may be an undocumented limit.
 */
function countOfAll(
  { total, rows, status }: QueryState,
  dialect: Dialect,
  {
    known,
    rowsBeside,
    hasSeveralRows,
  }: { readonly known: number; readonly rowsBeside: number; readonly hasSeveralRows: boolean },
): number | null {
  if (dialect.search.min_length > 0 || rows === 0) return null;
  const exact = exactTotal(total, dialect);
  if (status === 'complete')
    return countOfListing({ rows, total: exact, checkedRows: rowsBeside, hasSeveralRows }, known);
  return exact === null || exact % ROUND_TOTAL === 0 || (exact % ROUND_LIMIT === 0 && known > exact)
    ? null
    : exact;
}

const ROUND_TOTAL = 1_000;
