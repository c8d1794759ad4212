import type { Allowance } from '../allowance/windows.ts';

/** What the page must be told; the rest it reads from the files. It travels to the page's thread. */
export interface PageSettings {
  readonly warehousePath: string;
  readonly ledgerPath: string;
  readonly accountId: string;
  readonly allowance: Allowance;
  readonly source: { readonly name: string; readonly url: string | null };
  /** Does the configuration say how the registry speaks? */
  readonly hasDialect: boolean;
  /** Where the record stands in an answer (JSON Pointer). */
  readonly recordRoot: string;
  readonly maxAge: { readonly statsMs: number; readonly summariesMs: number; readonly recordsMs: number };
  readonly schedule: {
    readonly timezone: string;
    readonly stats: string;
    readonly sweep: string;
    readonly entities: string;
  };
}
