import type { Database, Statement } from 'better-sqlite3';
import { FIRST_CLASS } from '../change_rate/change_rate.ts';
import { row, value } from '../sqlite/query.ts';
import { type NameIndex, nameIndex } from './name_index.ts';
import { COMPANY, type Known, type KnownRow } from './tables.ts';

export type { Known, KnownRow } from './tables.ts';

export function newKnown(entityId: string, seenAt: string): Known {
  return { ...BLANK, entityId, firstSeenAt: seenAt, lastSeenAt: seenAt };
}

/** Reads and writes `_company`, and updates its full-text index and counts. */
export class KnownCompanies {
  readonly #names: NameIndex;
  readonly #totals;
  readonly #find: Statement<[string], KnownRow>;
  readonly #missingInRun: Statement<[number], KnownRow>;
  readonly #insert;
  readonly #update;
  readonly #updateListed;
  readonly #updateRated;
  readonly #updateFetched;
  readonly #remove: Statement<[number]>;
  /** The last company found, because processing one response looks it up several times. */
  #found: { readonly entityId: string; readonly row: KnownRow | undefined } | null = null;

  constructor(db: Database, names: NameIndex = nameIndex(db)) {
    this.#names = names;
    this.#totals = tallyTable(db);
    const select = `SELECT known_id AS knownId, ${COMPANY.selected()} FROM _company`;
    this.#find = db.prepare(`${select} WHERE entity_id = ?`);
    this.#missingInRun = db.prepare(`${select} WHERE missing_run = ? AND missing_at IS NOT NULL`);
    this.#insert = COMPANY.insert(db);
    this.#update = COMPANY.update(db, MUTABLE, ['known_id']);
    this.#updateListed = COMPANY.update(db, LISTED, ['known_id']);
    this.#updateRated = COMPANY.update(db, [...LISTED, 'rateClass'], ['known_id']);
    this.#updateFetched = COMPANY.update(db, FETCHED, ['known_id']);
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
    this.#found = null;
    const { lastInsertRowid } = this.#insert(known);
    this.#names.add({ ...known, knownId: Number(lastInsertRowid) });
    this.#totals.count(known, 1);
  }

  replace(before: KnownRow, after: KnownRow): void {
    this.#found = null;
    this.#update(after, after.knownId);
    this.#names.replace(before, after);
    this.#totals.count(before, -1);
    this.#totals.count(after, 1);
  }

  /** Removes the company from the table, the indexes and the counts. */
  remove(known: KnownRow): void {
    this.#found = null;
    this.#names.remove(known);
    this.#totals.count(known, -1);
    this.#remove.run(known.knownId);
  }

  /** Records that a search returned an unchanged summary of the company. */
  listedAgain(known: KnownRow, { at, version, rateClass }: ListedAgain): void {
    this.#found = null;
    const listed = { lastSeenAt: at, listedAt: at, summaryTouched: version };
    // SQLite would write the index of rate classes again, even if the class is the same.
    if (rateClass === known.rateClass) this.#updateListed(listed, known.knownId);
    else this.#updateRated({ ...listed, rateClass }, known.knownId);
  }

  /** Records that a fetch returned an unchanged record. */
  fetchedAgain(knownId: number, { at, version, ...rates }: FetchedAgain): void {
    this.#found = null;
    const times = { lastSeenAt: at, askedAt: at, fetchedAt: at };
    this.#updateFetched({ ...times, recordTouched: version, ...rates }, knownId);
  }

  missingInRun(runId: number): KnownRow[] {
    return this.#missingInRun.all(runId).map((row) => COMPANY.withTimes(row));
  }

  /** Writes the pending counts. Call this function in the transaction that writes the rows. */
  saveCounts(): void {
    this.#totals.save();
    this.#names.save();
  }
}

/** Counts the companies, and those without a name. */
export function countUnnamed(db: Database): { readonly companies: number; readonly unnamed: number } {
  const sql = 'SELECT count(*) AS companies, count(*) - count(name) AS unnamed FROM _company';
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

/** When a listing or fetch found no change, and its version in the change feed. */
interface SeenAgain {
  readonly at: string;
  readonly version: number | null;
}

type ListedAgain = SeenAgain & Pick<Known, 'rateClass'>;
type FetchedAgain = SeenAgain &
  Pick<Known, 'changes' | 'changingDays' | 'changingLog' | 'steadyDays' | 'rateClass'>;

const MUTABLE = COMPANY.properties.filter((one) => one !== 'entityId');
const LISTED = ['lastSeenAt', 'listedAt', 'summaryTouched'] as const;
const FETCHED = [
  ...(['lastSeenAt', 'askedAt', 'fetchedAt', 'recordTouched'] as const),
  ...(['changes', 'changingDays', 'changingLog', 'steadyDays', 'rateClass'] as const),
];
const BLANK: Known = {
  ...(Object.fromEntries(COMPANY.properties.map((one) => [one, null])) as unknown as Known),
  changes: 0,
  changingDays: 0,
  changingLog: 0,
  steadyDays: 0,
  rateClass: FIRST_CLASS,
};

/**
 * A count in `_tally` that would otherwise need a scan. `known` counts all companies, while `listed` and `fetched`
 * exclude gone companies.
 */
type TallyName = 'known' | 'listed' | 'fetched' | 'gone';

function tallyTable(db: Database) {
  const add = db.prepare<[TallyName, number]>(
    `INSERT INTO _tally (what, n) VALUES (?, ?) ON CONFLICT (what) DO UPDATE SET n = n + excluded.n`,
  );
  const pending: Record<TallyName, number> = { known: 0, listed: 0, fetched: 0, gone: 0 };
  return {
    /** Adds a company to the pending counts (`by` = 1) or removes it (-1). */
    count: (known: Known, by: 1 | -1): void => {
      pending.known += by;
      if (known.goneAt !== null) {
        pending.gone += by;
        return;
      }
      if (known.listedAt !== null) pending.listed += by;
      if (known.fetchedAt !== null) pending.fetched += by;
    },
    save: (): void => {
      for (const [name, n] of Object.entries(pending) as [TallyName, number][]) {
        if (n !== 0) add.run(name, n);
        pending[name] = 0;
      }
    },
  };
}
