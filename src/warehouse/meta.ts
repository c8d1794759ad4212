import type { Database } from 'better-sqlite3';
import { run, value } from '../sqlite/statements.ts';

/** Reads and writes `_meta`, which stores facts about the whole warehouse, one value per key. */
export function metaTable(db: Database) {
  return {
    get: (key: MetaKey): string | null =>
      value<string | null>(db, 'SELECT value FROM _meta WHERE key = ?', key) ?? null,
    set: (key: MetaKey, text: string | null): void => {
      run(
        db,
        `INSERT INTO _meta (key, value) VALUES (?, ?)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value`,
        key,
        text,
      );
    },
  };
}

type MetaKey =
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
  /** The ledger stamps (`ledgerStamps`), as JSON. */
  | 'ledger'
  /** In a rebuild's own file: its progress, as JSON. */
  | 'rebuild'
  /** The stored estimate (`StoredEstimate`), as JSON. */
  | 'estimate'
  /** The change rates and the share of changes that listings show, estimated from all companies, as JSON. */
  | 'change_estimates'
  /** Not null if the words in names are counted. */
  | 'counts_words'
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

/**
 * The ledger's state when this warehouse last used it. A comparison with the current ledger shows whether the ledger
 * has since been lost or restored.
 */
interface LedgerStamp {
  readonly ledgerId: string;
  /** How many runs have used the account. */
  readonly starts: number;
  /** How many units the ledger had debited. */
  readonly debits: number;
}

interface LedgerStamps {
  readonly accounts: Readonly<Record<string, LedgerStamp>>;
}

/** Returns a warehouse's ledger stamps, one for each account that it has used. */
export function ledgerStamps(db: Database) {
  const meta = metaTable(db);
  const read = (): LedgerStamps | null => JSON.parse(meta.get('ledger') ?? 'null');
  return {
    read,
    write: (account: string, stamp: LedgerStamp): void =>
      meta.set('ledger', JSON.stringify({ accounts: { ...read()?.accounts, [account]: stamp } })),
  };
}

/** An estimate of how many calls it takes until nothing is due, stored at the end of a run. */
export interface StoredEstimate {
  /** When the estimate was made (UTC). */
  readonly at: string;
  /** `high` is null if no upper bound is known. */
  readonly calls: { readonly low: number; readonly high: number | null };
}

export function storeEstimate(db: Database, estimate: StoredEstimate): void {
  metaTable(db).set('estimate', JSON.stringify(estimate));
}

/** Reads the stored estimate. Returns null if no run has stored one. */
export function readStoredEstimate(db: Database): StoredEstimate | null {
  const stored = metaTable(db).get('estimate');
  return stored === null ? null : (JSON.parse(stored) as StoredEstimate);
}

/** Returns whether a company can have several rows in a listing, so that rows and totals do not count companies. */
export function hasSeveralRows(db: Database): boolean {
  return metaTable(db).get('several_rows') !== null;
}

/** Returns whether the upstream rejected every record call when record calls were last sent. */
export function areRecordsDoubted(db: Database): boolean {
  return metaTable(db).get('records_doubted') !== null;
}

export function setRecordsDoubted(db: Database, areDoubted: boolean): void {
  if (areDoubted !== areRecordsDoubted(db)) metaTable(db).set('records_doubted', areDoubted ? '1' : null);
}
