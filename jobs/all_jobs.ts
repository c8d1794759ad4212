import { backfill } from './backfill.ts';
import type { JobDefinition } from './job.ts';
import { SCHEDULED_JOBS } from './scheduled_jobs.ts';

/** All of the worker's jobs. */
export const ALL_JOBS: readonly JobDefinition[] = [...SCHEDULED_JOBS, backfill];
