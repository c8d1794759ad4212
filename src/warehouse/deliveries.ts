import type { Database } from 'better-sqlite3';
import { lastVersion } from './feed/versions.ts';
import type { RowOf } from './table.ts';
import { RECEIVER } from './tables.ts';

/** A receiver's state. Times are ISO 8601. */
export type ReceiverRow = RowOf<typeof RECEIVER>;

export interface DeliveryRow {
  readonly deliveryId: string;
  readonly receiver: string;
  readonly body: string;
  readonly attempts: number;
}

export interface ReceiverStatus extends ReceiverRow {
  readonly delivered: number;
  readonly waiting: number;
  readonly error: string | null;
}

/** Reads and writes `_receiver` and `_delivery`, which store receivers, their digests and the delivery attempts. */
export function deliveryTable(db: Database) {
  const receiver = RECEIVER.select<[string]>(db, 'WHERE name = ?');
  const register = db.prepare('INSERT OR IGNORE INTO _receiver (name, version) VALUES (?, ?)');
  const digested = db.prepare('UPDATE _receiver SET version = ?, is_healthy = ? WHERE name = ?');
  const disable = db.prepare('UPDATE _receiver SET disabled_at = ?, why = ? WHERE name = ?');
  const add = db.prepare(
    'INSERT INTO _delivery (delivery_id, receiver, body, created_at, next_try_at) VALUES (?, ?, ?, ?, ?)',
  );
  const due = db.prepare<[string], DeliveryRow>(
    `SELECT delivery_id AS deliveryId, receiver, body, attempts FROM _delivery d
     WHERE next_try_at <= ? AND NOT EXISTS
       (SELECT 1 FROM _receiver r WHERE r.name = d.receiver AND r.disabled_at IS NOT NULL)
     ORDER BY created_at, delivery_id`,
  );
  const claim = db.prepare(
    'UPDATE _delivery SET attempts = attempts + 1, next_try_at = ? WHERE delivery_id = ? AND next_try_at <= ?',
  );
  const delivered = db.prepare(
    "UPDATE _delivery SET body = '', next_try_at = NULL, delivered_at = ?, error = NULL WHERE delivery_id = ?",
  );
  const failed = db.prepare('UPDATE _delivery SET error = ? WHERE delivery_id = ?');
  const retryNow = db.prepare(
    'UPDATE _delivery SET attempts = 0, next_try_at = ? WHERE receiver = ? AND next_try_at IS NOT NULL',
  );
  const counts = db.prepare<[string], { delivered: number; waiting: number; error: string | null }>(
    `SELECT count(delivered_at) AS delivered, count(next_try_at) AS waiting, max(error) AS error
     FROM _delivery WHERE receiver = ?`,
  );
  return {
    /** Registers the receiver if it is new, and returns its state. A new receiver gets only changes from now on. */
    receiver(name: string): ReceiverRow {
      register.run(name, lastVersion(db));
      return receiver.get(name) as ReceiverRow;
    },
    find: (name: string): ReceiverRow | undefined => receiver.get(name),
    digested: (name: string, version: number, isHealthy: boolean): void =>
      void digested.run(version, isHealthy ? 1 : 0, name),
    disable: (name: string, at: string, why: string): void => void disable.run(at, why, name),
    /** Enables the receiver. Its undelivered digests become due at `at`. */
    enable(name: string, at: string): void {
      disable.run(null, null, name);
      retryNow.run(at, name);
    },
    add: (id: string, name: string, body: string, at: string): void => void add.run(id, name, body, at, at),
    due: (at: string): DeliveryRow[] => due.all(at),
    /**
     * Counts a delivery attempt and schedules the next one. Returns false if another process has claimed this attempt.
     */
    claim: (id: string, at: string, nextTryAt: string): boolean => claim.run(nextTryAt, id, at).changes === 1,
    delivered: (id: string, at: string): void => void delivered.run(at, id),
    failed: (id: string, error: string): void => void failed.run(error, id),
    status: (name: string): ReceiverStatus | null => {
      const row = receiver.get(name);
      const counted = counts.get(name);
      return row === undefined || counted === undefined ? null : { ...row, ...counted };
    },
  };
}

/** Returns which of the named receivers are disabled. */
export function disabledReceivers(db: Database, names: readonly string[]): string[] {
  const isDisabled = db.prepare('SELECT 1 FROM _receiver WHERE name = ? AND disabled_at IS NOT NULL');
  return names.filter((name) => isDisabled.get(name) !== undefined);
}

/** Removes a forgotten company from the undelivered digests. */
export function eraseFromDigests(db: Database, entityId: string): void {
  const lists = ['new', 'changed', 'gone'].map(
    (list) =>
      `'$.data.${list}', (SELECT json_group_array(json(value)) FROM json_each(body, '$.data.${list}')
        WHERE value ->> '$.entity_id' <> @entityId)`,
  );
  db.prepare(
    `UPDATE _delivery SET body = json_set(body, ${lists.join(', ')}) WHERE next_try_at IS NOT NULL`,
  ).run({ entityId });
}

export interface NewCompany {
  readonly entityId: string;
  readonly name: string | null;
}

/** Returns the companies that became known after a given version of the change feed. */
export function newCompanies(db: Database, since: number): Iterable<NewCompany> {
  return db
    .prepare<[{ since: number }], NewCompany>(
      `SELECT entity_id AS entityId, name FROM _company
       WHERE (record_version > @since OR summary_version > @since)
         AND min(coalesce(record_added, summary_added), coalesce(summary_added, record_added)) > @since
       ORDER BY known_id`,
    )
    .all({ since });
}

export interface ChangedField extends NewCompany {
  readonly path: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
  readonly observedAt: string;
}

/** Returns the fields that changed after a given version of the change feed, in the order of observation. */
export function changedFields(db: Database, since: number): Iterable<ChangedField> {
  return db
    .prepare<[number], ChangedField>(
      `SELECT c.entity_id AS entityId, k.name, c.path, c.before, c.after, c.observed_at AS observedAt
       FROM entity_change c LEFT JOIN _company k ON k.entity_id = c.entity_id
       WHERE c.change_id > ? ORDER BY c.change_id`,
    )
    .iterate(since);
}
