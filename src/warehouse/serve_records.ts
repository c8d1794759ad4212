import type { Database } from 'better-sqlite3';
import { answerTable } from './answer.ts';

/** A version of a record, as the registry sent it. */
export interface ServedRecord {
  /** The call that brought it: names these very bytes. */
  readonly callId: number;
  readonly body: Buffer;
  /** When the mirror last saw the registry give it. */
  readonly seenAt: string;
}

/** What the mirror can say of one id. */
export type ServedState =
  | { readonly is: 'unknown' }
  /** Seen in searches; its record was never fetched, or its answer was pruned. */
  | { readonly is: 'listed' }
  /** The registry holds it no more, and left nothing to show. */
  | { readonly is: 'gone' }
  /** Its record; of a gone company the registry's own tombstone. */
  | ({ readonly is: 'record' } & ServedRecord);

interface LatestRow {
  readonly fetchedAt: string | null;
  readonly goneAt: string | null;
  readonly callId: number | null;
  readonly encoding: string | null;
  readonly body: Buffer | null;
}

interface VersionRow {
  readonly callId: number;
  readonly observedFrom: string;
  readonly isTombstone: 0 | 1;
}

/** Reads records out of the answers, now and at earlier times. */
export function servedRecords(db: Database) {
  const answers = answerTable(db);
  const latest = db.prepare<[string], LatestRow>(
    `SELECT k.fetched_at AS fetchedAt, k.gone_at AS goneAt, k.record_call_id AS callId, a.encoding, a.body
     FROM _known k LEFT JOIN _answer a ON a.call_id = k.record_call_id
     WHERE k.entity_id = ?`,
  );
  const versionAt = db.prepare<[string, string], VersionRow>(
    `SELECT call_id AS callId, observed_from AS observedFrom, is_tombstone AS isTombstone FROM _version
     WHERE entity_id = ? AND observed_from <= ? ORDER BY call_id DESC LIMIT 1`,
  );
  const firstVersion = db
    .prepare<[string], string | null>('SELECT min(observed_from) FROM _version WHERE entity_id = ?')
    .pluck();
  // An entity that returned has a later row whose `after` is NULL.
  const goneAt = db
    .prepare<[string, string], string | null>(
      `SELECT after FROM entity_change
       WHERE entity_id = ? AND path = '_gone_at' AND observed_at <= ? ORDER BY change_id DESC LIMIT 1`,
    )
    .pluck();

  const read = (callId: number, seenAt: string): ServedState => {
    const body = answers.body(callId);
    return body === null ? { is: 'listed' } : { is: 'record', callId, body, seenAt };
  };
  const tombstoneOr = (version: VersionRow | undefined): ServedState =>
    version?.isTombstone === 1 ? read(version.callId, version.observedFrom) : { is: 'gone' };

  return {
    latest: (entityId: string): ServedState => {
      const row = latest.get(entityId);
      if (row === undefined) return { is: 'unknown' };
      if (row.goneAt !== null) return tombstoneOr(versionAt.get(entityId, END_OF_TIME));
      if (row.callId === null || row.fetchedAt === null) return { is: 'listed' };
      // The common case in one statement: the answer is a body of its own, as it was received.
      if (row.body !== null && row.encoding === null)
        return { is: 'record', callId: row.callId, body: row.body, seenAt: row.fetchedAt };
      return read(row.callId, row.fetchedAt);
    },
    asOf: (entityId: string, at: string): ServedState => {
      const version = versionAt.get(entityId, at);
      const wasGone = (goneAt.get(entityId, at) ?? null) !== null;
      if (wasGone) return tombstoneOr(version);
      return version === undefined ? { is: 'unknown' } : read(version.callId, version.observedFrom);
    },
    /** When the first version was seen; null: none was. */
    firstSeenAt: (entityId: string): string | null => firstVersion.get(entityId) ?? null,
  };
}

const END_OF_TIME = '9999-12-31T23:59:59.999Z';
