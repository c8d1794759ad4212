import type { FastifyReply } from 'fastify';

export type RequestKind = 'search' | 'entity' | 'stats' | 'other';

/** The facts about a request while the service handles it. */
export interface RequestContext {
  /** The arrival time in epoch milliseconds, with fractions. */
  readonly atMs: number;
  readonly kind: RequestKind;
  readonly method: string;
  readonly url: string;
  /** The id if the request is for a record, otherwise the URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The account's id, or null if the request has no key or an unknown key. */
  account: string | null;
  /** The response status, or null until it is known. */
  status: number | null;
}

/** An observer that is notified of requests and can replace their responses. */
export interface RequestObserver {
  /** Called for each request, before the key and the limits are checked. */
  onRequest(context: RequestContext): void;
  /** Called before a response is sent. Returns 'sent' if the observer has sent its own response instead. */
  onResponse(context: RequestContext, response: ApiResponse, reply: FastifyReply): 'sent' | 'unchanged';
}

/** A response that has not been sent yet. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonResponse(body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status: 200, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}
