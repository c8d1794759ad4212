import type { CallCount } from '../src/warehouse/activity.ts';
import type { LeaderFacts } from './leadership.ts';
import type { RegistrySnapshot } from './registry_snapshot.ts';
import type { WorkerProblem } from './worker_problems.ts';

/** The state of one registry in the worker, for health checks, metrics and the log. */
export interface RegistryState {
  readonly role: 'starting' | 'leading' | 'standing_by';
  /** The worker that leads, while this one is on standby. */
  readonly leader: LeaderFacts | null;
  /** Name of the job that runs; null: none. */
  readonly running: string | null;
  /** null: none was read yet. */
  readonly snapshot: RegistrySnapshot | null;
  /** Calls in the warehouse since this worker became leader, from all processes. */
  readonly calls: readonly CallCount[];
  /** The time at which the queue was last reconciled; null: never. */
  readonly reconciledAtMs: number | null;
  /** The error that Redis returned recently, such as OOM; null: none. */
  readonly redisError: string | null;
  /** A user has paused the queue: no job starts. */
  readonly isPaused: boolean;
  /** The conditions that only a person can end, the most urgent first. */
  readonly problems: readonly WorkerProblem[];
}
