import type { Database } from 'better-sqlite3';
import { row, rows, run, value } from '../sqlite/statements.ts';
import { companySearch } from './company_search.ts';
import { isoTimeOf, type RowOf } from './table.ts';
import { CHANGE, type VERSION } from './tables.ts';

/** Reads what is known about one company. */

export interface CompanyRow {
  readonly entityId: string;
  readonly name: string | null;
  readonly state: 'listed' | 'fetched' | 'gone';
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly fetchedAt: string | null;
  readonly changedAt: string | null;
  readonly goneAt: string | null;
}

/** A version of a record, which begins when its call was sent. */
export interface VersionSeen extends Pick<RowOf<typeof VERSION>, 'callId' | 'isTombstone'> {
  readonly observedFrom: string;
}

/** A changed field. `before` and `after` are stored values, which are scalars or, for lists and objects, JSON text. */
export type FieldChange = Omit<RowOf<typeof CHANGE>, 'columnName'>;

export interface NamedChange extends FieldChange {
  readonly name: string | null;
}

/** Returns a company, or null if it is unknown. */
export function findCompany(db: Database, entityId: string): CompanyRow | null {
  const found = row<CompanyRow>(
    db,
    `SELECT o.entity_id AS entityId, o.name, o.state, o.first_seen_at AS firstSeenAt, o.last_seen_at AS lastSeenAt,
            o.fetched_at AS fetchedAt, e._changed_at AS changedAt, ${isoTimeOf('k.gone_at')} AS goneAt
     FROM entity_overview o JOIN _company k USING (entity_id) LEFT JOIN entity e USING (entity_id)
     WHERE o.entity_id = ?`,
    entityId,
  );
  return found ?? null;
}

/** Returns a company's record versions, newest first. */
export function versionsOf(db: Database, entityId: string, most: number): VersionSeen[] {
  return rows(
    db,
    `SELECT call_id AS callId, sent_at AS observedFrom, is_tombstone AS isTombstone
     FROM _record_version JOIN _call USING (call_id) WHERE entity_id = ? ORDER BY call_id DESC LIMIT ?`,
    entityId,
    most,
  );
}

/** Returns one company's changes, newest first. */
export function changesOf(db: Database, entityId: string, most: number): FieldChange[] {
  return db
    .prepare<[string, number], FieldChange>(
      `SELECT ${CHANGE_COLUMNS} FROM entity_change c WHERE entity_id = ? ORDER BY change_id DESC LIMIT ?`,
    )
    .safeIntegers()
    .all(entityId, most)
    .map(withNumbers);
}

export const CHANGE_COLUMNS = CHANGE.selected(
  'c',
  CHANGE.properties.filter((one) => one !== 'columnName'),
);

/** Converts a row's ids to numbers. `before` and `after` remain bigint, so they keep every digit. */
export function withNumbers<T extends FieldChange>(change: T): T {
  return { ...change, changeId: Number(change.changeId), callId: Number(change.callId) };
}

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

interface History {
  readonly company: CompanyRow;
  /** The versions, oldest first. */
  readonly versions: readonly HistoryVersion[];
  readonly changes: readonly HistoryChange[];
}

/** Returns all versions and changes of one company, or null if the company is unknown. */
export function readHistory(db: Database, entityId: string): History | null {
  const company = findCompany(db, entityId);
  if (company === null) return null;
  const versions = rows<Omit<HistoryVersion, 'isTombstone'> & { isTombstone: 0 | 1 }>(
    db,
    `SELECT v._call_id AS callId, v.observed_from AS observedFrom, v.observed_to AS observedTo,
            v.is_tombstone AS isTombstone, c.run_id AS runId, r.command, c.reason, c.status, c.ms
     FROM entity_history v JOIN _call c ON c.call_id = v._call_id JOIN _run r USING (run_id)
     WHERE v.entity_id = ? ORDER BY v._call_id`,
    entityId,
  ).map((version) => ({ ...version, isTombstone: version.isTombstone === 1 }));
  const changes = changesOf(db, entityId, -1)
    .toReversed()
    .map(({ changeId, entityId: _, ...change }) => ({
      ...change,
      before: plain(change.before),
      after: plain(change.after),
    }));
  return { company, versions, changes };
}

/** Converts a bigint to a number if it is a safe integer. */
function plain(stored: HistoryChange['before']): HistoryChange['before'] {
  return typeof stored === 'bigint' && Number.isSafeInteger(Number(stored)) ? Number(stored) : stored;
}

/** Returns a company's name. Returns null if a known company has no name, and undefined if the company is unknown. */
export function nameOf(db: Database, entityId: string): string | null | undefined {
  return value<string | null>(db, 'SELECT name FROM _company WHERE entity_id = ?', entityId);
}

interface Namesake {
  readonly entityId: string;
  readonly name: string | null;
}

/**
 * Returns the known companies whose id starts with `text` or, if there are none, those that a search for `text` finds.
 * The error message for a mistyped id suggests these companies.
 */
export function companiesLike(db: Database, text: string, most: number): Namesake[] {
  const byId = rows<Namesake>(
    db,
    `SELECT entity_id AS entityId, name FROM _company
     WHERE entity_id IN (SELECT value FROM json_each(?)) OR (entity_id >= ? AND entity_id < ?)
     ORDER BY entity_id LIMIT ?`,
    JSON.stringify(withOtherZeros(text)),
    text,
    `${text}\u{10ffff}`,
    most,
  );
  return byId.length > 0 ? byId : companySearch(db)(text, most);
}

/** Returns an id of digits with fewer and more leading zeros. A spreadsheet drops them. */
function withOtherZeros(id: string): string[] {
  if (!/^\d+$/.test(id)) return [];
  const digits = id.replace(/^0+/, '');
  return Array.from({ length: LONGEST_PADDING + 1 }, (_, zeros) => '0'.repeat(zeros) + digits);
}

const LONGEST_PADDING = 12;

/** Records that a call returned a new version of a record. */
export function addVersion(db: Database, entityId: string, callId: number, isTombstone: boolean): void {
  const sql = 'INSERT INTO _record_version (entity_id, call_id, is_tombstone) VALUES (?, ?, ?)';
  run(db, sql, entityId, callId, isTombstone ? 1 : 0);
}

/** Records when a gone entity's last version ended. */
export function endVersion(db: Database, entityId: string, endedAt: string): void {
  run(
    db,
    `UPDATE _record_version SET ended_at = @endedAt
     WHERE entity_id = @entityId AND call_id =
       (SELECT max(call_id) FROM _record_version WHERE entity_id = @entityId AND NOT is_tombstone)`,
    { entityId, endedAt },
  );
}

/** Returns an entity's versions, newest first. */
export function latestVersions(db: Database, entityId: string): Omit<VersionSeen, 'observedFrom'>[] {
  return rows(
    db,
    `SELECT call_id AS callId, is_tombstone AS isTombstone FROM _record_version
     WHERE entity_id = ? ORDER BY call_id DESC`,
    entityId,
  );
}
