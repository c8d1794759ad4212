import type { Database } from 'better-sqlite3';
import { openLedger } from '../allowance/ledger.ts';
import { answerTable } from '../warehouse/answer.ts';
import {
  type CompanyRow,
  companyPages,
  type FieldChange,
  type VersionSeen,
} from '../warehouse/page_queries.ts';
import { textOfAnswer } from '../warehouse/serve_records.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import type { PageSettings } from './page_settings.ts';
import { openPageSnapshot, type PageSnapshot } from './page_snapshot.ts';

/** Reads the data of all pages from the warehouse and the ledger. It never writes. */
export interface PageReader {
  /** The warehouse, open for reading. */
  readonly db: Database;
  snapshot(nowMs: number): PageSnapshot;
  /** null: the company is unknown. `versionId` selects an older version by its call; null selects the latest. */
  company(entityId: string, versionId: number | null, nowMs: number): CompanyView | null;
  /** The companies with these ids, in the same order, without unknown ids. */
  companies(entityIds: readonly string[]): CompanyRow[];
  close(): void;
}

/** One company with its versions and changes. */
export interface CompanyView {
  readonly nowMs: number;
  readonly company: CompanyRow;
  /** The latest first. */
  readonly versions: readonly VersionSeen[];
  readonly changes: readonly FieldChange[];
  /** The selected version. `text` is null if its response was pruned. null: the record was never fetched. */
  readonly shown: { readonly version: VersionSeen; readonly text: string | null } | null;
}

export function openPageReader(settings: PageSettings, nowMs: number): PageReader {
  const { warehousePath, ledgerPath, accountId, allowance } = settings;
  const warehouse = openWarehouse({ path: warehousePath, readonly: true, nowMs });
  const ledger = openLedger({ path: ledgerPath, accountId, allowance });
  const { db } = warehouse;
  const companies = companyPages(db);
  const responses = answerTable(db);

  return {
    db,
    snapshot: openPageSnapshot(db, ledger),
    company(entityId, versionId, atMs) {
      const company = companies.company(entityId);
      if (company === null) return null;
      const versions = companies.versions(entityId, MAX_VERSIONS);
      const version = versions.find(({ callId }) => callId === versionId) ?? versions[0];
      const response = version === undefined ? null : responses.read(version.callId);
      const text = response === null ? null : textOfAnswer(response);
      const shown = version === undefined ? null : { version, text };
      return { nowMs: atMs, company, versions, changes: companies.changes(entityId, MAX_CHANGES), shown };
    },
    companies: (entityIds) =>
      entityIds.map((entityId) => companies.company(entityId)).filter((company) => company !== null),
    close() {
      warehouse.close();
      ledger.close();
    },
  };
}

const MAX_CHANGES = 1_000;
const MAX_VERSIONS = 200;
