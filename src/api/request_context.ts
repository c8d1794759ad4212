import type { FastifyReply } from 'fastify';

export type RequestKind = 'search' | 'entity' | 'stats' | 'other';

/** One request as it is served: what a spectator may know of it. */
export interface RequestContext {
  /** Epoch milliseconds of the arrival, with fractions. */
  readonly atMs: number;
  readonly kind: RequestKind;
  readonly method: string;
  readonly url: string;
  /** The id for an entity, else the URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** null: no key, or no account's. */
  account: string | null;
  /** null until it is answered. */
  status: number | null;
}

/** Looks on while requests are served, and may take the sending of an answer upon itself. */
export interface RequestObserver {
  /** Told of every request, before anything is decided about it. */
  arrived(context: RequestContext): void;
  answering(context: RequestContext, answer: ApiResponse, reply: FastifyReply): 'taken' | 'left';
}

/** What is sent for one request, whole: made without side effects, delivered (or spoilt by a fault) afterwards. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonResponse(body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status: 200, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}
