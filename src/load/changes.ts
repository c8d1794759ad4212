import { ExactNumber, type Json, stringifyJson } from '../dialect/json.ts';
import { segmentsOf } from '../dialect/pointer.ts';
import type { ChangeRow } from '../warehouse/change.ts';
import type { Place, TableShape } from '../warehouse/shape.ts';
import type { Books } from './books.ts';
import type { Difference } from './difference.ts';
import { type SqlValue, sqlValue } from './shred.ts';

/** Writes one row of `entity_change` per field, and counts once for each place that it changed. */
export function noteChanges(
  books: Books,
  table: TableShape,
  at: Pick<ChangeRow, 'entityId' | 'observedAt' | 'notBefore' | 'callId'>,
  found: readonly Difference[],
): void {
  if (at.notBefore === null) return;
  noteCompared(books, table);
  for (const { path, before, after } of found)
    books.changes.add({ ...at, path, before: changedValue(before), after: changedValue(after) });
  for (const place of new Set(found.map(({ path }) => placeOf(table.root, segmentsOf(path))))) {
    if (place === null) continue;
    place.changes++;
    books.shape.touched.add(place.table);
  }
}

/** A later answer was compared with an earlier one: what differs every time is proposed as volatile. */
export function noteCompared({ shape }: Books, table: TableShape): void {
  table.compared++;
  shape.touched.add(table);
}

/** Scalars as in the columns, lists and objects as JSON. */
export function changedValue(value: Json | undefined): SqlValue {
  if (value === undefined) return null;
  if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber))
    return stringifyJson(value);
  const cell = sqlValue(value);
  // These columns have no type that would make an integer of a number.
  return typeof cell === 'number' && Number.isSafeInteger(cell) ? BigInt(cell) : cell;
}

/** The place that a path leads to, through the elements of lists; null where the inferred schema has none. */
function placeOf(root: Place, keys: readonly string[]): Place | null {
  let place = root;
  for (const key of keys) {
    const next =
      place.members?.get(key) ?? (place.list !== null && /^\d+$/.test(key) ? place.list.root : undefined);
    if (next === undefined) return null;
    place = next;
  }
  return place;
}
