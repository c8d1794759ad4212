import { type Call, FIRST_PAGE } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { AnsweredSearch } from './answered_searches.ts';
import type { Conclusions } from './conclusions.ts';
import type { Exchange } from './evidence.ts';
import { asksForAll } from './full_listing.ts';
import { PAGING_PARAMS } from './paging.ts';

/** An answer to a probe, and the call that would have brought it, had there been a dialect. */
export interface Adoption {
  readonly exchange: Exchange;
  readonly call: Call;
}

/**
 * Which answers of a probe are answers to calls that the mirror would make: the statistics, records, and first
 * pages as the dialect asks for them. They are loaded as such, so that nothing is asked twice.
 */
export function adoptable(
  exchanges: readonly Exchange[],
  conclusions: Conclusions,
  dialect: Dialect,
): Adoption[] {
  const addresses = conclusions.addresses.value;
  const others = exchanges.flatMap((exchange): Adoption[] => {
    const { request, reading } = exchange;
    const planned = { reason: request.why, expected: 0 };
    if (request.kind === 'stats' && request.path === addresses?.stats && reading === 'answered')
      return [{ exchange, call: { kind: 'stats', ...planned } }];
    if (request.kind !== 'entity' || (reading !== 'answered' && reading !== 'absent')) return [];
    const entityId = decodeURIComponent(request.path.split('/').at(-1) ?? '');
    return [{ exchange, call: { kind: 'entity', entityId, ...planned } }];
  });
  return [...others, ...firstPages(conclusions, dialect)];
}

/** Of each text the fullest first page, where it is as full as a page of the dialect, or whole. */
function firstPages({ search }: Conclusions, dialect: Dialect): Adoption[] {
  if (search === null) return [];
  const pages = new Map<string, Adoption & { readonly rows: number }>();
  for (const one of search.answered) {
    const query = queryOf(one, dialect);
    if (query === null || !isFirstPage(one, dialect, search.isWhole(one))) continue;
    const key = `${query.by}:${query.text}`;
    const { why } = one.search.request;
    const call: Call = { kind: 'search', query, page: FIRST_PAGE, reason: why, expected: 0 };
    if ((pages.get(key)?.rows ?? -1) < one.rows.length)
      pages.set(key, { exchange: one.search, call, rows: one.rows.length });
  }
  return [...pages.values()];
}

function queryOf(
  { search, text }: AnsweredSearch,
  dialect: Dialect,
): (Call & { kind: 'search' })['query'] | null {
  const { query_param, identifier_param, min_length } = dialect.search;
  if (asksForAll(search)) return min_length === 0 ? { by: 'name', text: '' } : null;
  const sent = new Map(search.request.params);
  if (text !== null)
    return identifier_param !== null && sent.has(identifier_param) ? null : { by: 'name', text };
  const identifier = identifier_param === null ? undefined : sent.get(identifier_param);
  return identifier === undefined || sent.has(query_param) ? null : { by: 'identifier', text: identifier };
}

function isFirstPage(
  { search, rows }: AnsweredSearch,
  { search: { paging } }: Dialect,
  isWhole: boolean,
): boolean {
  return (
    search.request.params.every(([name]) => !PAGING_PARAMS.has(name)) &&
    (isWhole || rows.length === paging.size)
  );
}
