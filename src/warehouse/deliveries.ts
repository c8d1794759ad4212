import type { Database } from 'better-sqlite3';
import { row, rows, run, values } from '../sqlite/statements.ts';
import { ADDED, lastVersion, NEWEST } from './feed/versions.ts';
import type { RowOf } from './table.ts';
import { DELIVERY, RECEIVER } from './tables.ts';

/** A receiver's state. Times are ISO 8601. */
type ReceiverRow = RowOf<typeof RECEIVER>;

const DUE = ['deliveryId', 'receiver', 'body', 'attempts'] as const;
export type DeliveryRow = Pick<RowOf<typeof DELIVERY>, (typeof DUE)[number]>;
const NEW = ['deliveryId', 'receiver', 'body', 'createdAt', 'nextTryAt'] as const;

export interface ReceiverStatus extends ReceiverRow {
  readonly waiting: number;
  readonly error: string | null;
}

/** Reads and writes `_receiver` and `_delivery`, which store receivers, their digests and the delivery attempts. */
export class Deliveries {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Registers the receiver if it is new, and returns its state. A new receiver gets only changes from now on. */
  receiver(name: string): ReceiverRow {
    const sql = 'INSERT OR IGNORE INTO _receiver (name, version) VALUES (?, ?)';
    run(this.#db, sql, name, lastVersion(this.#db));
    return this.find(name) as ReceiverRow;
  }

  find(name: string): ReceiverRow | undefined {
    return row(this.#db, `SELECT ${RECEIVER.selected()} FROM _receiver WHERE name = ?`, name);
  }

  digested(name: string, version: number, isHealthy: boolean): void {
    const sql = 'UPDATE _receiver SET version = ?, is_healthy = ? WHERE name = ?';
    run(this.#db, sql, version, isHealthy ? 1 : 0, name);
  }

  disable(name: string, at: string | null, why: string | null): void {
    run(this.#db, 'UPDATE _receiver SET disabled_at = ?, why = ? WHERE name = ?', at, why, name);
  }

  /** Enables the receiver. Its undelivered digests become due at `at`. */
  enable(name: string, at: string): void {
    this.disable(name, null, null);
    run(this.#db, 'UPDATE _delivery SET attempts = 0, next_try_at = ? WHERE receiver = ?', at, name);
  }

  add(id: string, name: string, body: string, at: string): void {
    const digest = { deliveryId: id, receiver: name, body, createdAt: at, nextTryAt: at };
    DELIVERY.insert(this.#db, { properties: NEW })(digest);
  }

  due(at: string): DeliveryRow[] {
    return rows(
      this.#db,
      `SELECT ${DELIVERY.selected('d', DUE)} FROM _delivery d
       WHERE next_try_at <= ? AND NOT EXISTS
         (SELECT 1 FROM _receiver r WHERE r.name = d.receiver AND r.disabled_at IS NOT NULL)
       ORDER BY created_at, delivery_id`,
      at,
    );
  }

  /**
   * Counts a delivery attempt and schedules the next one. Returns false if another process has claimed this attempt.
   */
  claim(id: string, at: string, nextTryAt: string): boolean {
    const sql =
      'UPDATE _delivery SET attempts = attempts + 1, next_try_at = ? WHERE delivery_id = ? AND next_try_at <= ?';
    return run(this.#db, sql, nextTryAt, id, at).changes === 1;
  }

  /** Counts a delivery and deletes its digest. */
  delivered({ deliveryId, receiver }: DeliveryRow): void {
    this.#db
      .transaction(() => {
        run(this.#db, 'UPDATE _receiver SET delivered = delivered + 1 WHERE name = ?', receiver);
        run(this.#db, 'DELETE FROM _delivery WHERE delivery_id = ?', deliveryId);
      })
      .immediate();
  }

  failed(id: string, error: string): void {
    run(this.#db, 'UPDATE _delivery SET error = ? WHERE delivery_id = ?', error, id);
  }

  status(name: string): ReceiverStatus | null {
    const receiver = this.find(name);
    const counted = row<Omit<ReceiverStatus, keyof ReceiverRow>>(
      this.#db,
      `SELECT count(*) AS waiting,
         (SELECT error FROM _delivery WHERE receiver = @name AND error IS NOT NULL
          ORDER BY created_at DESC, delivery_id DESC LIMIT 1) AS error
       FROM _delivery WHERE receiver = @name`,
      { name },
    );
    return receiver === undefined || counted === undefined ? null : { ...receiver, ...counted };
  }
}

/** Returns which of the named receivers are disabled. */
export function disabledReceivers(db: Database, names: readonly string[]): string[] {
  const disabled = values<string>(db, 'SELECT name FROM _receiver WHERE disabled_at IS NOT NULL');
  return names.filter((name) => disabled.includes(name));
}

/** Removes a forgotten company from the undelivered digests. */
export function eraseFromDigests(db: Database, entityId: string): void {
  // Without the outer json(), SQLite would store the list as a string.
  const lists = ['new', 'changed', 'gone'].map(
    (list) =>
      `'$.data.${list}', json((SELECT json_group_array(json(value)) FROM json_each(body, '$.data.${list}')
        WHERE value ->> '$.entity_id' <> @entityId))`,
  );
  db.prepare(`UPDATE _delivery SET body = json_set(body, ${lists.join(', ')})`).run({ entityId });
}

export interface NewCompany {
  readonly entityId: string;
  readonly name: string | null;
}

/** Returns the companies that became known after a given version of the change feed. */
export function newCompanies(db: Database, since: number): NewCompany[] {
  return rows(
    db,
    `SELECT entity_id AS entityId, name FROM _company
       WHERE ${NEWEST} > @since AND ${ADDED} > @since
       ORDER BY known_id`,
    { since },
  );
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
