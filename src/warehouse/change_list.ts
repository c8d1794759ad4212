import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { DAY_MS } from '../durations.ts';
import { firstIdSince } from './call_counts.ts';
import { CHANGE_COLUMNS, type NamedChange, withNumbers } from './company_history.ts';

/** Specifies which changes to show. */
export interface ChangeFilter {
  /** Only changes observed at or after this time (epoch milliseconds); null for all changes. */
  readonly sinceMs: number | null;
  /** Only changes to the field at this JSON Pointer, or to fields below it; null for all fields. */
  readonly path: string | null;
  readonly kind: ChangeKind;
}

/**
 * - `gone`: the company left the registry.
 * - `returned`: a gone company is in the registry again.
 * - `fields`: all other changes.
 */
export type ChangeKind = 'all' | 'fields' | 'gone' | 'returned';
export const CHANGE_KINDS: readonly ChangeKind[] = ['all', 'fields', 'gone', 'returned'];

/** One page in a list of changes. */
export interface ChangePage {
  /** The changes on the page, most recent first. */
  readonly changes: readonly NamedChange[];
  /** The number of matching changes on all pages. `MAX_COUNTED` + 1 means more than `MAX_COUNTED`. */
  readonly total: number;
}

/** Changes are counted only up to this number, because a warehouse can have millions. */
export const MAX_COUNTED = 10_000;

/**
 * Reads one page of `entity_change`. `beforeId` is the id of the last change on the previous page, or null for the
 * first page. A few matches are found through an index and then sorted. For many matches, rows are read in id order.
 */
export function readChanges(
  db: Database,
  filter: ChangeFilter,
  { beforeId, most }: { readonly beforeId: number | null; readonly most: number },
): ChangePage {
  const { sinceMs, path } = filter;
  const values = {
    path,
    beforeId: beforeId ?? Number.MAX_SAFE_INTEGER,
    most,
    since: isoTime(sinceMs ?? 0),
    firstId: sinceMs === null ? 0 : firstIdSince(db, CHANGE_TIMES, sinceMs - MARGIN_MS),
  };
  const counted = `SELECT 1 FROM entity_change WHERE ${conditionOf(filter, true)} LIMIT ${MAX_COUNTED + 1}`;
  const total = db.prepare<[object], number>(`SELECT count(*) FROM (${counted})`).pluck().get(values) ?? 0;
  const hasIndex = path !== null || filter.kind === 'gone' || filter.kind === 'returned';
  const isSorted = hasIndex && sinceMs === null && total <= MAX_COUNTED;
  const id = isSorted ? '+change_id' : 'change_id';
  const changes = db
    .prepare<[object], NamedChange>(
      `SELECT ${CHANGE_COLUMNS}, (SELECT name FROM _company k WHERE k.entity_id = c.entity_id) AS name
       FROM entity_change c
       WHERE change_id IN (SELECT change_id FROM entity_change
         WHERE ${conditionOf(filter, isSorted)} AND ${id} < @beforeId ORDER BY ${id} DESC LIMIT @most)
       ORDER BY change_id DESC`,
    )
    .safeIntegers()
    .all(values)
    .map(withNumbers);
  return { changes, total };
}

/** Returns the SQL condition. A unary plus prevents SQLite from using an index. The ids are preferred to the index on paths. */
function conditionOf({ sinceMs, path, kind }: ChangeFilter, usesIndex: boolean): string {
  const field = usesIndex && sinceMs === null ? 'path' : '+path';
  return [
    'TRUE',
    sinceMs !== null && 'change_id >= @firstId AND observed_at >= @since',
    // The character after '.' and '/' is '0', so the range covers the field's members and elements.
    path !== null && `(${field} = @path OR ${field} >= @path || '.' AND ${field} < @path || '0')`,
    kind === 'fields' && "+path <> '_gone_at'",
    kind === 'gone' && `${field} = '_gone_at' AND after IS NOT NULL`,
    kind === 'returned' && `${field} = '_gone_at' AND after IS NULL`,
  ]
    .filter((condition) => condition !== false)
    .join(' AND ');
}

const CHANGE_TIMES = { table: 'entity_change', id: 'change_id', time: 'observed_at' };
/** Stored responses are processed up to this time after later ones. */
const MARGIN_MS = 2 * DAY_MS;
