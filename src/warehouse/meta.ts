import type { Database } from 'better-sqlite3';

/** Reads and writes `_meta`, which stores facts about the whole warehouse, one value per key. */
export function metaTable(db: Database) {
  const select = db.prepare<[string], string | null>('SELECT value FROM _meta WHERE key = ?').pluck();
  const upsert = db.prepare<[string, string | null]>(
    'INSERT INTO _meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value',
  );
  return {
    get: (key: MetaKey): string | null => select.get(key) ?? null,
    set: (key: MetaKey, value: string | null): void => {
      upsert.run(key, value);
    },
  };
}

export type MetaKey =
  | 'source'
  | 'source_url'
  | 'licence'
  | 'attribution'
  | 'tier'
  | 'dialect'
  | 'schema_version'
  /** The call that recovery is processing alone, and how many times it has tried. */
  | 'processed_alone'
  /** The mapping that created the current tables, as JSON. */
  | 'mapping'
  /** The records' URL with `{id}`, which shows which redirects lead to another record. */
  | 'entity_url'
  /** The record's JSON path in the response, for the view `entity_history`. */
  | 'record_path'
  /** The form of the 404 response to an id that never existed. */
  | 'absent_shape'
  /** Not null if a search page has had different rows of one company. */
  | 'several_rows'
  /** Not null if the upstream rejected every record call when record calls were last sent. */
  | 'records_doubted'
  /** The last company (by `known_id`) that is indexed in `_name` and `_word`. */
  | 'named_until'
  /** The ledger stamps (`ledgerStamps`), as JSON. */
  | 'ledger'
  /** In a rebuild's own file: its progress, as JSON. */
  | 'rebuild'
  /** The stored estimate (`StoredEstimate`), as JSON. */
  | 'estimate'
  /** The last version in the change feed. */
  | 'feed_version'
  /** Not null if a reader has prevented `forget` from overwriting the erased bytes. */
  | 'scrub_pending'
  /** The bodies of calls up to this one are in blocks, except those that an older version stored. */
  | 'packed_until'
  /** Replaced responses that are older than this time may have been deleted. */
  | 'pruned_until';

export interface SourceFacts {
  readonly name: string;
  readonly url: string | null;
  readonly licence: string | null;
  readonly attribution: string | null;
  readonly tier: string;
}

/** Stores the data's source and terms of use, which every export includes. */
export function recordSource(db: Database, source: SourceFacts): void {
  const meta = metaTable(db);
  meta.set('source', source.name);
  meta.set('source_url', source.url);
  meta.set('licence', source.licence);
  meta.set('attribution', source.attribution);
  meta.set('tier', source.tier);
}

export function readSource(db: Database): SourceFacts {
  const meta = metaTable(db);
  return {
    name: meta.get('source') ?? '',
    url: meta.get('source_url'),
    licence: meta.get('licence'),
    attribution: meta.get('attribution'),
    tier: meta.get('tier') ?? '',
  };
}
