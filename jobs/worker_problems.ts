import { MirrorError } from '../src/errors.ts';
import type { Health, Problem } from '../src/report/health.ts';
import { messageOf } from './redis.ts';
import type { FailureBeforeRun } from './schedule_reconciler.ts';

/** A problem of the mirror (see `src/report/health.ts`), or a problem that the worker has with its files or jobs. */
export type WorkerProblem = Omit<Problem, 'name'> & { readonly name: string };

/** The conditions that only a person can end, most urgent first. */
export function problemsOf(state: {
  /** The error of the last attempt to read the warehouse and the ledger; null: it succeeded. */
  readonly filesError: unknown;
  /** The jobs whose last attempt failed before its run started, by name. */
  readonly failures: ReadonlyMap<string, FailureBeforeRun>;
  /** The health of the mirror; null: it was not read yet. */
  readonly health: Health | null;
}): WorkerProblem[] {
  const jobs = [...state.failures].map(([job, { message }]) => ({
    name: 'job_cannot_start',
    cause: `The job ${job} cannot start: ${message}`,
    remedy: `Remove the cause, then run \`registry-mirror worker run ${job}\`.`,
  }));
  return [...problemOfFiles(state.filesError), ...jobs, ...(state.health?.problems ?? [])];
}

function problemOfFiles(error: unknown): WorkerProblem[] {
  if (error === null) return [];
  const remedy =
    error instanceof MirrorError && error.hint !== null ? error.hint : 'Run `registry-mirror doctor`.';
  return [
    {
      name: 'files',
      cause: `The worker cannot read the warehouse or the ledger: ${messageOf(error)}`,
      remedy,
    },
  ];
}

/** Does this problem prevent all jobs until it is solved? */
export function isBlocking({ name }: WorkerProblem): boolean {
  return name === 'files' || name === 'job_cannot_start';
}
