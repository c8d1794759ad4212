import { existsSync, statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { FailedError, messageOf } from '../errors.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';

interface ServedWarehouseOptions<Readers> {
  readonly path: string;
  readonly now: () => number;
  /** Opens everything that reads the file. */
  readonly open: (db: Database) => Readers;
  /** Called with the reason when the file can no longer be read. */
  readonly failed: (error: Error) => void;
}

/** The warehouse as a reader sees it, whichever file it is. */
export type ReadableWarehouse = Pick<ServedWarehouse<{ readonly db: Database }>, 'current' | 'doubt'>;

/**
 * Keeps the file at the warehouse's path open. If another file takes its place, or the file can no longer be read, the
 * file is closed, and opened again as soon as the file at the path can be read.
 */
export class ServedWarehouse<Readers> {
  readonly #options: ServedWarehouseOptions<Readers>;
  #opened: { readonly warehouse: Warehouse; readonly readers: Readers; readonly identity: string } | null =
    null;
  /** Why the file cannot be read. */
  #fault: FailedError | null = null;
  #nextCheckMs = Number.NEGATIVE_INFINITY;

  /** Creates the file if it is missing. Throws MirrorError if it cannot be read. */
  constructor(options: ServedWarehouseOptions<Readers>) {
    this.#options = options;
    const { path, now } = options;
    if (!existsSync(path)) openWarehouse({ path, nowMs: now() }).close();
    this.#open();
  }

  /** Returns the readers of the present file. Throws FailedError while no file can be read. */
  current(): Readers {
    const atMs = performance.now();
    if (atMs >= this.#nextCheckMs) this.#check(atMs);
    if (this.#opened === null) throw this.#fault ?? unreadable(this.#options.path, 'it is closed');
    return this.#opened.readers;
  }

  /**
   * Returns whether an error means that the file cannot be read now. Unless the file is only locked, it is opened again
   * at a later request.
   */
  doubt(error: unknown): boolean {
    const isBusy = error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    const isOfFile = error instanceof Sqlite.SqliteError || /connection is not open/.test(messageOf(error));
    if (isOfFile && !isBusy && this.#opened !== null) this.#lose(error, performance.now());
    return isOfFile;
  }

  close(): void {
    this.#opened?.warehouse.close();
    this.#opened = null;
    this.#nextCheckMs = Number.POSITIVE_INFINITY;
  }

  #check(atMs: number): void {
    this.#nextCheckMs = atMs + CHECK_EVERY_MS;
    if (this.#opened !== null && this.#opened.identity === identityOf(this.#options.path)) return;
    const isLost = this.#opened !== null;
    try {
      this.close();
      this.#open();
      this.#nextCheckMs = atMs + CHECK_EVERY_MS;
    } catch (error) {
      const fault = this.#lose(error, atMs);
      if (isLost) this.#options.failed(fault);
    }
  }

  #open(): void {
    const { path, now, open } = this.#options;
    const identity = identityOf(path) ?? '';
    const warehouse = openReadable(path, now());
    try {
      this.#opened = { warehouse, readers: open(warehouse.db), identity };
    } catch (error) {
      warehouse.close();
      throw error;
    }
  }

  #lose(error: unknown, atMs: number): FailedError {
    this.close();
    this.#nextCheckMs = atMs + RETRY_AFTER_MS;
    this.#fault = unreadable(this.#options.path, messageOf(error), error);
    return this.#fault;
  }
}

/** Opens the warehouse for reading, and migrates it first if an older version wrote it. */
function openReadable(path: string, nowMs: number): Warehouse {
  try {
    return openWarehouse({ path, readonly: true, nowMs });
  } catch (error) {
    if (!(error instanceof FailedError) || identityOf(path) === null) throw error;
    openWarehouse({ path, nowMs }).close();
    return openWarehouse({ path, readonly: true, nowMs });
  }
}

/** Returns a text that identifies the file at the path, or null if there is none or it is empty. */
function identityOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined || stats.size === 0n ? null : `${stats.dev}:${stats.ino}`;
}

function unreadable(path: string, reason: string, cause?: unknown): FailedError {
  return new FailedError(`The warehouse ${path} cannot be read now: ${reason}`, {
    hint: 'Restore a backup: registry-mirror restore FILE. `serve` then continues without a restart.',
    cause,
  });
}

/** The file's identity is checked at most this often, so that a request rarely reads it. */
const CHECK_EVERY_MS = 100;
const RETRY_AFTER_MS = 1_000;
