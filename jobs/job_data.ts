import { z } from 'zod';
import { FailedError } from '../src/errors.ts';

/**
 * The version of `JobData`. Increase it when the meaning of the data changes. A worker then rejects the jobs that
 * another version left in Redis, and does not misread them.
 */
export const JOB_VERSION = 1;

const Data = z.strictObject({
  version: z.literal(JOB_VERSION),
  /** The reason for which the job was queued, for the dashboard. */
  because: z.string(),
  /** The request of a queued backfill. */
  backfill: z
    .strictObject({
      /** Number of the backfill in the warehouse. */
      id: z.int().positive(),
      /** The most calls that the backfill may spend in all its batches; null: no limit. */
      max_calls: z.int().positive().nullable(),
      /** UTC. */
      asked_at: z.iso.datetime(),
    })
    .optional(),
});
export type JobData = z.infer<typeof Data>;

/**
 * Validates the data of a job.
 *
 * @throws FailedError if another version or another program wrote the data.
 */
export function readJobData(data: unknown): JobData {
  const parsed = Data.safeParse(data);
  if (parsed.success) return parsed.data;
  const version = versionOf(data);
  const fault =
    version === null || version === JOB_VERSION
      ? 'the data of this job were not written by registry-mirror'
      : `another version wrote this job (data version ${version}, this worker reads ${JOB_VERSION})`;
  throw new FailedError(`${fault}; the job did nothing`, {
    hint: 'Remove it from the queue. The schedules queue the same work again.',
  });
}

function versionOf(data: unknown): string | number | null {
  const version = typeof data === 'object' && data !== null && 'version' in data ? data.version : null;
  return typeof version === 'number' || typeof version === 'string' ? version : null;
}
