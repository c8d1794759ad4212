import type { Call, CallKind } from './call.ts';
import type { LoadResult } from './knowledge.ts';

/** What is left to spend, as the ledger sees it. Infinity: no limit. */
export interface QuotaLeft {
  readonly calls: number;
  /** The smallest whole-life allowance, where there is one: statistics may take at most 2 % of it. */
  readonly lifetimeLimit: number | null;
}

export interface PlanInput {
  readonly nowMs: number;
  readonly left: QuotaLeft;
  /** How many calls can be used now. */
  readonly most: number;
}

export interface Plan {
  /** Best value first; none twice, none that is in flight. */
  readonly calls: Call[];
  /** With no calls: when the earliest retry becomes possible; null when nothing is due. */
  readonly wakeAtMs: number | null;
  /** The upstream contradicts what is known of it: record calls have stopped. Says why, in a sentence. */
  readonly drift: string | null;
}

/** Chooses which calls are worth most. It sends and writes nothing; `learn` is told what load committed. */
export interface Planner {
  next(ask: PlanInput): Plan;
  learn(news: LoadResult): void;
  /** A planned call was not sent after all (the allowance ended, the run was interrupted): it may be planned again. */
  release(call: Call): void;
}

export interface MaxAge {
  readonly statsMs: number;
  readonly summariesMs: number;
  readonly recordsMs: number;
}

export type Focus = 'coverage' | 'records' | 'freshness';

/** Which companies are wanted: all, or a watchlist of names, ids or queries. */
export type Scope =
  | { readonly of: 'whole' }
  | { readonly of: 'names'; readonly names: readonly string[] }
  | { readonly of: 'ids'; readonly ids: readonly string[] }
  | { readonly of: 'queries'; readonly queries: readonly string[] };

export interface PlannerSettings {
  /** When the run began, in epoch milliseconds. What is due is decided by this time: within a run nothing is fetched twice. */
  readonly startedAtMs: number;
  /** How old a thing may be at the start of a run. */
  readonly maxAge: MaxAge;
  readonly focus: Focus;
  /** Kinds of call that may be planned now. */
  readonly kinds: ReadonlySet<CallKind>;
  readonly scope: Scope;
}
