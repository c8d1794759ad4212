import { type Call, FIRST_PAGE, type PageRef, type SearchQuery } from './call.ts';
import type { VerdictKind } from './outcome.ts';

/** The changes that one processed response made, for the planner and the run totals. */
export interface LoadResult {
  readonly call: Call;
  readonly verdict: VerdictKind;
  /** The companies on a search page, in the upstream's order. */
  readonly rows: readonly ListedCompany[];
  /** The query's state after this page; null if the call was not a search. */
  readonly query: QueryState | null;
  /** Whether the record is new and whether its content changed; null if the call was not a record call. */
  readonly record: { readonly isNew: boolean; readonly changed: boolean } | null;
  /** True if the upstream returned 404 for a known entity. */
  readonly missing: boolean;
  /** The number of quarantine rows added or updated. */
  readonly quarantined: number;
  /** The target's failure if the target is now waiting for a retry; null if the call did not fail. */
  readonly failure: Failure | null;
  /** The number of entities marked as gone: the requested entity, or others that this response proves to be deleted. */
  readonly gone: number;
  /** The number of companies that this call found for the first time. */
  readonly newCompanies: number;
  /** The id of an earlier call that got the same response, ignoring volatile fields; null if there is none. */
  readonly sameAs: number | null;
  /** A remark about the response, for `_call.note`; null if there is none. */
  readonly note: string | null;
}

export interface ListedCompany {
  readonly entityId: string;
  readonly name: string | null;
  readonly isNew: boolean;
  /** True if the summary differs from the stored one. */
  readonly changed: boolean;
  /** The time at which the company was previously listed; null if it never was. Absent if it is unknown. */
  readonly listedAtMs?: number | null;
}

/** The state of one query after its last response. */
export interface QueryState {
  readonly query: SearchQuery;
  /** The last total that the upstream reported for the query; null if it reported none. */
  readonly total: number | null;
  /**
   * The number of consecutive pages, counted from page 0, that were received in the current listing. It is also the index
   * of the next page to request, and becomes smaller if a page must be read again.
   */
  readonly pages: number;
  /** The number of rows received in the current listing. */
  readonly rows: number;
  /** The cursor, URL or position of the next page; null if the paging style has none. */
  readonly next: string | null;
  /**
   * - `open`: more pages can be requested.
   * - `complete`: all pages were received.
   * - `capped`: the remaining pages are above the cap.
   * - `refused`: the query is never sent again.
   */
  readonly status: 'open' | 'complete' | 'capped' | 'refused';
  /** When the first page of the current listing was received. */
  readonly listedAtMs: number;
  /** True if the pages contradict each other, so that companies may be missing until the next page is read again. */
  readonly isContradicted?: boolean;
  /** True if another listing had shown each of its companies before. */
  readonly isRedundant?: boolean;
}

/** Returns the next page of a query's current listing. `state` is null if the query was never sent. */
export function nextPageOf(state: Pick<QueryState, 'pages' | 'next'> | null): PageRef {
  return state === null || state.pages === 0 ? FIRST_PAGE : { index: state.pages, next: state.next };
}

/** A failed target and the earliest time at which it is retried. */
export interface Failure {
  readonly kind: Call['kind'];
  readonly target: string;
  readonly tries: number;
  /** The number of failures after which a target usually waits this long. */
  readonly step: number;
  readonly nextTryAtMs: number;
  /** A sentence that describes the last failure. */
  readonly why: string;
}

/** Returns whether the response to a record call shows that the entity exists, is gone or is unknown. */
export function isSettled(verdict: VerdictKind): boolean {
  return verdict === 'ok' || verdict === 'gone' || verdict === 'absent';
}

/** The load result for an outcome that changed nothing. */
export function noChange({
  call,
  verdict,
}: {
  readonly call: Call;
  readonly verdict: { readonly is: VerdictKind };
}): LoadResult {
  return {
    call,
    verdict: verdict.is,
    rows: [],
    query: null,
    record: null,
    missing: false,
    quarantined: 0,
    failure: null,
    gone: 0,
    newCompanies: 0,
    sameAs: null,
    note: null,
  };
}
