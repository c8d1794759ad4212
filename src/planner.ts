import type { Call, CallKind } from './call.ts';
import type { LoadResult } from './knowledge.ts';

/** The remaining quota, as read from the ledger. Infinity means no limit. */
export interface QuotaLeft {
  readonly calls: number;
  /** The account's limit on calls in total; null if it has none. Statistics calls may use at most 2% of it. */
  readonly lifetimeLimit: number | null;
}

export interface PlanInput {
  readonly nowMs: number;
  readonly left: QuotaLeft;
  /** The maximum number of calls in the plan. */
  readonly most: number;
}

export interface Plan {
  /** The planned calls, most valuable first. They include neither duplicates nor in-flight calls. */
  readonly calls: Call[];
  /**
   * The time of the earliest retry if `calls` is empty; null if it is not empty or no target is waiting for a retry.
   */
  readonly wakeAtMs: number | null;
  /** A sentence that explains how the upstream's responses differ from the dialect; null if there is no drift. */
  readonly drift: string | null;
}

/** Chooses the most valuable calls. A planner sends no call and writes nothing. */
export interface Planner {
  next(ask: PlanInput): Plan;
  /** Updates the planner with a planned call's result after the result has been committed. */
  learn(result: LoadResult): void;
  /**
   * Cancels a planned call that was not sent, for example because the run was interrupted. The call may be planned
   * again.
   */
  release(call: Call): void;
}

export interface MaxAge {
  /** Null if the API has no statistics. */
  readonly statsMs: number | null;
  readonly summariesMs: number;
  readonly recordsMs: number;
}

/** How much a new company is worth compared with a fetched record. The first focus is the default. */
export const FOCUSES = ['balanced', 'coverage', 'records', 'freshness'] as const;

export type Focus = (typeof FOCUSES)[number];

/** A budget of calls that must last for some days. */
export interface Pace {
  readonly callsLeft: number;
  readonly daysLeft: number;
}

export interface PlannerSettings {
  /**
   * When the run started, in epoch milliseconds. Ages are measured at this time, so that a run fetches nothing twice.
   */
  readonly startedAtMs: number;
  /** A target is due if it was older than this when the run started. */
  readonly maxAge: MaxAge;
  readonly focus: Focus;
  /** The kinds of call that the planner may plan. */
  readonly kinds: ReadonlySet<CallKind>;
  /** The budget that must last. Absent or null: calls are sent as soon as they are due. */
  readonly pace?: Pace | null;
}
