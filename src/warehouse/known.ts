import type { Database, Statement } from 'better-sqlite3';
import { FIRST_CLASS } from '../change_rate/change_rate.ts';
import { row, run, value, values } from '../sqlite/statements.ts';
import { FeedVersions } from './feed/versions.ts';
import { indexedFields, isSameText, NameIndex, type Rewritten } from './name_index.ts';
import { COMPANY, type Known, type KnownRow } from './tables.ts';

export type { Known, KnownRow } from './tables.ts';

export function newKnown(entityId: string, seenAt: string): Known {
  return { ...BLANK, entityId, firstSeenAt: seenAt };
}

/** Reads and writes `_company`, and updates its versions in the change feed, its full-text index and its counts. */
export class KnownCompanies {
  readonly feed: FeedVersions;
  readonly #db: Database;
  readonly #names: NameIndex | null;
  readonly #find: Statement<[string], KnownRow>;
  readonly #missingInRun: Statement<[number], KnownRow>;
  readonly #insert;
  readonly #remove: Statement<[number]>;
  /** The statements that set the same columns, by these columns. */
  readonly #updates = new Map<string, ReturnType<typeof COMPANY.update>>();
  /** The changes of the counts in this transaction. */
  readonly #counts = new Map<string, number>();
  /** The companies with other names or identifiers than before this transaction, by `knownId`. */
  readonly #renamed = new Map<number, Rewritten>();
  /** The last company found, because processing one response looks it up several times. */
  #found: { readonly entityId: string; readonly row: KnownRow | undefined } | null = null;

  /** With null, a company's names are not indexed. */
  constructor(db: Database, names: NameIndex | null = new NameIndex(db)) {
    this.feed = new FeedVersions(db);
    this.#db = db;
    this.#names = names;
    const select = `SELECT ${COMPANY.selected()} FROM _company`;
    this.#find = db.prepare(`${select} WHERE entity_id = ?`);
    this.#missingInRun = db.prepare(`${select} WHERE missing_run = ? AND missing_at IS NOT NULL`);
    this.#insert = COMPANY.insert(db, { properties: FACTS });
    this.#remove = db.prepare('DELETE FROM _company WHERE known_id = ?');
  }

  find(entityId: string): KnownRow | undefined {
    if (this.#found?.entityId !== entityId) {
      const row = this.#find.get(entityId);
      this.#found = { entityId, row: row && COMPANY.withTimes(row) };
    }
    return this.#found.row;
  }

  add(known: Known): void {
    const { lastInsertRowid } = this.#insert(this.#versioned(BLANK, known));
    this.#note(null, { ...known, knownId: Number(lastInsertRowid) });
  }

  /** Writes the columns that differ, because SQLite writes the indexes of all columns that a statement sets. */
  replace(after: KnownRow): void {
    const before = this.find(after.entityId) as KnownRow;
    const versioned = this.#versioned(before, after);
    const differing = FACTS.filter((one) => before[one] !== versioned[one]);
    if (differing.length === 0) return;
    const key = differing.join(' ');
    const update = this.#updates.get(key) ?? COMPANY.update(this.#db, differing, ['known_id']);
    this.#updates.set(key, update);
    update(versioned, after.knownId);
    this.#note(before, after);
  }

  /** Removes the company from the table, the indexes and the counts. */
  remove(known: KnownRow): void {
    this.feed.removed('entity_overview', known.entityId);
    this.#remove.run(known.knownId);
    this.#note(known, null);
  }

  missingInRun(runId: number): KnownRow[] {
    return this.#missingInRun.all(runId).map((row) => COMPANY.withTimes(row));
  }

  /** Returns the companies that are gone since `from`, and that neither a listing nor a record has shown since `to`. */
  goneSince(from: string, to: string): string[] {
    return values(
      this.#db,
      `SELECT entity_id FROM _company
       WHERE gone_at >= ? AND listed_at <= ? AND (fetched_at IS NULL OR fetched_at < ? OR fetched_at >= gone_at)`,
      Date.parse(from),
      Date.parse(to),
      Date.parse(to),
    );
  }

  /** Writes the pending versions, names and counts. Call this function in the transaction that writes the rows. */
  save(): void {
    this.feed.save();
    const add = `INSERT INTO _tally (what, n) VALUES (?, ?) ON CONFLICT (what) DO UPDATE SET n = n + excluded.n`;
    for (const [what, n] of this.#counts) if (n !== 0) run(this.#db, add, what, n);
    this.#counts.clear();
    this.#names?.write([...this.#renamed.values()]);
    this.#renamed.clear();
  }

  #note(before: KnownRow | null, after: KnownRow | null): void {
    this.#found = null;
    for (const [what, isCounted] of TALLIES) {
      const n = Number(after !== null && isCounted(after)) - Number(before !== null && isCounted(before));
      if (n !== 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + n);
    }
    if (this.#names === null || isSameText(before, after)) return;
    const knownId = after?.knownId ?? before?.knownId ?? 0;
    const earlier = this.#renamed.get(knownId);
    this.#renamed.set(knownId, {
      before: earlier === undefined ? indexedFields(before) : earlier.before,
      after: indexedFields(after),
    });
  }

  /**
   * Sets the versions that follow from a difference. A caller that writes a record or a summary with its lists sets its
   * version, and the earlier ones are then updated here. If only facts differ that the rows show, the rows are touched.
   */
  #versioned<K extends Known>(before: Known, after: K): K {
    const versioned: K = { ...after };
    let isWritten = false;
    for (const { added, version, touched } of VERSIONS) {
      if (after[version] === before[version]) continue;
      const isRewritten = before[version] !== null && after[version] !== null;
      versioned[added] = isRewritten ? (before[added] ?? before[version]) : null;
      versioned[touched] = null;
      isWritten ||= after[version] !== null;
    }
    if (!isWritten && SHOWN.some((fact) => fact(before) !== fact(after)))
      versioned[before.listedAt === after.listedAt ? 'recordTouched' : 'summaryTouched'] = this.feed.next();
    return versioned;
  }
}

/** Counts the companies, and those without a name. */
export function countUnnamed(db: Database): { readonly companies: number; readonly unnamed: number } {
  return unnamedIn(db, '_company');
}

/** Counts the last 1,000 companies whose record was added or changed, and those of them without a name. */
export function countUnnamedRecords(db: Database): ReturnType<typeof countUnnamed> {
  return unnamedIn(
    db,
    '(SELECT name FROM _company WHERE record_version IS NOT NULL ORDER BY record_version DESC LIMIT 1000)',
  );
}

function unnamedIn(db: Database, companies: string): ReturnType<typeof countUnnamed> {
  const sql = `SELECT count(*) AS companies, count(*) - count(name) AS unnamed FROM ${companies}`;
  return row<{ companies: number; unnamed: number }>(db, sql) ?? { companies: 0, unnamed: 0 };
}

/**
 * Returns the id of the company whose record was last added or changed, unless it is gone or its last call failed. It
 * shows whether record calls still work. Returns null if there is no such company.
 */
export function lastFetchedId(db: Database): string | null {
  const id = value<string>(
    db,
    `SELECT entity_id FROM _company
     WHERE record_version IS NOT NULL AND gone_at IS NULL AND missing_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM _failure WHERE kind = 'entity' AND target = entity_id)
     ORDER BY record_version DESC LIMIT 1`,
  );
  return id ?? null;
}

/** Returns ids of companies that are not known to be gone or missing, spread over the order in which they became known. */
export function sampleIds(db: Database, most: number): string[] {
  const last = value<number | null>(db, 'SELECT max(known_id) FROM _company') ?? 0;
  const from = db
    .prepare<[number], string>(
      `SELECT entity_id FROM _company WHERE known_id >= ? AND gone_at IS NULL AND missing_at IS NULL
       ORDER BY known_id LIMIT 1`,
    )
    .pluck();
  const ids = Array.from({ length: most }, (_, at) => from.get(1 + Math.floor((at * last) / most)));
  return [...new Set(ids.flatMap((id) => id ?? []))];
}

/** The versions of a record and of a summary, with the tables of their own rows. */
export const VERSIONS = [
  { table: 'entity', added: 'recordAdded', version: 'recordVersion', touched: 'recordTouched' },
  { table: 'search_result', added: 'summaryAdded', version: 'summaryVersion', touched: 'summaryTouched' },
] as const;

/** The facts that public rows show. */
const SHOWN: readonly ((known: Known) => unknown)[] = [
  ({ name }) => name,
  ({ firstSeenAt }) => firstSeenAt,
  ({ listedAt }) => listedAt,
  ({ fetchedAt }) => fetchedAt,
  ({ goneAt, fetchedAt }) => (fetchedAt === null ? goneAt === null : goneAt),
];

const FACTS = COMPANY.properties.filter((one): one is keyof Known => one !== 'knownId');
const BLANK: Known = {
  ...(Object.fromEntries(FACTS.map((one) => [one, null])) as unknown as Known),
  changes: 0,
  changingDays: 0,
  steadyDays: 0,
  rateClass: FIRST_CLASS,
};

/** The counts in `_tally`, which would otherwise need a scan. `listed` and `fetched` exclude gone companies. */
const TALLIES: readonly (readonly [what: string, isCounted: (company: KnownRow) => boolean])[] = [
  ['known', () => true],
  ['listed', ({ listedAt, goneAt }) => listedAt !== null && goneAt === null],
  ['fetched', ({ fetchedAt, goneAt }) => fetchedAt !== null && goneAt === null],
  ['gone', ({ goneAt }) => goneAt !== null],
];

/** Returns the number of companies whose last response claims, without proof, that they are gone. */
export function countMissing(db: Database): number {
  return value<number>(db, 'SELECT count(*) FROM _company WHERE missing_at IS NOT NULL') ?? 0;
}
