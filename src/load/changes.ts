import type { Watched } from '../change_rate/change_estimates.ts';
import { ExactNumber, type Json, stringifyJson } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import type { InferredTable, SchemaPath } from '../warehouse/inferred_schema.ts';
import type { Known } from '../warehouse/known.ts';
import type { RowOf } from '../warehouse/table.ts';
import type { CHANGE } from '../warehouse/tables.ts';
import type { Difference } from './difference.ts';
import type { LoadSession } from './load_session.ts';
import { type SqlValue, sqlValue } from './shred.ts';

/** Writes a row to `entity_change` for each difference, and counts one change for each schema path that changed. */
export function noteChanges(
  session: LoadSession,
  table: InferredTable,
  at: Pick<RowOf<typeof CHANGE>, 'entityId' | 'observedAt' | 'notBefore' | 'callId'>,
  found: readonly Difference[],
): void {
  if (at.notBefore === null) return;
  noteCompared(session, table);
  const changedPaths = new Set<SchemaPath>();
  for (const { path, before, after } of found) {
    const schemaPath = schemaPathOf(table.root, segmentsOf(path));
    if (schemaPath !== null) changedPaths.add(schemaPath);
    session.addChange({
      ...at,
      path,
      columnName: columnOf(schemaPath),
      before: changedValue(before),
      after: changedValue(after),
    });
  }
  for (const schemaPath of changedPaths) {
    schemaPath.changes++;
    session.schema.touched.add(schemaPath.table);
  }
}

function columnOf(schemaPath: SchemaPath | null): string | null {
  if (schemaPath === null || schemaPath.column === null) return null;
  const { table, column } = schemaPath;
  return table.parent === null ? column : `${table.name}.${column}`;
}

/**
 * Counts a comparison between a response and an earlier one. Fields that differ in nearly every comparison are proposed
 * as volatile.
 */
export function noteCompared({ schema }: LoadSession, table: InferredTable): void {
  table.compared++;
  schema.touched.add(table);
}

/**
 * Returns the value to store in `entity_change`. Scalars are stored as in their columns. Lists and objects are stored
 * as JSON.
 */
export function changedValue(value: Json | undefined): SqlValue {
  if (value === undefined) return null;
  if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber))
    return stringifyJson(value);
  const cell = sqlValue(value);
  // The columns `before` and `after` have no declared type, so SQLite does not convert a double to an integer.
  return typeof cell === 'number' && Number.isSafeInteger(cell) ? BigInt(cell) : cell;
}

/**
 * Returns the schema path for a JSON Pointer's keys, which can include list positions. Returns null if the inferred
 * schema has no such path.
 */
function schemaPathOf(root: SchemaPath, keys: readonly string[]): SchemaPath | null {
  let current = root;
  for (const key of keys) {
    const next =
      current.members?.get(key) ??
      (current.list !== null && /^\d+$/.test(key) ? current.list.root : undefined);
    if (next === undefined) return null;
    current = next;
  }
  return current;
}

type Rates = Pick<Known, 'changes' | 'changingDays' | 'steadyDays' | 'rateClass'>;

/** Returns a company's change rate after its record is fetched. */
export function ratesAfterFetch(session: LoadSession, known: Known, at: string, changed: boolean): Rates {
  const { evidence, rateClass } = session.estimates.book.fetched(watched(known), Date.parse(at), changed);
  return { ...evidence, rateClass };
}

/** Returns a company's change rate after it is listed again. */
export function ratesAfterListing(session: LoadSession, known: Known, at: string, changed: boolean): Rates {
  const { evidence, rateClass } = session.estimates.book.listed(watched(known), Date.parse(at), changed);
  return { ...evidence, rateClass };
}

function watched({ changes, changingDays, steadyDays, rateClass, ...known }: Known): Watched {
  return {
    evidence: { changes, changingDays, steadyDays },
    rateClass,
    fetchedAtMs: known.fetchedAt === null ? null : Date.parse(known.fetchedAt),
    listedAtMs: known.listedAt === null ? null : Date.parse(known.listedAt),
    isFlagged: known.flaggedAt !== null,
  };
}
