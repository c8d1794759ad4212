import type { Database } from 'better-sqlite3';
import type { Naming } from './naming.ts';

/** What is known of one company, in `_known`. Times are ISO 8601. */
export interface Known {
  entityId: string;
  name: string | null;
  formerNames: string | null;
  identifiers: string | null;
  firstSeenAt: string;
  lastSeenAt: string;
  listedAt: string | null;
  askedAt: string | null;
  fetchedAt: string | null;
  changedAt: string | null;
  flaggedAt: string | null;
  missingAt: string | null;
  missingShape: string | null;
  missingRun: number | null;
  missingCallId: number | null;
  goneAt: string | null;
  summaryHash: Buffer | null;
  recordHash: Buffer | null;
  recordCallId: number | null;
}

export interface KnownRow extends Known {
  readonly knownId: number;
}

const COLUMNS = {
  entityId: 'entity_id',
  name: 'name',
  formerNames: 'former_names',
  identifiers: 'identifiers',
  firstSeenAt: 'first_seen_at',
  lastSeenAt: 'last_seen_at',
  listedAt: 'listed_at',
  askedAt: 'asked_at',
  fetchedAt: 'fetched_at',
  changedAt: 'changed_at',
  flaggedAt: 'flagged_at',
  missingAt: 'missing_at',
  missingShape: 'missing_shape',
  missingRun: 'missing_run',
  missingCallId: 'missing_call_id',
  goneAt: 'gone_at',
  summaryHash: 'summary_hash',
  recordHash: 'record_hash',
  recordCallId: 'record_call_id',
} as const satisfies Record<keyof Known, string>;

/** `_known` and the full-text index over it, which stay in step. */
export function knownTable(db: Database, naming: Naming) {
  const table = naming('_known');
  const fts = naming('entity_fts');
  const keys = Object.keys(COLUMNS) as (keyof Known)[];
  const selected = keys.map((key) => `${COLUMNS[key]} AS ${key}`).join(', ');
  const find = db.prepare<[string], KnownRow>(
    `SELECT known_id AS knownId, ${selected} FROM ${table} WHERE entity_id = ?`,
  );
  const insert = db.prepare<[Known]>(
    `INSERT INTO ${table} (${keys.map((key) => COLUMNS[key]).join(', ')}) VALUES (${keys.map((key) => `@${key}`).join(', ')})`,
  );
  const update = db.prepare<[KnownRow]>(
    `UPDATE ${table} SET ${keys
      .filter((key) => key !== 'entityId')
      .map((key) => `${COLUMNS[key]} = @${key}`)
      .join(', ')} WHERE known_id = @knownId`,
  );
  const listedAgain = db.prepare<[string, string, number]>(
    `UPDATE ${table} SET last_seen_at = ?, listed_at = ? WHERE known_id = ?`,
  );
  const fetchedAgain = db.prepare<[string, string, string, number]>(
    `UPDATE ${table} SET last_seen_at = ?, asked_at = ?, fetched_at = ? WHERE known_id = ?`,
  );
  const index = db.prepare<[number | bigint, string, string | null, string | null, string | null]>(
    `INSERT INTO ${fts} (rowid, entity_id, name, former_names, identifiers) VALUES (?, ?, ?, ?, ?)`,
  );
  const unindex = db.prepare<[number | bigint, string, string | null, string | null, string | null]>(
    `INSERT INTO ${fts} (${fts}, rowid, entity_id, name, former_names, identifiers) VALUES ('delete', ?, ?, ?, ?, ?)`,
  );
  const missingInRun = db.prepare<[number], KnownRow>(
    `SELECT known_id AS knownId, ${selected} FROM ${table} WHERE missing_run = ? AND missing_at IS NOT NULL`,
  );
  const tally = new Map<TallyName, number>();
  const addTally = db.prepare<[TallyName, number]>(
    `INSERT INTO ${naming('_tally')} (what, n) VALUES (?, ?) ON CONFLICT (what) DO UPDATE SET n = n + excluded.n`,
  );
  const count = (known: Known | null, by: 1 | -1): void => {
    for (const name of known === null ? [] : talliesOf(known)) tally.set(name, (tally.get(name) ?? 0) + by);
  };
  return {
    find: (entityId: string): KnownRow | undefined => find.get(entityId),
    add: (known: Known): void => {
      count(known, 1);
      const { lastInsertRowid } = insert.run(known);
      index.run(lastInsertRowid, known.entityId, known.name, known.formerNames, known.identifiers);
    },
    replace: (before: KnownRow, after: KnownRow): void => {
      if (isTextChanged(before, after)) {
        unindex.run(before.knownId, before.entityId, before.name, before.formerNames, before.identifiers);
        index.run(after.knownId, after.entityId, after.name, after.formerNames, after.identifiers);
      }
      update.run(after);
      count(before, -1);
      count(after, 1);
    },
    /** Seen in a search with nothing new about it. */
    listedAgain: (knownId: number, at: string): void => {
      listedAgain.run(at, at, knownId);
    },
    /** Its record was fetched with nothing new about it. */
    fetchedAgain: (knownId: number, at: string): void => {
      fetchedAgain.run(at, at, at, knownId);
    },
    missingInRun: (runId: number): KnownRow[] => missingInRun.all(runId),
    /** Writes the counts that the rows above changed; belongs into their transaction. */
    saveTally: (): void => {
      for (const [name, n] of tally) if (n !== 0) addTally.run(name, n);
      tally.clear();
    },
  };
}

export function newKnown(entityId: string, seenAt: string): Known {
  return {
    entityId,
    name: null,
    formerNames: null,
    identifiers: entityId,
    firstSeenAt: seenAt,
    lastSeenAt: seenAt,
    listedAt: null,
    askedAt: null,
    fetchedAt: null,
    changedAt: null,
    flaggedAt: null,
    missingAt: null,
    missingShape: null,
    missingRun: null,
    missingCallId: null,
    goneAt: null,
    summaryHash: null,
    recordHash: null,
    recordCallId: null,
  };
}

function isTextChanged(before: Known, after: Known): boolean {
  return (
    before.name !== after.name ||
    before.formerNames !== after.formerNames ||
    before.identifiers !== after.identifiers
  );
}

/** `_tally`: counts that would cost a scan. known: all; listed and fetched: of these, and not gone. */
export type TallyName = 'known' | 'listed' | 'fetched' | 'gone';

function talliesOf(known: Known): TallyName[] {
  if (known.goneAt !== null) return ['known', 'gone'];
  return [
    'known',
    ...(known.listedAt === null ? [] : (['listed'] as const)),
    ...(known.fetchedAt === null ? [] : (['fetched'] as const)),
  ];
}

export function readTally(db: Database, naming: Naming, name: TallyName): number {
  return (
    (db
      .prepare(`SELECT n FROM ${naming('_tally')} WHERE what = ?`)
      .pluck()
      .get(name) as number) ?? 0
  );
}
