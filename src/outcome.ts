import type { Call } from './call.ts';
import type { JsonObject } from './json/json.ts';

/**
 * An Attempt is one HTTP request and what came back, before the body is parsed. Load stores it in this
 * form first: whatever happens while it is parsed, the response is safe.
 */
export interface Attempt {
  /** Unique in the warehouse and growing with time (see `call_id` in docs/architecture.md). */
  readonly callId: number;
  readonly call: Call;
  /** When the request left: ISO 8601 with milliseconds. */
  readonly sentAt: string;
  readonly durationMs: number;
  /** The HTTP status, or null if no response came. */
  readonly status: number | null;
  /** The body as received, after content decoding; null if no complete body came. */
  readonly body: Buffer | null;
  /** The response headers, of which load keeps those that parsing the body again needs. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Why no usable response came. */
  readonly failure?: string;
}

/**
 * An Outcome is an attempt with its verdict: all that one call meant. Processing the same Outcome twice
 * changes nothing.
 */
export interface Outcome extends Attempt {
  readonly verdict: Verdict;
}

/** What an attempt meant. The dialect's response table decides; waiting is not failing. */
export type Verdict =
  | { readonly is: 'ok'; readonly answer: Answer }
  /** 404 for an entity. Whether it is `gone` needs proof, which load gathers. */
  | { readonly is: 'absent'; readonly shape: string }
  /** Proven by the upstream itself: a 410 or the dialect's own mark. `answer` is the tombstone, where it sent one. */
  | { readonly is: 'gone'; readonly answer: RecordAnswer | null }
  /** The query is too broad or invalid: asking the same again is in vain. */
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'throttled'; readonly untilMs: number; readonly why: string }
  /** The upstream says that the allowance is spent; null: it names no date. */
  | { readonly is: 'exhausted'; readonly untilMs: number | null; readonly why: string }
  | { readonly is: 'unauthorised'; readonly why: string }
  /**
   * Transport, status or body. The unit is spent. misread: an answer in good order that is not as the dialect
   * says. isLasting: another attempt would end the same way.
   */
  | { readonly is: 'broken'; readonly why: string; readonly misread?: true; readonly isLasting?: true }
  /** No byte of the request left: the unit was never spent, or was given back. */
  | { readonly is: 'unsent'; readonly why: string };

export type VerdictKind = Verdict['is'];

/** Did a request leave? What did not cost nothing: `unsent`, and a call for which no URL can be written. */
export function wasSent({ status, verdict }: Pick<Outcome, 'status' | 'verdict'>): boolean {
  return verdict.is !== 'unsent' && !(verdict.is === 'refused' && status === null);
}

export type Answer = StatsAnswer | SearchAnswer | RecordAnswer;

export interface StatsAnswer {
  readonly kind: 'stats';
  /** The registry's own count of companies, where the dialect says where it stands. */
  readonly total: number | null;
  readonly document: JsonObject;
}

export interface SearchAnswer {
  readonly kind: 'search';
  readonly rows: readonly SearchRow[];
  /**
   * Results without a usable id, for the quarantine: one entry each, or, if they are many, one entry without a
   * position for all of them.
   */
  readonly rejected: readonly { readonly position: number | null; readonly why: string }[];
  readonly rejectedCount: number;
  /** What the upstream says the query matches in all; null where it does not say. */
  readonly total: number | null;
  /** The cursor or URL of the next page for the styles that have one; null at the end and for the other styles. */
  readonly next: string | null;
}

export interface SearchRow {
  readonly entityId: string;
  readonly name: string | null;
  /** The summary as it stood in the list, unwrapped. */
  readonly summary: JsonObject;
}

export interface RecordAnswer {
  readonly kind: 'record';
  readonly entityId: string;
  readonly name: string | null;
  /** The record at the dialect's root. */
  readonly document: JsonObject;
}
