import { type Call, FIRST_PAGE } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { idInPath } from '../dialect/request.ts';
import type { Beliefs } from './beliefs.ts';
import type { ProbeExchange } from './exchange.ts';
import { isEmptyQuery, isFirstPage, isOtherForm, type SearchPage, sizesSent } from './pages.ts';

/** A response that the probe received, and the mirror's call that would have returned the same response. */
export interface Adoption {
  readonly exchange: ProbeExchange;
  readonly call: Call;
}

/**
 * Returns the probe's responses that the mirror can use as its own: statistics, records, and first pages as the dialect
 * would request them. They are loaded into the mirror, so `sync` does not request them again.
 */
export function adoptable(
  exchanges: readonly ProbeExchange[],
  beliefs: Beliefs,
  dialect: Dialect,
): Adoption[] {
  const addresses = beliefs.addresses.value;
  const listed = new Set(beliefs.search?.pages.flatMap(({ ids }) => ids));
  const others = exchanges.flatMap((exchange): Adoption[] => {
    const { request, reading } = exchange;
    const planned = { reason: request.why, expected: 0 };
    if (request.kind === 'stats' && request.path === addresses?.stats && reading === 'ok')
      return [{ exchange, call: { kind: 'stats', ...planned } }];
    if (request.kind !== 'entity' || (reading !== 'ok' && reading !== 'absent')) return [];
    const entityId = idInPath(addresses?.entity ?? '', request.path);
    // A path with another id, or with a part of one, is a guess that the probe tried.
    return entityId === null || !listed.has(entityId)
      ? []
      : [{ exchange, call: { kind: 'entity', entityId, ...planned } }];
  });
  return [...others, ...adoptablePages(beliefs, dialect)];
}

/**
 * Returns each query's longest first page. The page must have all matches, or have been requested without other page
 * sizes than the dialect's and have as many rows as the dialect expects.
 */
function adoptablePages({ search }: Beliefs, { search: dialect }: Dialect): Adoption[] {
  // Without cursors, the pages after these could not be requested.
  const isCursorMissing = dialect.paging.style === 'cursor' && dialect.paging.first !== null;
  if (search === null || isCursorMissing) return [];
  const longest = new Map<string, Adoption & { readonly rows: number }>();
  for (const page of search.pages) {
    const { exchange, rows } = page;
    const query = queryOf(page, dialect);
    const isAsRequested = sizesSent(page).every(
      ({ name, value }) => name === dialect.paging.size_param && value === dialect.paging.size,
    );
    const isUsable = search.isWhole(page) || (isAsRequested && rows.length === dialect.paging.size);
    if (query === null || !isFirstPage(exchange) || !isUsable) continue;
    const key = `${query.by}:${query.text}`;
    const call: Call = { kind: 'search', query, page: FIRST_PAGE, reason: exchange.request.why, expected: 0 };
    if ((longest.get(key)?.rows ?? -1) < rows.length) longest.set(key, { exchange, call, rows: rows.length });
  }
  return [...longest.values()];
}

/** Returns the query that the mirror would send to request the same page, or null if it would send none. */
function queryOf(
  { exchange, query }: SearchPage,
  { identifier_param, min_length }: Dialect['search'],
): (Call & { kind: 'search' })['query'] | null {
  if (isEmptyQuery(exchange)) return min_length === 0 ? { by: 'name', text: '' } : null;
  const sent = new Map(exchange.request.params);
  const isSent = query !== null && !isOtherForm(query) && !sent.has(identifier_param ?? '');
  return isSent ? { by: 'name', text: query } : null;
}
