/**
 * A Call is what plan hands to fetch: one HTTP attempt, one unit of allowance.
 *
 * Nothing retries below this level. A failed attempt comes back as an Outcome, and the next plan
 * decides whether another try is worth another unit.
 */
export type Call = StatsCall | SearchCall | EntityCall;

export type CallKind = Call['kind'];

interface Planned {
  /** Why this call was chosen, in a few words for `_call.reason` and `plan --explain`. */
  readonly reason: string;
  /** What the planner expects of it: new companies, or stale records repaired. */
  readonly expected: number;
}

export interface StatsCall extends Planned {
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

/** What is searched for. `text` is sent as it stands. */
export interface SearchQuery {
  readonly by: 'name' | 'identifier';
  readonly text: string;
}

/** Which page of a query: `index` counts from 0; `next` is the cursor or URL where the paging style needs one. */
export interface PageRef {
  readonly index: number;
  readonly next: string | null;
}

export const FIRST_PAGE: PageRef = { index: 0, next: null };

/** The stable text of a call's target: the key of `_call.target`, of failures and of "is it in flight?". */
export function targetOf(call: Call): string {
  switch (call.kind) {
    case 'stats':
      return '';
    case 'entity':
      return call.entityId;
    case 'search':
      return call.page.index === 0 ? queryKey(call.query) : `${queryKey(call.query)}#${call.page.index}`;
  }
}

/** The stable text of a query: `name:acme`, `identifier:0034`. */
export function queryKey(query: SearchQuery): string {
  return `${query.by}:${query.text}`;
}

/** The call that a stored target names: the inverse of `targetOf`. The cursor of a later page is not in it. */
export function callOfTarget(
  { kind, target, page }: { readonly kind: CallKind; readonly target: string; readonly page: number | null },
  planned: Planned,
): Call {
  const { reason, expected } = planned;
  if (kind === 'stats') return { kind, reason, expected };
  if (kind === 'entity') return { kind, entityId: target, reason, expected };
  const index = page ?? 0;
  const key = index === 0 ? target : target.slice(0, -`#${index}`.length);
  const colon = key.indexOf(':');
  const by = key.slice(0, colon) === 'identifier' ? 'identifier' : 'name';
  return { kind, query: { by, text: key.slice(colon + 1) }, page: { index, next: null }, reason, expected };
}
