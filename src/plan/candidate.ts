import type { Call } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import type { PlanInput } from '../planner.ts';

/** The best call that a source can send now. */
export interface Candidate {
  readonly call: Call;
  /**
   * The value, in days on which one more record is up to date (see `CallValuation`). It is Infinity if the call comes
   * before all calls with a value.
   */
  readonly value: number;
  /** Called when the call is planned. */
  readonly planned?: () => void;
}

/** Proposes calls of one sort, such as statistics, due records or searches for new companies. */
export interface Source {
  /** Returns the best candidate, or null if no call can be sent now. */
  best(ask: PlanInput): Candidate | null;
  learn?(result: LoadResult): void;
  /** Takes back a planned call of this source that was not sent. */
  release?(call: Call): void;
  /** Whether a response can make further calls of this source more valuable, because it may find new companies. */
  readonly findsCompanies?: boolean;
  /** A sentence that explains how the responses differ from the dialect; null if they do not. */
  readonly drift?: string | null;
}

/** The facts by which a guard decides when a call may be sent. */
export interface GuardInput {
  readonly nowMs: number;
  /** The number of calls without a result. */
  readonly inFlight: number;
}

/**
 * A rule that keeps calls from being sent, by their kind, their value or the time. A rule for single targets belongs to the
 * source, because a source proposes no other call while a guard keeps back its best one. A new rule is one file and one
 * line in `src/operations/assemble.ts`.
 */
export interface Guard {
  /** Returns the time from which the candidate may be sent: Infinity if it may not be sent in this run. */
  allowedFromMs?(candidate: Candidate, input: GuardInput): number;
  /** Returns the call to send instead of this one, which can be the same call. */
  instead?(call: Call): Call;
  learn?(result: LoadResult): void;
  release?(call: Call): void;
  readonly drift?: string | null;
}
