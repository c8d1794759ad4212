import type { Database } from 'better-sqlite3';

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

export interface VersionSeen {
  readonly callId: number;
  readonly observedFrom: string;
  readonly isTombstone: 0 | 1;
}

/** One field that changed; `before` and `after` as in the columns: scalars, or JSON text of lists and objects. */
export interface FieldChange {
  readonly changeId: number;
  readonly entityId: string;
  readonly observedAt: string;
  readonly notBefore: string | null;
  readonly path: string;
  readonly before: string | number | bigint | null;
  readonly after: string | number | bigint | null;
  readonly callId: number;
}

export interface NamedChange extends FieldChange {
  readonly name: string | null;
}

/** What the page reads of single companies. */
export function companyPages(db: Database) {
  const company = db.prepare<[string], CompanyRow>(
    `SELECT entity_id AS entityId, name,
            CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END
              AS state,
            first_seen_at AS firstSeenAt, last_seen_at AS lastSeenAt, fetched_at AS fetchedAt,
            changed_at AS changedAt, gone_at AS goneAt
     FROM _known WHERE entity_id = ?`,
  );
  const versions = db.prepare<[string, number], VersionSeen>(
    `SELECT call_id AS callId, observed_from AS observedFrom, is_tombstone AS isTombstone
     FROM _version WHERE entity_id = ? ORDER BY call_id DESC LIMIT ?`,
  );
  const changes = db
    .prepare<[string, number], FieldChange>(
      `SELECT ${CHANGE} FROM entity_change c WHERE entity_id = ? ORDER BY change_id DESC LIMIT ?`,
    )
    .safeIntegers();
  const latest = db
    .prepare<[number], NamedChange>(
      `SELECT ${CHANGE}, (SELECT name FROM _known k WHERE k.entity_id = c.entity_id) AS name
       FROM entity_change c ORDER BY change_id DESC LIMIT ?`,
    )
    .safeIntegers();
  return {
    company: (entityId: string): CompanyRow | null => company.get(entityId) ?? null,
    /** Newest first. */
    versions: (entityId: string, most: number): VersionSeen[] => versions.all(entityId, most),
    /** Of one company, newest first. */
    changes: (entityId: string, most: number): FieldChange[] => changes.all(entityId, most).map(withNumbers),
    /** Of all companies, newest first. */
    latestChanges: (most: number): NamedChange[] => latest.all(most).map(withNumbers),
  };
}

const CHANGE = `c.change_id AS changeId, c.entity_id AS entityId, c.observed_at AS observedAt, c.not_before AS notBefore,
  c.path, c.before, c.after, c._call_id AS callId`;

/** Values keep every digit; ids are numbers again. */
function withNumbers<T extends FieldChange>(row: T): T {
  return { ...row, changeId: Number(row.changeId), callId: Number(row.callId) };
}
