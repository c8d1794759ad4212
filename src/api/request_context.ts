import type { FastifyReply } from 'fastify';

export type RequestKind = 'search' | 'entity' | 'stats' | 'other';

/** The facts about a request while it is served. */
export interface RequestContext {
  /** Epoch milliseconds of the arrival, with fractions. */
  readonly atMs: number;
  readonly kind: RequestKind;
  readonly method: string;
  readonly url: string;
  /** The id for a record, else the URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** null: no key was sent, or the key is unknown. */
  account: string | null;
  /** null until a response is known. */
  status: number | null;
}

/** Is notified of requests, and can replace responses. */
export interface RequestObserver {
  /** Called for each request before it is checked. */
  onRequest(context: RequestContext): void;
  /** Called before a response is sent. Returns 'sent' if the observer sends a response instead of the service. */
  onResponse(context: RequestContext, response: ApiResponse, reply: FastifyReply): 'sent' | 'unchanged';
}

/** A complete response, before it is sent or replaced by a fault. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonResponse(body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status: 200, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}
