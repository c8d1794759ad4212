import { UnrecoverableError } from 'bullmq';
import { MirrorError } from '../src/errors.ts';

/** The result of a finished job, as the dashboard shows it. It is small because Redis stores it twice. */
export interface JobResult {
  readonly summary: string;
  /** Row of `_run`; null: the job needed no run. */
  readonly run: number | null;
  readonly ended: string;
  readonly calls: number;
  readonly new: number;
  readonly fetched: number;
  readonly changed: number;
  readonly gone: number;
  readonly quarantined: number;
  /** UTC; null: the job does not wait for quota, or no quota will return. */
  readonly resumes_at: string | null;
}

/** The result of a job that made no call. */
export function resultWithoutCalls(summary: string, ended: string, run: number | null = null): JobResult {
  const counts = { calls: 0, new: 0, fetched: 0, changed: 0, gone: 0, quarantined: 0 };
  return { summary, run, ended, ...counts, resumes_at: null };
}

/** The failure of a job. BullMQ does not retry it, because an immediate retry would fail again. */
export class JobFailed extends UnrecoverableError {
  /**
   * The stage that failed. `refused`: the job itself is wrong; `opening`: the files could not be opened or locked;
   * `running`: the run failed and has its row in `_run`.
   */
  readonly at: 'refused' | 'opening' | 'running';

  constructor(message: string, at: JobFailed['at'], cause?: unknown) {
    super(message);
    this.name = 'JobFailed';
    this.at = at;
    this.cause = cause;
  }

  /** Wraps an error, with its hint in the message. */
  static from(error: unknown, at: JobFailed['at']): JobFailed {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof MirrorError && error.hint !== null ? `. ${error.hint}` : '';
    return new JobFailed(`${message}${hint}`, at, error);
  }
}
