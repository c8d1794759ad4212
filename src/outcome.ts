import type { Call } from './call.ts';
import type { JsonObject } from './json/json.ts';

/**
 * One HTTP request and its response, before the body is parsed. The loader stores it in this form first, so that a
 * failure of the parser cannot lose a response.
 */
export interface Attempt {
  /** Unique in the warehouse. Later calls have larger ids (see `call_id` in docs/architecture.md). */
  readonly callId: number;
  readonly call: Call;
  /** The time at which the request was sent: ISO 8601 with milliseconds. */
  readonly sentAt: string;
  readonly durationMs: number;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** The body after content decoding; null if it is incomplete or absent. */
  readonly body: Buffer | null;
  /** The response headers. The loader stores those that are needed to parse the body again. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The reason why there is no usable response. */
  readonly failure?: string;
}

/** The `failure` of a response whose body is not stored, because the key could not be removed from it. */
export const KEY_IN_BODY =
  'the response repeats the key in an encoding that cannot be removed, so its body is not stored';

/** An attempt with its verdict. Processing an outcome is idempotent. */
export interface Outcome extends Attempt {
  readonly verdict: Verdict;
}

/** The meaning of an attempt, by the response table of the dialect. A limit is not a failure. */
export type Verdict =
  | { readonly is: 'ok'; readonly answer: Answer }
  /** 404 for an entity. The loader collects the proof that the entity is gone. */
  | { readonly is: 'absent'; readonly shape: string }
  /** Reported by the upstream: a 410, or the mark in the dialect. `answer` is the tombstone, if the upstream sent one. */
  | { readonly is: 'gone'; readonly answer: RecordAnswer | null }
  /** The query is too broad or invalid, so a retry would have the same result. */
  | {
      readonly is: 'refused';
      readonly why: string;
      /** The matches of a query that is too broad, if the rejection reports them. */
      readonly total?: number;
    }
  | { readonly is: 'throttled'; readonly untilMs: number; readonly why: string }
  /** The upstream reports an exhausted quota. `untilMs` is null if it reports no date. */
  | { readonly is: 'exhausted'; readonly untilMs: number | null; readonly why: string }
  | { readonly is: 'unauthorised'; readonly why: string }
  /**
   * The transport, the status or the body failed. The unit is spent.
   *
   * - `misread`: the response is valid but does not match the dialect.
   * - `isLasting`: a retry would have the same result.
   */
  | { readonly is: 'broken'; readonly why: string; readonly misread?: true; readonly isLasting?: true }
  /** No byte of the request was sent. The unit was not spent, or was returned. */
  | { readonly is: 'unsent'; readonly why: string };

export type VerdictKind = Verdict['is'];

/** Was a request sent? Calls that were not sent cost nothing: `unsent`, and calls without a possible URL. */
export function wasSent({ status, verdict }: Pick<Outcome, 'status' | 'verdict'>): boolean {
  return verdict.is !== 'unsent' && !(verdict.is === 'refused' && status === null);
}

export type Answer = StatsAnswer | SearchAnswer | RecordAnswer;

export interface StatsAnswer {
  readonly kind: 'stats';
  /** The registry count; null if the dialect has no JSON path for it. */
  readonly total: number | null;
  readonly document: JsonObject;
}

export interface SearchAnswer {
  readonly kind: 'search';
  readonly rows: readonly SearchRow[];
  /** Results without a usable id, for the quarantine. If there are many, one entry without a position covers them all. */
  readonly rejected: readonly { readonly position: number | null; readonly why: string }[];
  readonly rejectedCount: number;
  /** The results of the page as the upstream counts them, with rejected results and with all results of a company. */
  readonly resultCount: number;
  /** The total that the upstream reports for the query; null if it reports none. */
  readonly total: number | null;
  /** The cursor or URL of the next page; null on the last page and for paging styles without one. */
  readonly next: string | null;
}

export interface SearchRow {
  readonly entityId: string;
  readonly name: string | null;
  /** The summary from the list, without its wrapper; with `group_as`, the first result of the page and a list of all. */
  readonly summary: JsonObject;
}

export interface RecordAnswer {
  readonly kind: 'record';
  readonly entityId: string;
  readonly name: string | null;
  /** The record, taken from the JSON path `dialect.entity.root`. */
  readonly document: JsonObject;
}
