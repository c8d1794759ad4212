import { backfill } from './backfill.ts';
import { fetchEntities } from './fetch_entities.ts';
import { isScheduled, type JobDefinition, type ScheduledJob } from './job.ts';
import { pollStats } from './poll_stats.ts';
import { sweepSearch } from './sweep_search.ts';

/** Every job of the worker. A new job is added here and nowhere else. */
export const ALL_JOBS: readonly JobDefinition[] = [pollStats, sweepSearch, fetchEntities, backfill];
export const SCHEDULED_JOBS: readonly ScheduledJob[] = ALL_JOBS.filter(isScheduled);
