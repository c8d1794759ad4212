import type { Allowance } from '../allowance/windows.ts';
import type { HealthSettings } from '../report/mirror_snapshot.ts';

/** The part of the configuration that the page needs. It is copied to the thread that draws pages. */
export interface PageSettings extends HealthSettings {
  readonly warehousePath: string;
  readonly ledgerPath: string;
  readonly accountId: string;
  /** The largest number of calls in flight. */
  readonly concurrency: number;
  readonly allowance: Allowance;
  readonly source: { readonly name: string; readonly url: string | null };
  /** Does the configuration contain a dialect? */
  readonly hasDialect: boolean;
  /** The JSON path of the record in a response. */
  readonly recordRoot: string;
  readonly maxAge: { readonly statsMs: number; readonly summariesMs: number; readonly recordsMs: number };
  /** The scheduled jobs of the worker. */
  readonly jobs: readonly ScheduledJobSettings[];
}

export interface ScheduledJobSettings {
  /** The job's name, such as `poll-stats`. */
  readonly name: string;
  /** The title of the job on the page, such as `Statistics`. */
  readonly title: string;
  /** Cron pattern. */
  readonly pattern: string;
  /** The age in milliseconds at which this job's data are due; null: its data have no maximum age. */
  readonly dueMs: number | null;
}
