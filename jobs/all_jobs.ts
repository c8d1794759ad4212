import { backfill } from './backfill.ts';
import { fetchEntities } from './fetch_entities.ts';
import { isScheduled, type JobDefinition, type ScheduledJob } from './job.ts';
import { pollStats } from './poll_stats.ts';
import { sweepSearch } from './sweep_search.ts';

/** All of the worker's jobs. A new job needs an entry here and, if it has a schedule, in `schedules.ts`. */
export const ALL_JOBS: readonly JobDefinition[] = [pollStats, sweepSearch, fetchEntities, backfill];
export const SCHEDULED_JOBS: readonly ScheduledJob[] = ALL_JOBS.filter(isScheduled);
