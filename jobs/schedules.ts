import type { Config } from '../src/config/config.ts';
import { canSplit } from '../src/names/query_matching.ts';
import { allowanceOf } from '../src/operations/configured_ledger.ts';
import type { FactSettings } from '../src/report/facts.ts';

/**
 * A job's schedule. Schedules are kept apart from job definitions, so that code that only reads schedules does not load
 * the engine.
 */
export interface JobSchedule {
  /** The job's name in the queue and in `_run.command`. */
  readonly name: string;
  /** The job's title on the status page, such as `Statistics`. */
  readonly title: string;
  /** The job's cron pattern. */
  pattern(config: Config): string;
  /** The age at which this job's data becomes due, in milliseconds. The status page shows it. */
  maxAgeMs?(config: Config): number;
  /** Whether the job can have something to do. A job without this method always can. */
  isNeeded?(config: Config): boolean;
}

export const SCHEDULES = {
  pollStats: {
    name: 'poll-stats',
    title: 'Statistics',
    pattern: ({ schedule }) => schedule.stats,
    maxAgeMs: ({ max_age }) => max_age.stats.ms,
    isNeeded: ({ upstream }) => upstream.paths.stats !== null,
  },
  sweepSearch: {
    name: 'sweep-search',
    title: 'Searches',
    pattern: ({ schedule }) => schedule.sweep,
    maxAgeMs: ({ max_age }) => max_age.summaries.ms,
  },
  fetchEntities: {
    name: 'fetch-entities',
    title: 'Records',
    pattern: ({ schedule }) => schedule.entities,
    maxAgeMs: ({ max_age }) => max_age.records.ms,
  },
} as const satisfies Record<string, JobSchedule>;

export const JOB_SCHEDULES: readonly JobSchedule[] = Object.values(SCHEDULES);

/** Returns the jobs that this configuration needs. */
export function neededJobs<Job extends JobSchedule>(jobs: readonly Job[], config: Config): Job[] {
  return jobs.filter(({ isNeeded }) => isNeeded?.(config) ?? true);
}

/** Returns the settings that the facts about a mirror depend on. */
export function factSettings(config: Config, jobs: readonly JobSchedule[] = JOB_SCHEDULES): FactSettings {
  const { source, account } = config;
  return {
    sourceName: source.name,
    accountId: account.id,
    tier: account.tier,
    allowance: allowanceOf(config),
    hasDialect: config.dialect !== undefined,
    hasNameSearch: config.dialect?.search.query_param !== null,
    canSplit: config.dialect !== undefined && canSplit(config.dialect),
    isWhole: config.scope === 'whole',
    licenceEnds: account.license_ends,
    receivers: config.notify.map(({ name }) => name),
    schedule: { timezone: config.schedule.timezone },
    jobs: neededJobs(jobs, config).map(({ name, title, pattern, maxAgeMs }) => ({
      name,
      title,
      pattern: pattern(config),
      dueMs: maxAgeMs?.(config) ?? null,
    })),
  };
}
