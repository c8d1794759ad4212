/**
 * One HTTP attempt that the planner chose. It costs one unit of the allowance.
 *
 * Only the planner retries calls. A failed attempt becomes an `Outcome`, and the planner decides whether a retry is
 * worth another unit.
 */
export type Call = StatsCall | SearchCall | EntityCall;

export type CallKind = Call['kind'];

interface Planned {
  /** The planner's reason for the call, as shown by `plan --explain` and stored in `_call.reason`. */
  readonly reason: string;
  /** The expected number of new companies (for a search) or updated records (for a record call). */
  readonly expected: number;
}

interface StatsCall extends Planned {
  readonly kind: 'stats';
}

export interface SearchCall extends Planned {
  readonly kind: 'search';
  readonly query: SearchQuery;
  readonly page: PageRef;
}

export interface EntityCall extends Planned {
  readonly kind: 'entity';
  readonly entityId: string;
}

/** A query. Its `text` is sent unchanged. */
export interface SearchQuery {
  readonly by: 'name' | 'identifier';
  readonly text: string;
}

/**
 * One page of a query's results. `index` starts at 0. `next` is the cursor, URL or position of the page, if the paging
 * style uses one.
 */
export interface PageRef {
  readonly index: number;
  readonly next: string | null;
}

export const FIRST_PAGE: PageRef = { index: 0, next: null };

/** Returns the key of a call's target, as used in `_call.target`, in stored failures and for in-flight calls. */
export function targetOf(call: Call): string {
  switch (call.kind) {
    case 'stats':
      return '';
    case 'entity':
      return call.entityId;
    case 'search':
      return searchTarget(queryKey(call.query), call.page.index);
  }
}

/** The first page's number is omitted, unless the query itself ends like a page number. */
function searchTarget(key: string, index: number): string {
  return index === 0 && !/#\d+$/.test(key) ? key : `${key}#${index}`;
}

/** Returns a query's key, such as `name:acme` or `identifier:0034`. */
export function queryKey(query: SearchQuery): string {
  return `${query.by}:${query.text}`;
}

/**
 * Restores a call from its stored target. This is the inverse of `targetOf`, except that the cursor of a later page is
 * lost.
 */
export function callOfTarget(
  { kind, target, page }: { readonly kind: CallKind; readonly target: string; readonly page: number | null },
  planned: Planned,
): Call {
  const { reason, expected } = planned;
  if (kind === 'stats') return { kind, reason, expected };
  if (kind === 'entity') return { kind, entityId: target, reason, expected };
  const index = page ?? 0;
  const key = target.endsWith(`#${index}`) ? target.slice(0, -`#${index}`.length) : target;
  const colon = key.indexOf(':');
  const by = key.slice(0, colon) === 'identifier' ? 'identifier' : 'name';
  return { kind, query: { by, text: key.slice(colon + 1) }, page: { index, next: null }, reason, expected };
}
