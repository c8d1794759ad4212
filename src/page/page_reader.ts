import type { Database } from 'better-sqlite3';
import { openLedger } from '../allowance/ledger.ts';
import { readLock } from '../report/facts.ts';
import { type ChangePage, readChanges } from '../warehouse/change_list.ts';
import {
  type CompanyRow,
  companyPages,
  type FieldChange,
  type VersionSeen,
} from '../warehouse/page_queries.ts';
import { type Quarantined, quarantineRegister } from '../warehouse/quarantine.ts';
import { recentRuns } from '../warehouse/run.ts';
import { runCalls } from '../warehouse/run_calls.ts';
import { responseTexts } from '../warehouse/serve_records.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { CHANGES_PER_PAGE, changeFilterOf } from './changes_page.ts';
import { openLedgerReader } from './ledger_reader.ts';
import type { ChangesRequest } from './page_request.ts';
import type { PageSettings } from './page_settings.ts';
import { openPageSnapshot, type PageSnapshot, type SnapshotRequest } from './page_snapshot.ts';
import type { RunView } from './run_page.ts';

/** Reads the data for all pages from the warehouse and the ledger, without ever writing to them. */
export interface PageReader {
  /** The warehouse, open for reading. */
  readonly db: Database;
  snapshot(request: SnapshotRequest): PageSnapshot;
  /**
   * Returns null if the company is unknown. `versionId` is the call id of the version to show, or null for the last
   * version.
   */
  company(entityId: string, versionId: number | null): CompanyView | null;
  /** Returns the companies with these ids, in the same order. Unknown ids are omitted. */
  companies(entityIds: readonly string[]): CompanyRow[];
  changes(request: ChangesRequest): ChangePage;
  /** Returns null if there is no such run. */
  run(runId: number, nowMs: number): Omit<RunView, 'nowMs' | 'zone'> | null;
  quarantined(): { readonly entries: readonly Quarantined[]; readonly open: number };
  /** Returns null if there is no such entry. `text` is null if the response was pruned. */
  quarantineEntry(id: number): { readonly entry: Quarantined; readonly text: string | null } | null;
  close(): void;
}

/** One company with its versions and changes. */
export interface CompanyView {
  readonly company: CompanyRow;
  /** Most recent first. */
  readonly versions: readonly VersionSeen[];
  readonly changes: readonly FieldChange[];
  /** The selected version, or null if the record was never fetched. `text` is null if the response was pruned. */
  readonly shown: { readonly version: VersionSeen; readonly text: string | null } | null;
}

export function openPageReader(settings: PageSettings, nowMs: number): PageReader {
  const { warehousePath, ledgerPath, accountId, allowance } = settings;
  const warehouse = openWarehouse({ path: warehousePath, readonly: true, nowMs });
  const ledger = openLedgerReader(() => openLedger({ path: ledgerPath, accountId, allowance }));
  const { db } = warehouse;
  const companies = companyPages(db);
  const runs = runCalls(db);
  const quarantine = quarantineRegister(db);
  const textOf = responseTexts(db);

  return {
    db,
    snapshot: openPageSnapshot(db, ledger, settings),
    company(entityId, versionId) {
      const company = companies.company(entityId);
      if (company === null) return null;
      const versions = companies.versions(entityId, MAX_VERSIONS);
      const version = versions.find(({ callId }) => callId === versionId) ?? versions[0];
      const shown = version === undefined ? null : { version, text: textOf(version.callId) };
      return { company, versions, changes: companies.changes(entityId, MAX_CHANGES), shown };
    },
    companies: (entityIds) =>
      entityIds.map((entityId) => companies.company(entityId)).filter((company) => company !== null),
    changes(request) {
      const { beforeId, format } = request;
      return readChanges(db, changeFilterOf(request), { beforeId, most: CHANGES_PER_PAGE[format] });
    },
    run(runId, atMs) {
      const run = runs.find(runId);
      if (run === null) return null;
      const isRunning =
        run.ended === null && readLock(db, atMs).isHeld && recentRuns(db, 1)[0]?.runId === runId;
      return { run, isRunning, counts: runs.counts(run) };
    },
    quarantined: () => ({ entries: quarantine.list('open', MAX_ENTRIES), open: quarantine.counts().open }),
    quarantineEntry(id) {
      const entry = quarantine.find(id);
      return entry === null ? null : { entry, text: textOf(entry.callId) };
    },
    close() {
      warehouse.close();
      ledger.close();
    },
  };
}

const MAX_ENTRIES = 200;
const MAX_CHANGES = 1_000;
const MAX_VERSIONS = 200;
