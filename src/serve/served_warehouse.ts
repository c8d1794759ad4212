import { existsSync, statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { FailedError, messageOf } from '../errors.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';

/** The open warehouse file and everything that reads it. */
interface Opened<Readers> {
  readonly db: Database;
  readonly readers: Readers;
}

interface ServedWarehouseOptions<Readers> {
  readonly path: string;
  readonly now: () => number;
  /** Opens everything that reads the file. */
  readonly open: (db: Database) => Promise<Readers>;
  readonly close: (readers: Readers) => Promise<void>;
  readonly failed: (error: Error) => void;
}

/** The warehouse as a reader sees it, whichever file it is. */
export type ReadableWarehouse = Pick<ServedWarehouse<unknown>, 'current' | 'doubt' | 'fault'>;

/**
 * Keeps the file at the warehouse's path open. If another file takes its place, or the file can no longer be read, all
 * readers are closed, and opened again as soon as the file at the path can be read.
 */
export class ServedWarehouse<Readers> {
  readonly #options: ServedWarehouseOptions<Readers>;
  #opened: (Opened<Readers> & { readonly warehouse: Warehouse; readonly identity: string | null }) | null =
    null;
  /** Closing the last file and opening the next one. */
  #opening: Promise<void> | null = null;
  #fault: FailedError;
  #nextCheckMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServedWarehouseOptions<Readers>) {
    this.#options = options;
    this.#fault = new FailedError(`The warehouse ${options.path} is being opened.`);
  }

  /** Opens the file for the first time. Creates it if it is missing. Throws MirrorError if it cannot be read. */
  async start(): Promise<void> {
    const { path, now } = this.#options;
    if (!existsSync(path)) openWarehouse({ path, nowMs: now() }).close();
    await this.#open();
  }

  /** Returns the open file, or null while no file can be read. `fault` then states why. */
  current(): Opened<Readers> | null {
    const atMs = performance.now();
    if (atMs >= this.#nextCheckMs && this.#opening === null) {
      this.#nextCheckMs = atMs + CHECK_EVERY_MS;
      const isSame = this.#opened !== null && this.#opened.identity === identityOf(this.#options.path);
      if (!isSame) this.#reopen();
    }
    return this.#opened;
  }

  /** Explains why no file can be read. */
  get fault(): FailedError {
    return this.#fault;
  }

  /**
   * Returns whether an error means that the file cannot be read now. Unless the file is only locked, it is opened again
   * at a later request.
   */
  doubt(error: unknown): boolean {
    const isBusy = error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    const isOfFile = error instanceof Sqlite.SqliteError || /connection is not open/.test(messageOf(error));
    if (!isOfFile || isBusy || this.#opened === null) return isOfFile;
    this.#fault = unreadable(this.#options.path, error);
    this.#nextCheckMs = performance.now() + RETRY_AFTER_MS;
    this.#opening = this.#closeReaders().finally(() => {
      this.#opening = null;
    });
    return true;
  }

  async close(): Promise<void> {
    await this.#opening;
    await this.#closeReaders();
    this.#nextCheckMs = Number.POSITIVE_INFINITY;
  }

  #reopen(): void {
    const { path, failed } = this.#options;
    const isLost = this.#opened !== null;
    this.#opening = this.#closeReaders()
      .then(() => this.#open())
      .catch((error: Error) => {
        this.#fault = unreadable(path, error);
        this.#nextCheckMs = performance.now() + RETRY_AFTER_MS;
        if (isLost) failed(this.#fault);
      })
      .finally(() => {
        this.#opening = null;
      });
  }

  async #open(): Promise<void> {
    const { path, now, open } = this.#options;
    const identity = identityOf(path);
    const warehouse = openReadable(path, now());
    try {
      const { db } = warehouse;
      const readers = await open(db);
      this.#opened = { db, readers, warehouse, identity };
    } catch (error) {
      warehouse.close();
      throw error;
    }
  }

  async #closeReaders(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    if (opened === null) return;
    await this.#options.close(opened.readers);
    opened.warehouse.close();
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

function unreadable(path: string, cause: unknown): FailedError {
  return new FailedError(`The warehouse ${path} cannot be read now: ${messageOf(cause)}`, {
    hint: 'Restore a backup: registry-mirror restore FILE. `serve` then continues without a restart.',
    cause,
  });
}

/** The file's identity is checked at most this often, so that a request rarely reads it. */
const CHECK_EVERY_MS = 100;
const RETRY_AFTER_MS = 1_000;
