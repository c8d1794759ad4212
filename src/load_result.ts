import type { Call, SearchQuery } from './call.ts';
import type { VerdictKind } from './outcome.ts';

/** The changes that one processed response made, for the planner and the run totals. */
export interface LoadResult {
  readonly call: Call;
  readonly verdict: VerdictKind;
  /** The companies of a search page, in the order received. */
  readonly rows: readonly ListedCompany[];
  /** State of the query after this page; null for other kinds of call. */
  readonly query: QueryState | null;
  /** A record: its first version, or whether its content differs from the stored one. null for other kinds of call. */
  readonly record: { readonly isNew: boolean; readonly changed: boolean } | null;
  /** The upstream returned 404 for an entity that the mirror knows (listed or fetched). */
  readonly missing: boolean;
  /** The entity of this call was marked as gone. */
  readonly gone: boolean;
  /** Rows added to quarantine, or updated there. */
  readonly quarantined: number;
  /** Set while a failed target waits for its retry. */
  readonly failure: Failure | null;
  /** Entities marked as gone: the entity of this call, or others that this response proves deleted. */
  readonly goneCount: number;
  /** Companies never seen before. */
  readonly newCompanies: number;
  /** The call whose response differs from this one in volatile fields at most. */
  readonly sameAs: number | null;
  /** A finding for `_call.note`. */
  readonly note: string | null;
}

export interface ListedCompany {
  readonly entityId: string;
  readonly name: string | null;
  readonly isNew: boolean;
  /** The summary differs from the stored one. */
  readonly changed: boolean;
  /** The time of the previous listing; null: never listed before. Absent if unknown. */
  readonly listedAtMs?: number | null;
}

/** The state of one query after its last response. */
export interface QueryState {
  readonly query: SearchQuery;
  /** The latest total that the upstream reported for the query; null: none. */
  readonly total: number | null;
  /** Consecutive pages received in the current listing, from page 0. */
  readonly pages: number;
  /** Rows received in the current listing. */
  readonly rows: number;
  /** Cursor or URL of the next page, for the styles that have one. */
  readonly next: string | null;
  /** open: more pages can be requested · complete: all pages were received · capped: the rest is unreachable · refused: never sent again. */
  readonly status: 'open' | 'complete' | 'capped' | 'refused';
  /** When the first page of the current listing was received. */
  readonly listedAtMs: number;
}

/** A failed target and the earliest time of its retry. */
export interface Failure {
  readonly kind: Call['kind'];
  readonly target: string;
  readonly tries: number;
  readonly nextTryAtMs: number;
  /** The last failure, as a sentence. */
  readonly why: string;
}

/** Did the call determine the state of its entity? */
export function isSettled(verdict: VerdictKind): boolean {
  return verdict === 'ok' || verdict === 'gone' || verdict === 'absent';
}

/** The result of an outcome that changed nothing. */
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
    gone: false,
    quarantined: 0,
    failure: null,
    goneCount: 0,
    newCompanies: 0,
    sameAs: null,
    note: null,
  };
}
