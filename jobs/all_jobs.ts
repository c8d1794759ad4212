import { backfill } from './backfill.ts';
import { fetchEntities } from './fetch-entities.ts';
import type { ScheduledJob } from './job.ts';
import { pollStats } from './poll-stats.ts';
import { sweepSearch } from './sweep-search.ts';

export const SCHEDULED_JOBS: readonly ScheduledJob[] = [pollStats, sweepSearch, fetchEntities];
export const ALL_JOBS = [...SCHEDULED_JOBS, backfill];
