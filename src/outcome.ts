import type { Call } from './call.ts';
import type { JsonObject } from './json/json.ts';

/**
 * One HTTP request and its response, before the body is parsed. The loader stores the response first, so that a parser
 * error cannot lose it.
 */
export interface Attempt {
  /** The id is unique in the warehouse. Later calls have larger ids (see `call_id` in docs/architecture.md). */
  readonly callId: number;
  readonly call: Call;
  /** The time at which the request was sent, in ISO 8601 with milliseconds. */
  readonly sentAt: string;
  /**
   * The last call whose response had arrived when this call was sent. Absent if it was the previous call. Times cannot
   * show this order, because the clock can be set.
   */
  readonly sentAfter?: number;
  readonly durationMs: number;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** The decompressed body; null if it is absent. If only its first bytes are stored, `isIncomplete` is true. */
  readonly body: Buffer | null;
  /** The response headers. The loader stores those that are needed to parse the body again. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Why there is no usable response. Absent if the response is usable. */
  readonly failure?: string;
}

/** The `failure` of a response whose body is not stored, because the key could not be removed from it. */
export const KEY_IN_BODY =
  'the response repeats the key in an encoding that cannot be removed, so its body is not stored';

/** The `failure` of a response of which only the first bytes are stored. */
export function tooLargeText(maxBytes: number): string {
  return `${LARGE_BODY} ${maxBytes} bytes (upstream.max_body)`;
}

/** The `failure` of a response whose headers exceed the limit. */
export function headersTooLargeText(maxBytes: number): string {
  return `${LARGE_HEADERS} ${maxBytes} bytes`;
}

/** The `failure` of a response that was cut or timed out after its first bytes, which are stored. */
export function cutText(why: string): string {
  return `${CUT} (${why})`;
}

/** Returns whether only the first bytes of the response are stored. They are evidence, and are never processed. */
export function isIncomplete({ failure }: Failed): boolean {
  return isTooLarge({ failure }) || failure?.startsWith(CUT) === true;
}

/** Returns whether the response was too large to be read, so a retry would have the same result. */
export function isTooLarge({ failure }: Failed): boolean {
  return [LARGE_BODY, LARGE_HEADERS].some((text) => failure?.startsWith(text) === true);
}

interface Failed {
  readonly failure?: string | null | undefined;
}

const LARGE_BODY = 'the body is larger than';
const LARGE_HEADERS = 'the headers are larger than';
const CUT = 'only the first bytes of the response arrived';

/** An attempt with its verdict. Processing an outcome several times has the same result as processing it once. */
export interface Outcome extends Attempt {
  readonly verdict: Verdict;
}

/** The meaning of a response, as defined by the dialect's response table. Reaching a limit is not a failure. */
export type Verdict =
  | { readonly is: 'ok'; readonly answer: Answer }
  /**
   * The response to a record call was a 404, it reported the deletion without a record (REPORTED_GONE, as a 410 does),
   * or it referred to another entity's record (`replacedBy`). A 404 or a reference needs more calls to prove that the
   * entity is gone.
   */
  | { readonly is: 'absent'; readonly shape: string; readonly replacedBy?: string }
  /**
   * The upstream reported in the entity's own record that the entity was deleted. `answer` is that record, the
   * tombstone.
   */
  | { readonly is: 'gone'; readonly answer: RecordAnswer }
  /** The query is too broad or invalid, so a retry would have the same result. */
  | {
      readonly is: 'refused';
      readonly why: string;
      /** How many companies match the query, if it is too broad and the response reports their number. */
      readonly total?: number;
    }
  | {
      readonly is: 'throttled';
      readonly untilMs: number;
      readonly why: string;
      /** The number of throttled calls since the last served one. Calls in flight at the same time count as one. */
      readonly inARow?: number;
    }
  /** The upstream reports an exhausted quota. `untilMs` is null if the upstream does not report when it resets. */
  | { readonly is: 'exhausted'; readonly untilMs: number | null; readonly why: string }
  /**
   * The upstream rejected the key. If the key has worked, one such response can be a fault of the upstream, so it is
   * `isUnconfirmed` until a later call for another target is rejected too.
   */
  | { readonly is: 'unauthorised'; readonly why: string; readonly isUnconfirmed?: true }
  /**
   * The connection failed, or the status or the body is invalid. The unit is spent.
   *
   * - `misread`: the body is valid JSON but does not match the dialect.
   * - `isLasting`: a retry would have the same result.
   * - `isWrongAddress`: the base URL is probably wrong. The response is HTML or XML instead of JSON, or a 404 for a
   *   search or the statistics.
   */
  | {
      readonly is: 'broken';
      readonly why: string;
      readonly misread?: true;
      readonly isLasting?: true;
      readonly isWrongAddress?: true;
    };

/** The `shape` of a response that reports a deletion without a record. */
export const REPORTED_GONE = 'reported as gone';
/** The `shape` of a response that redirects to a replacement, or names it, begins with this text. Its id follows. */
export const REPLACED_BY = 'replaced by ';
/** The `shape` of a response with another entity's record begins with this text. The other entity's id follows. */
export const RECORD_OF = 'record of ';

export type VerdictKind = Verdict['is'];

/** Returns whether a request was sent. A call without a valid URL costs nothing. */
export function wasSent({ status, verdict }: Pick<Outcome, 'status' | 'verdict'>): boolean {
  return verdict.is !== 'refused' || status !== null;
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
  /**
   * The results that cannot be used. The mirror quarantines them. If there are too many, one entry with a null `position`
   * represents them all.
   */
  readonly rejected: readonly { readonly position: number | null; readonly why: string }[];
  /** The number of results that `rows` lacks because they have no id. At least as many others have one. */
  readonly withoutId: number;
  /**
   * The number of results on the page, as the upstream counts them. It includes results without an id and, if a
   * company has several results, all of them.
   */
  readonly resultCount: number;
  /** The total that the upstream reports for the query; null if it reports none. */
  readonly total: number | null;
  /** The cursor or URL of the next page; null on the last page, or if the paging style uses neither. */
  readonly next: string | null;
  /** The response states that it lacks some results. */
  readonly isPartial?: true;
}

export interface SearchRow {
  readonly entityId: string;
  readonly name: string | null;
  /**
   * The unwrapped summary from the result list. With `group_as`, it is the company's first result on the page, plus a
   * list of all its results.
   */
  readonly summary: JsonObject;
}

export interface RecordAnswer {
  readonly kind: 'record';
  readonly entityId: string;
  readonly name: string | null;
  /** The record, which is the value at the JSON path `dialect.entity.root`. */
  readonly document: JsonObject;
}
