import type { FactSettings } from '../report/facts.ts';

/** The part of the configuration that the page needs. A copy is sent to the thread that draws pages. */
export interface PageSettings extends FactSettings {
  readonly warehousePath: string;
  readonly ledgerPath: string;
  /** The maximum number of calls in flight. */
  readonly concurrency: number;
  readonly source: { readonly name: string; readonly url: string | null };
  /** Whether the configuration contains a dialect. */
  readonly hasDialect: boolean;
  /** The JSON path to the record in a response. */
  readonly recordRoot: string;
  readonly maxAge: { readonly statsMs: number; readonly summariesMs: number; readonly recordsMs: number };
  /** The worker's scheduled jobs. */
  readonly jobs: readonly ScheduledJobSettings[];
}

export interface ScheduledJobSettings {
  /** The job's name, such as `poll-stats`. */
  readonly name: string;
  /** The job's title on the page, such as `Statistics`. */
  readonly title: string;
  /** The cron pattern. */
  readonly pattern: string;
  /** The maximum age of this job's data in milliseconds, or null if there is none. */
  readonly dueMs: number | null;
}
