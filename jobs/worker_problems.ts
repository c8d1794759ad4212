import { MirrorError, messageOf } from '../src/errors.ts';
import type { Health } from '../src/report/health.ts';
import type { Problem } from '../src/report/problems.ts';
import { backfill } from './backfill.ts';
import type { FailureBeforeRun } from './schedule_reconciler.ts';

/** A problem with the mirror (see `src/report/health.ts`), or with the worker's files or jobs. */
export type WorkerProblem = Omit<Problem, 'name'> & { readonly name: string };

/**
 * Returns the problems that only a person can resolve, most urgent first. `filesError` is the error from the last
 * attempt to read the warehouse and the ledger. `failures` has the jobs whose last attempt failed before its run
 * started, by name.
 */
export function problemsOf(
  filesError: unknown,
  failures: ReadonlyMap<string, FailureBeforeRun>,
  health: Health | null,
): WorkerProblem[] {
  const jobs = [...failures].map(([job, { message }]) => ({
    name: 'job_cannot_start',
    cause: `The job ${job} cannot start: ${message}`,
    remedy:
      job === backfill.name
        ? 'Remove the cause. The job is retried. `registry-mirror status` shows the backfill.'
        : `Remove the cause, then run \`registry-mirror worker run ${job}\`.`,
  }));
  const files = filesError === null ? [] : [problemOfFiles(filesError)];
  return [...files, ...jobs, ...(health?.problems ?? [])];
}

function problemOfFiles(error: unknown): WorkerProblem {
  const remedy = (error instanceof MirrorError ? error.hint : null) ?? 'Run `registry-mirror doctor`.';
  const cause = `The worker cannot read the warehouse or the ledger: ${messageOf(error)}`;
  return { name: 'files', cause, remedy };
}

/** Returns whether this problem keeps jobs from running. */
export function isBlocking({ name }: WorkerProblem): boolean {
  return ['files', 'ledger_lost', 'job_cannot_start'].includes(name);
}
