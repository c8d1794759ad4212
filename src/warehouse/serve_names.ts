import type { Database } from 'better-sqlite3';

export interface NamedCompany {
  readonly knownId: number;
  readonly entityId: string;
  /** The folded name (`names/folding.ts`). */
  readonly folded: string;
}

/**
 * Reads the companies that are not gone, sorted bytewise by folded name and then by id. SQLite sorts them, on disk if
 * there is too little memory.
 */
export function companiesByName(
  db: Database,
  fold: (name: string) => string,
): IterableIterator<NamedCompany> {
  db.function('folded', { deterministic: true }, (name: unknown) =>
    typeof name === 'string' ? fold(name) : '',
  );
  return db
    .prepare<[], NamedCompany>(
      `SELECT known_id AS knownId, entity_id AS entityId, folded(name) AS folded
       FROM _known WHERE gone_at IS NULL ORDER BY folded, entity_id`,
    )
    .iterate();
}

/** Reads the same companies, sorted by upper-case id. */
export function companiesById(db: Database): IterableIterator<number> {
  return db
    .prepare<[], number>(
      'SELECT known_id FROM _known WHERE gone_at IS NULL ORDER BY upper(entity_id), entity_id',
    )
    .pluck()
    .iterate();
}

/**
 * Returns a function whose result changes when companies are added or removed, or when a name may have changed. The
 * function never reads a whole table.
 */
export function namesMark(db: Database): () => string {
  const mark = db
    .prepare<[], string>(
      `SELECT concat_ws(' ',
         (SELECT max(known_id) FROM _known),
         (SELECT n FROM _tally WHERE what = 'known'),
         (SELECT n FROM _tally WHERE what = 'gone'),
         (SELECT sum(changed) + sum(new) FROM _run),
         (SELECT schema_version FROM pragma_schema_version))`,
    )
    .pluck();
  return () => mark.get() ?? '';
}
