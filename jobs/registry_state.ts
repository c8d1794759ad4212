import type { CallCount } from '../src/warehouse/activity.ts';
import type { LeaderFacts } from './leadership.ts';
import type { RegistrySnapshot } from './registry_snapshot.ts';
import type { WorkerProblem } from './worker_problems.ts';

/** The state of one registry in the worker, for health checks, metrics and the log. */
export interface RegistryState {
  readonly role: 'starting' | 'leading' | 'standing_by';
  /** The leader while this worker is on standby; null: there is no other leader. */
  readonly leader: LeaderFacts | null;
  /** Name of the running job; null: no job is running. */
  readonly running: string | null;
  /** The latest snapshot; null: no snapshot was read yet. */
  readonly snapshot: RegistrySnapshot | null;
  /** Calls that all processes stored in the warehouse since this worker became leader. */
  readonly calls: readonly CallCount[];
  /** The time at which the queue was last reconciled, in epoch milliseconds; null: never. */
  readonly reconciledAtMs: number | null;
  /** The error that Redis returned recently, such as OOM; null: no error. */
  readonly redisError: string | null;
  /** True if a user has paused the queue, so that no job starts. */
  readonly isPaused: boolean;
  /** The conditions that only a person can end, most urgent first. */
  readonly problems: readonly WorkerProblem[];
}
