import type { FastifyReply } from 'fastify';
import type { Answer } from './answer.ts';

export type VisitKind = 'search' | 'entity' | 'stats' | 'other';

/** One request as it is served: what a spectator may know of it. */
export interface Visit {
  /** Epoch milliseconds of the arrival, with fractions. */
  readonly atMs: number;
  readonly kind: VisitKind;
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
export interface Spectator {
  /** Told of every request, before anything is decided about it. */
  arrived(visit: Visit): void;
  answering(visit: Visit, answer: Answer, reply: FastifyReply): 'taken' | 'left';
}
