import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { CHANGE_COLUMNS, type NamedChange, withNumbers } from './page_queries.ts';

/** Selects the changes that a list shows. */
export interface ChangeFilter {
  /** Only changes observed at or after this time (epoch milliseconds); null: all changes. */
  readonly sinceMs: number | null;
  /** Only changes of the field at this JSON Pointer or of the fields below it; null: all fields. */
  readonly path: string | null;
  readonly kind: ChangeKind;
}

/**
 * `gone`: the company left the registry. `returned`: a gone company is in the registry again. `fields`: all other
 * changes.
 */
export type ChangeKind = 'all' | 'fields' | 'gone' | 'returned';
export const CHANGE_KINDS: readonly ChangeKind[] = ['all', 'fields', 'gone', 'returned'];

/** Reads `entity_change` in pages, latest change first. */
export function changeList(db: Database) {
  const rows = db
    .prepare<[object], NamedChange>(
      `SELECT ${CHANGE_COLUMNS}, (SELECT name FROM _known k WHERE k.entity_id = c.entity_id) AS name
       FROM entity_change c WHERE ${CONDITION} AND change_id < @beforeId ORDER BY change_id DESC LIMIT @most`,
    )
    .safeIntegers();
  const total = db
    .prepare<[object], number>(`SELECT count(*) FROM entity_change c WHERE ${CONDITION}`)
    .pluck();
  return {
    /** `beforeId` is the id of the last change on the previous page; null requests the first page. */
    list: (filter: ChangeFilter, beforeId: number | null, most: number): NamedChange[] =>
      rows.all({ ...valuesOf(filter), beforeId: beforeId ?? Number.MAX_SAFE_INTEGER, most }).map(withNumbers),
    count: (filter: ChangeFilter): number => total.get(valuesOf(filter)) ?? 0,
  };
}

function valuesOf({ sinceMs, path, kind }: ChangeFilter) {
  return { since: sinceMs === null ? '' : isoTime(sinceMs), path, kind };
}

const CONDITION = `observed_at >= @since
  AND (@path IS NULL OR path = @path OR substr(path, 1, length(@path) + 1) IN (@path || '/', @path || '.'))
  AND CASE @kind WHEN 'all' THEN 1 WHEN 'fields' THEN path <> '_gone_at'
      WHEN 'gone' THEN path = '_gone_at' AND after IS NOT NULL
      ELSE path = '_gone_at' AND after IS NULL END`;
