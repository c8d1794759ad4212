import type { SearchCall, SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { noChange } from '../../load_result.ts';
import type { KnownCompany, News, NewsRow, QueryState } from '../knowledge.ts';
import { windowOf } from '../matching.ts';
import { indexOf } from './imagined_index.ts';
import type { Supposition } from './supposition.ts';

/** A registry that answers searches as its dialect says, over companies that are known or imagined. */
export interface ImaginedRegistry {
  /** What one search would bring; `before`: how far the query was listed, and whom it has shown. */
  search(call: SearchCall, before: QueryState | undefined, isKnown: (entityId: string) => boolean): News;
}

export function imaginedRegistry(
  companies: readonly KnownCompany[],
  dialect: Dialect,
  { seed, overlooksMarks, ranksByQuery }: Supposition,
  nowMs: number,
): ImaginedRegistry {
  const { search } = dialect;
  const { paging } = search;
  const window = Math.min(windowOf(dialect), paging.style === 'none' ? paging.size : Infinity);
  const find = indexOf(inOrder(companies, String(seed)), dialect, overlooksMarks);
  return {
    search: (call, before, isKnown) => {
      const { query, page } = call;
      if ([...query.text].length < search.min_length) return news(call, [], refused(query, nowMs));
      const found = find(query);
      const all = ranksByQuery ? inOrder(found, query.text) : found;
      // What a listing has shown so far is known; what it will show stands after that.
      const listing =
        before === undefined || page.index === 0 ? all : all.toSorted((a, b) => rank(a) - rank(b));
      const reachable = Math.min(all.length, window);
      const from = page.index * paging.size;
      const shown = listing.slice(from, Math.min(from + paging.size, reachable));
      const rows = shown.map(({ entityId, name }) => ({
        ...{ entityId, name },
        isNew: !isKnown(entityId),
        changed: false,
      }));
      const isOpen = from + paging.size < reachable;
      const isCut = reachable < all.length;
      const total = search.total === null ? null : Math.min(all.length, search.total_clamped_at ?? Infinity);
      return news(call, rows, {
        ...{ query, total, pages: page.index + 1, rows: Math.min(from + paging.size, reachable) },
        ...{ next: isOpen ? 'more' : null, listedAtMs: before?.listedAtMs ?? nowMs },
        status: isOpen ? 'open' : isCut ? 'capped' : 'complete',
      });

      function rank({ entityId }: KnownCompany): number {
        return isKnown(entityId) ? 0 : 1;
      }
    },
  };
}

/** In the order of a hash of the identifier: the same for the same salt. */
function inOrder<Company extends KnownCompany>(companies: readonly Company[], salt: string): Company[] {
  return companies
    .map((company) => ({ company, rank: hashOf(salt + company.entityId) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ company }) => company);
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

function refused(query: SearchQuery, listedAtMs: number): QueryState {
  return { query, total: null, pages: 0, rows: 0, next: null, status: 'refused', listedAtMs };
}

function news(call: SearchCall, rows: readonly NewsRow[], query: QueryState): News {
  const verdict = { is: query.status === 'refused' ? 'refused' : 'ok' } as const;
  return { ...noChange({ call, verdict }), rows, query };
}
