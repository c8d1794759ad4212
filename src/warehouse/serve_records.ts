import type { Database } from 'better-sqlite3';
import { readBody } from '../dialect/response_body.ts';
import { row as firstRow, value } from '../sqlite/statements.ts';
import { answerTable, type StoredAnswer } from './answer.ts';
import type { VersionSeen } from './company_history.ts';
import { isoTimeOf } from './table.ts';

/** A version of a record, exactly as the registry sent it. */
interface ServedRecord {
  /** The id of the call that returned this version, which identifies the text. */
  readonly callId: number;
  /** The whole response as text. */
  readonly text: string;
  /** When the registry last returned this version. */
  readonly seenAt: string;
}

/** What the mirror has for an id. */
export type ServedState =
  | { readonly is: 'unknown' }
  /**
   * The company was seen in searches, but its record was never fetched, or the response with the record was deleted.
   */
  | { readonly is: 'listed' }
  /** The company is gone, and the registry sent no tombstone. */
  | { readonly is: 'gone' }
  /** The company's record. If the company is gone, this is the tombstone that the registry sent. */
  | ({ readonly is: 'record' } & ServedRecord);

/** Converts a stored response to text. The body is decoded as UTF-8 unless its headers name another character set. */
function textOfAnswer({ body, headers }: StoredAnswer): string {
  const contentType = headers['content-type'];
  return (contentType === undefined ? null : readBody(body, contentType).text) ?? body.toString();
}

/** Returns a function that reads a call's stored response as text, or returns null if no response is stored. */
export function responseTexts(db: Database): (callId: number) => string | null {
  const answers = answerTable(db);
  return (callId) => {
    const answer = answers.read(callId);
    return answer === null ? null : textOfAnswer(answer);
  };
}

interface LatestRow {
  readonly fetchedAt: string | null;
  readonly isGone: 0 | 1;
  readonly callId: number | null;
}

/**
 * Enlarges the page cache to hold the indexes' upper pages. Each record then needs only one or two pages from the file.
 */
export function cacheForServing(db: Database): void {
  db.pragma(`cache_size = -${CACHE_KIB}`);
}

/** Reads current and earlier versions of records from the stored responses. */
export function servedRecords(db: Database) {
  const textOf = responseTexts(db);
  const read = (callId: number, seenAt: string): ServedState => {
    const text = textOf(callId);
    return text === null ? { is: 'listed' } : { is: 'record', callId, text, seenAt };
  };
  const tombstoneOr = (version: VersionSeen | undefined): ServedState =>
    version?.isTombstone === 1 ? read(version.callId, version.observedFrom) : { is: 'gone' };

  return {
    latest: (entityId: string): ServedState => {
      const row = firstRow<LatestRow>(db, LATEST, entityId);
      if (row === undefined) return { is: 'unknown' };
      if (row.isGone === 1) return tombstoneOr(firstRow(db, VERSION_AT, entityId, END_OF_TIME));
      if (row.callId === null || row.fetchedAt === null) return { is: 'listed' };
      return read(row.callId, row.fetchedAt);
    },
    asOf: (entityId: string, at: string): ServedState => {
      const version = firstRow<VersionSeen>(db, VERSION_AT, entityId, at);
      const wasGone = (value(db, GONE_AT, entityId, at) ?? null) !== null;
      if (wasGone) return tombstoneOr(version);
      return version === undefined ? { is: 'unknown' } : read(version.callId, version.observedFrom);
    },
    /** Returns when the first version was seen, or null if there is none. */
    firstSeenAt: (entityId: string): string | null => value<string | null>(db, FIRST_SEEN, entityId) ?? null,
  };
}

/** Returns the values in a company's search result by column name, without empty values. */
export function listedFields(db: Database, entityId: string): Record<string, string | number | bigint> {
  const row = db
    .prepare<[string], Record<string, string | number | bigint | null>>(
      'SELECT * FROM search_result WHERE entity_id = ?',
    )
    .safeIntegers()
    .get(entityId);
  return Object.fromEntries(
    Object.entries(row ?? {}).flatMap(([column, value]) =>
      value === null || column.startsWith('_') ? [] : [[column, value]],
    ),
  );
}

const CACHE_KIB = 64 * 1024;
const LATEST = `
  SELECT ${isoTimeOf('k.fetched_at')} AS fetchedAt, k.gone_at IS NOT NULL AS isGone, e._call_id AS callId
  FROM _company k LEFT JOIN entity e USING (entity_id) WHERE k.entity_id = ?`;
const VERSION_AT = `
  SELECT call_id AS callId, sent_at AS observedFrom, is_tombstone AS isTombstone
  FROM _record_version JOIN _call USING (call_id)
  WHERE entity_id = ? AND sent_at <= ? ORDER BY call_id DESC LIMIT 1`;
const FIRST_SEEN = 'SELECT min(sent_at) FROM _record_version JOIN _call USING (call_id) WHERE entity_id = ?';
// If the entity has returned, a later row has NULL in `after`.
const GONE_AT = `
  SELECT after FROM entity_change
  WHERE entity_id = ? AND path = '_gone_at' AND observed_at <= ? ORDER BY change_id DESC LIMIT 1`;
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

/** Returns a function whose result changes when another connection writes to the file. */
export function fileVersion(db: Database): () => number {
  return () => value<number>(db, 'PRAGMA data_version') ?? 0;
}

/**
 * Returns a function that finds the id of the last call that listed a company. It returns null if no search has listed
 * the company.
 */
export function listingCalls(db: Database): (entityId: string) => number | null {
  const sql = 'SELECT _call_id FROM search_result WHERE entity_id = ?';
  return (entityId) => value<number>(db, sql, entityId) ?? null;
}
