import type { Call, CallKind } from './call.ts';
import type { LoadResult } from './knowledge.ts';

/** The quota left, from the ledger. Infinity: no limit. */
export interface QuotaLeft {
  readonly calls: number;
  /** The smallest total allowance; null: none. Statistics may use at most 2 % of it. */
  readonly lifetimeLimit: number | null;
}

export interface PlanInput {
  readonly nowMs: number;
  readonly left: QuotaLeft;
  /** The most calls that the plan may contain. */
  readonly most: number;
}

export interface Plan {
  /** The most valuable first, without duplicates and in-flight calls. */
  readonly calls: Call[];
  /** Without calls: the time of the earliest retry; null: no call will become due. */
  readonly wakeAtMs: number | null;
  /** The sentence that explains why the upstream no longer matches the dialect; null: no drift. */
  readonly drift: string | null;
}

/** Chooses the most valuable calls. It sends and writes nothing. */
export interface Planner {
  next(ask: PlanInput): Plan;
  /** Learns from the committed result of a planned call. */
  learn(result: LoadResult): void;
  /** Takes back a planned call that was not sent (quota exhausted, run interrupted). It may be planned again. */
  release(call: Call): void;
}

export interface MaxAge {
  readonly statsMs: number;
  readonly summariesMs: number;
  readonly recordsMs: number;
}

export type Focus = 'coverage' | 'records' | 'freshness';

/** The wanted companies: all, or a watchlist of names, ids or queries. */
export type Scope =
  | { readonly of: 'whole' }
  | { readonly of: 'names'; readonly names: readonly string[] }
  | { readonly of: 'ids'; readonly ids: readonly string[] }
  | { readonly of: 'queries'; readonly queries: readonly string[] };

export interface PlannerSettings {
  /** The start of the run in epoch milliseconds. It decides what is due, so that a run fetches nothing twice. */
  readonly startedAtMs: number;
  /** The age at the start of the run above which a target is due. */
  readonly maxAge: MaxAge;
  readonly focus: Focus;
  /** Kinds of call that may be planned now. */
  readonly kinds: ReadonlySet<CallKind>;
  readonly scope: Scope;
}
