import type { Allowance } from '../allowance/windows.ts';

/** The part of the configuration that the page needs. It is copied to the page's thread. */
export interface PageSettings {
  readonly warehousePath: string;
  readonly ledgerPath: string;
  readonly accountId: string;
  readonly allowance: Allowance;
  readonly source: { readonly name: string; readonly url: string | null };
  /** Does the configuration contain a dialect? */
  readonly hasDialect: boolean;
  /** The JSON path of the record in a response. */
  readonly recordRoot: string;
  readonly maxAge: { readonly statsMs: number; readonly summariesMs: number; readonly recordsMs: number };
  /** Cron patterns of the jobs, in the time zone. */
  readonly schedule: {
    readonly timezone: string;
    readonly stats: string;
    readonly sweep: string;
    readonly entities: string;
  };
}
