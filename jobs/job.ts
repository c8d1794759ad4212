import { z } from 'zod';
import type { Config } from '../src/config/config.ts';
import { FailedError } from '../src/errors.ts';
import type { Workspace } from '../src/operations/assemble.ts';
import type { RunOrder, RunReport } from '../src/operations/run.ts';

/** A kind of job: a bounded slice of the engine for one kind of work. Each has a file of its own. */
export interface JobKind {
  readonly name: JobName;
  work(workspace: Workspace, data: JobData, bounds: BatchBounds): Promise<RunReport>;
}

/** How far one slice may go, and whom it tells. */
export type BatchBounds = Pick<
  RunOrder,
  'maxCalls' | 'maxMinutes' | 'signal' | 'onStarted' | 'onProgress' | 'focus'
>;

/** A job that the clock asks for. */
export interface ScheduledJob extends JobKind {
  readonly name: ScheduledName;
  pattern(config: Config): string;
  /** What happened that makes it due before its time: since when, and in words; null: nothing does. */
  broughtForward(news: RegistryNews): { readonly atMs: number; readonly because: string } | null;
}

export type ScheduledName = 'poll-stats' | 'sweep-search' | 'fetch-entities';
export type JobName = ScheduledName | 'backfill';

/** What earlier runs brought, as the warehouse tells it. */
export interface RegistryNews {
  /** When the registry's own count was last seen to differ from the one before; null: never. */
  readonly statisticsChangedAtMs: number | null;
  /** When a sweep last ended that had listed new companies or seen a summary change; null: never. */
  readonly companiesFoundAtMs: number | null;
}

/**
 * The version of `JobData`. It grows whenever the meaning of the data changes, so that a job that was left in
 * Redis by another version is refused, and not guessed at.
 */
export const JOB_VERSION = 1;

const Job = z.strictObject({
  version: z.literal(JOB_VERSION),
  /** Why it was queued, for the dashboard. */
  because: z.string(),
  /** What a backfill was asked to do. */
  backfill: z
    .strictObject({
      /** Its number in the warehouse, where it is kept. */
      id: z.int().positive(),
      /** Most calls that it may spend in all; null: no bound. */
      max_calls: z.int().positive().nullable(),
      /** UTC. */
      asked_at: z.iso.datetime(),
    })
    .optional(),
});
export type JobData = z.infer<typeof Job>;

/** What a finished job leaves on the dashboard; kept small, because Redis holds it twice. */
export interface JobResult {
  readonly summary: string;
  readonly run: number | null;
  readonly ended: string;
  readonly calls: number;
  readonly new: number;
  readonly fetched: number;
  readonly changed: number;
  readonly gone: number;
  readonly quarantined: number;
  readonly resumes_at: string | null;
}

/** Reads the data of a job. Throws FailedError when another version wrote it, or something else did. */
export function readJobData(data: unknown): JobData {
  const parsed = Job.safeParse(data);
  if (parsed.success) return parsed.data;
  const version = versionOf(data);
  const whose =
    version === null || version === JOB_VERSION
      ? 'this job was not written by registry-mirror'
      : `this job was left by another version (its data has version ${version}, this worker reads ${JOB_VERSION})`;
  throw new FailedError(`${whose}; nothing was done`, {
    hint: 'Remove it from the queue; the schedules ask for the same work again.',
  });
}

function versionOf(data: unknown): string | number | null {
  const version = typeof data === 'object' && data !== null && 'version' in data ? data.version : null;
  return typeof version === 'number' || typeof version === 'string' ? version : null;
}
