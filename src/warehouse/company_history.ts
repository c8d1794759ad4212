import type { Database } from 'better-sqlite3';
import { type CompanyRow, companyPages, type FieldChange } from './page_queries.ts';

/** One version of a company's record, with the call that returned this version. */
export interface HistoryVersion {
  readonly callId: number;
  readonly observedFrom: string;
  /** When the version ended; null for the current version. */
  readonly observedTo: string | null;
  readonly isTombstone: boolean;
  readonly runId: number;
  readonly command: string;
  readonly reason: string;
  readonly status: number | null;
  readonly ms: number;
}

export type HistoryChange = Omit<FieldChange, 'changeId' | 'entityId'>;

export interface History {
  readonly company: CompanyRow;
  /** The versions, oldest first. */
  readonly versions: readonly HistoryVersion[];
  readonly changes: readonly HistoryChange[];
}

/** Returns a company's name. Returns null if a known company has no name, and undefined if the company is unknown. */
export function nameOf(db: Database, entityId: string): string | null | undefined {
  return db
    .prepare<[string], string | null>('SELECT name FROM _company WHERE entity_id = ?')
    .pluck()
    .get(entityId);
}

/** Returns all versions and changes of one company, or null if the company is unknown. */
export function readHistory(db: Database, entityId: string): History | null {
  const pages = companyPages(db);
  const company = pages.company(entityId);
  if (company === null) return null;
  const versions = db
    .prepare<[string], Omit<HistoryVersion, 'isTombstone'> & { isTombstone: 0 | 1 }>(
      `SELECT v._call_id AS callId, v.observed_from AS observedFrom, v.observed_to AS observedTo,
              v.is_tombstone AS isTombstone, c.run_id AS runId, r.command, c.reason, c.status, c.ms
       FROM entity_history v JOIN _call c ON c.call_id = v._call_id JOIN _run r USING (run_id)
       WHERE v.entity_id = ? ORDER BY v._call_id`,
    )
    .all(entityId)
    .map((row) => ({ ...row, isTombstone: row.isTombstone === 1 }));
  const changes = pages
    .changes(entityId, -1)
    .toReversed()
    .map(({ changeId, entityId: _, ...change }) => ({
      ...change,
      before: plain(change.before),
      after: plain(change.after),
    }));
  return { company, versions, changes };
}

export interface Namesake {
  readonly entityId: string;
  readonly name: string | null;
}

/**
 * Returns the known companies whose id starts with `text` or, if there are none, whose name contains `text`. The error
 * message for a mistyped id suggests these companies.
 */
export function companiesLike(db: Database, text: string, most: number): Namesake[] {
  const byId = db
    .prepare<[string, string, number], Namesake>(
      'SELECT entity_id AS entityId, name FROM _company WHERE entity_id >= ? AND entity_id < ? ORDER BY entity_id LIMIT ?',
    )
    .all(text, `${text}\u{10ffff}`, most);
  // The full-text index needs at least three characters.
  if (byId.length > 0 || [...text].length < 3) return byId;
  return db
    .prepare<[string, number], Namesake>(
      'SELECT entity_id AS entityId, name FROM entity_fts WHERE entity_fts MATCH ? ORDER BY rank LIMIT ?',
    )
    .all(`"${text.replaceAll('"', '""')}"`, most);
}

/** Converts a bigint to a number if it is a safe integer. */
function plain(value: HistoryChange['before']): HistoryChange['before'] {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
