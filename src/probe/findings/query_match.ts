import type { JsonObject } from '../../json/json.ts';
import { mayFind } from '../../names/loose_matching.ts';
import type { ResultList } from '../conclusions.ts';
import type { Exchange, Param } from '../evidence.ts';
import { leavesOf } from '../json_leaves.ts';
import { QUERY_PARAMS } from '../word_lists.ts';
import { rowsAt, textAt } from './result_list.ts';

/** Which of a search's parameters have values that match the returned rows. */
export type ParamMatch =
  | OneMatch
  | { readonly is: 'several'; readonly params: readonly string[] }
  /** No parameter has a value that matches the rows. */
  | { readonly is: 'none' }
  | { readonly is: 'no_rows' };

export interface OneMatch {
  readonly is: 'one';
  readonly param: string;
  readonly query: string;
  readonly rows: number;
}

export const NO_ROWS: ParamMatch = { is: 'no_rows' };

/**
 * Compares a successful search's rows with its parameters' values. Only the parameters in `candidates` are considered.
 */
export function matchOf(
  search: Exchange,
  listing: ResultList | null,
  candidates: ReadonlySet<string>,
): ParamMatch {
  const rows = listing === null ? [] : rowsAt(search, listing.results);
  const sent = search.request.params.filter(([name]) => candidates.has(name));
  if (listing === null || rows.length === 0) return echoIn(search, sent) ?? NO_ROWS;
  const shares = sent.map((param) => ({ param, share: shareFound(param[1], rows, listing) }));
  const best = Math.max(...shares.map(({ share }) => share));
  // The upstream may have matched some rows by a field that the rows do not show.
  if (best < (rows.length < 10 ? 1 : 0.8)) return { is: 'none' };
  const fitting = shares.filter(({ share }) => share === best).map(({ param }) => param);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1)
    return { is: 'one', param: only[0], query: only[1], rows: rows.length };
  return { is: 'several', params: fitting.map(([name]) => name) };
}

/** Returns the share of rows (0 to 1) that match the query. */
function shareFound(query: string, rows: readonly JsonObject[], { names, ids }: ResultList): number {
  const paths = [...names.slice(0, 3), ...ids.slice(0, 2)];
  const found = rows.filter((row) => paths.some(({ pointer }) => mayFind(query, textAt(row, pointer) ?? '')));
  return found.length / rows.length;
}

/**
 * Returns the parameter with a value that the body repeats, because some APIs repeat the query. Returns null unless
 * there is exactly one such parameter.
 */
function echoIn({ json }: Exchange, sent: readonly Param[]): ParamMatch | null {
  const leaves = json === undefined ? [] : leavesOf(json);
  const repeated = sent.filter(([, query]) => leaves.some(({ value }) => value === query));
  const [only] = repeated;
  return only !== undefined && repeated.length === 1
    ? { is: 'one', param: only[0], query: only[1], rows: 0 }
    : null;
}

/**
 * Returns the parameters that may take the query, which are candidates in every search that several candidates explain.
 */
export function possibleParams(searches: readonly Exchange[], listing: ResultList): string[] {
  const candidates = new Set(QUERY_PARAMS);
  const matches = searches
    .filter(({ reading }) => reading === 'ok')
    .map((search) => matchOf(search, listing, candidates))
    .filter((match) => match.is === 'several');
  return QUERY_PARAMS.filter((name) =>
    matches.every((match) => match.is === 'several' && match.params.includes(name)),
  );
}
