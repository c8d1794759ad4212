import type { CallKind } from '../call.ts';
import type { Headers } from '../dialect/headers.ts';
import type { Json } from '../json/json.ts';

/** A request that the probe sends before a dialect exists. It costs one unit of allowance. */
export interface ProbeRequest {
  readonly kind: CallKind;
  /** The path from the host's root. Only a search's query string is separate. */
  readonly path: string;
  readonly params: readonly Param[];
  /** The question that the response should answer. The question is stored as the reason for the call. */
  readonly why: string;
}

export type Param = readonly [name: string, value: string];

/** A parameter that takes a query, and the text around the query, such as `startswith(Name,'{query}')`. */
export interface QueryHypothesis {
  readonly param: string;
  readonly template: string;
}

/** A request and its response. */
export interface ProbeExchange {
  readonly request: ProbeRequest;
  readonly status: number | null;
  readonly headers: Headers;
  /** Undefined if the body is not JSON. */
  readonly json: Json | undefined;
  /** The first few characters of the body. */
  readonly text: string;
  /** Why the body is not JSON. */
  readonly flaw?: string | null;
  readonly reading: Reading;
  /** The call's id, if it is stored. */
  readonly callId?: number;
}

/**
 * What a response means while no dialect is known:
 * - ok: JSON that describes no error
 * - absent: 404 or 410
 * - refused: the upstream considers the request invalid
 * - broken: not JSON, a server error, or no response
 * - rejected: because of a limit or the key, so the rejection reveals nothing about the request
 */
export type Reading = 'ok' | 'absent' | 'refused' | 'broken' | 'rejected';

/**
 * Reads a server error in JSON as a refusal if the same request had the same error twice. Some APIs fail in this way if a
 * parameter is missing.
 */
export function rereadServerErrors(exchanges: readonly ProbeExchange[]): ProbeExchange[] {
  const failures = exchanges.filter(({ status, json }) => status === 500 && json !== undefined);
  const isRefusal = failures.some((one, at) =>
    failures.slice(0, at).some(({ request }) => isSameRequest(request, one.request)),
  );
  return exchanges.map((one) => (isRefusal && failures.includes(one) ? { ...one, reading: 'refused' } : one));
}

export function isSameRequest(a: ProbeRequest, b: ProbeRequest): boolean {
  return a.path === b.path && paramsKey(a.params) === paramsKey(b.params);
}

export function paramOf({ request }: ProbeExchange, name: string): string | null {
  return request.params.find(([sent]) => sent === name)?.[1] ?? null;
}

/** Returns whether a search with the same parameters, in any order, was sent before. */
export function wasSent(searches: readonly ProbeExchange[], params: readonly Param[]): boolean {
  const key = paramsKey(params);
  return searches.some(({ request }) => paramsKey(request.params) === key);
}

export function paramsKey(params: readonly Param[]): string {
  return JSON.stringify([...params].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns whether two lists begin with the same ten rows. */
export function sameRows(a: readonly unknown[], b: readonly unknown[]): boolean {
  const text = (rows: readonly unknown[]) =>
    JSON.stringify(rows.slice(0, 10), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  return text(a) === text(b);
}

/** Returns whether two searches begin with the same rows, so that what differs between them may have no effect. */
export function haveSameStart(a: readonly unknown[], b: readonly unknown[]): boolean {
  const shared = Math.min(a.length, b.length);
  return shared > 0 && sameRows(a.slice(0, shared), b.slice(0, shared));
}

/** Returns whether responses to equal requests begin with the same rows. A response without rows shows nothing. */
export function areStable(responses: readonly (readonly unknown[])[]): boolean {
  const [first, ...others] = responses.filter((rows) => rows.length > 0);
  return first === undefined || others.every((rows) => haveSameStart(first, rows));
}

/**
 * The leading hypothesis for one field of the dialect, after all evidence:
 * - sure: every check of the field has passed, and none has failed
 * - likely: it is ahead of all others
 * - open: nothing distinguishes the hypotheses yet, or there is none
 */
export interface Finding<T = unknown> {
  /** Null if the property was not found or the upstream does not have it. `because` states which of the two. */
  readonly value: T;
  readonly certainty: Certainty;
  /** The evidence, as a sentence. */
  readonly because: string;
}

export type Certainty = 'sure' | 'likely' | 'open';

export const sure = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'sure', because });
export const likely = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'likely', because });
export const open = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'open', because });
