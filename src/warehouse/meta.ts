import type { Database } from 'better-sqlite3';
import type { EstimateState } from '../change_rate/change_estimates.ts';
import type { Mapping } from '../dialect/mapping.ts';
import { run, value } from '../sqlite/statements.ts';

/** Reads and writes `_meta`, which stores facts about the whole warehouse, one value per key. */
export function metaTable(db: Database) {
  return {
    get: <K extends keyof MetaFacts>(key: K): MetaFacts[K] | null => {
      const text = value<string | null>(db, 'SELECT value FROM _meta WHERE key = ?', key) ?? null;
      return (text !== null && JSON_FACTS.has(key) ? JSON.parse(text) : text) as MetaFacts[K] | null;
    },
    set: <K extends keyof MetaFacts>(key: K, fact: MetaFacts[K] | null): void => {
      run(
        db,
        `INSERT INTO _meta (key, value) VALUES (?, ?)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value`,
        key,
        fact !== null && JSON_FACTS.has(key) ? JSON.stringify(fact) : fact,
      );
    },
  };
}

/** Facts that are stored as texts. */
interface TextFacts extends Record<'source' | 'source_url' | 'licence' | 'attribution' | 'tier', string> {
  readonly schema_version: string;
  /** The call that recovery is processing alone, and how many times it has tried. */
  readonly processed_alone: string;
  /** The records' URL with `{id}`, which shows which redirects lead to another record. */
  readonly entity_url: string;
  /** The record's JSON path in the response, for the view `entity_history`. */
  readonly record_path: string;
  /** The form of the 404 response to an id that never existed. */
  readonly absent_shape: string;
  /** The part of the file that must still be overwritten, because a reader prevented `forget` from doing it. */
  readonly scrub_pending: string;
  /** The bodies of calls up to this one are in blocks, except those that an older version stored. */
  readonly packed_until: string;
  /** Replaced responses that are older than this time may have been deleted. */
  readonly pruned_until: string;
}

/** Facts that are stored as JSON. */
interface JsonFacts {
  readonly dialect: unknown;
  /** The mapping that created the current tables. One that an older version stored can lack newer keys. */
  readonly mapping: Partial<Mapping>;
  /** Set if a search page has had different rows of one company. */
  readonly several_rows: 1;
  /** Set if the upstream rejected every record call when record calls were last sent. */
  readonly records_doubted: 1;
  /** The ledger stamps of the accounts that the warehouse has used. */
  readonly ledger: { readonly accounts: Readonly<Record<string, LedgerStamp>> };
  /**
   * In a rebuild's own file: the last call that it has processed, and a hash of the dialect, the mapping and the schema's
   * version. If the hash changes, the rebuild restarts.
   */
  readonly rebuild: { readonly after: number; readonly madeBy: string };
  readonly estimate: StoredEstimate;
  /** The change rates and the share of changes that listings show, estimated from all companies. */
  readonly change_estimates: Partial<EstimateState>;
  /** Set if the words in names are counted. */
  readonly counts_words: 1;
  /** The last version in the change feed. */
  readonly feed_version: number;
}

type MetaFacts = TextFacts & JsonFacts;

const JSON_FACTS: ReadonlySet<keyof MetaFacts> = new Set<keyof JsonFacts>([
  ...(['dialect', 'mapping', 'several_rows', 'records_doubted', 'ledger'] as const),
  ...(['rebuild', 'estimate', 'change_estimates', 'counts_words', 'feed_version'] as const),
]);

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

/** An estimate of how many calls it takes until nothing is due, stored at the end of a run. */
export interface StoredEstimate {
  /** When the estimate was made (UTC). */
  readonly at: string;
  /** `high` is null if no upper bound is known. */
  readonly calls: { readonly low: number; readonly high: number | null };
}

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

/** Returns whether a company can have several rows in a listing, so that rows and totals do not count companies. */
export function hasSeveralRows(db: Database): boolean {
  return metaTable(db).get('several_rows') !== null;
}

/** Returns whether the upstream rejected every record call when record calls were last sent. */
export function areRecordsDoubted(db: Database): boolean {
  return metaTable(db).get('records_doubted') !== null;
}

export function setRecordsDoubted(db: Database, areDoubted: boolean): void {
  metaTable(db).set('records_doubted', areDoubted ? 1 : null);
}
