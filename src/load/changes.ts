import { ExactNumber, type Json, stringifyJson } from '../dialect/json.ts';
import { segmentsOf } from '../dialect/pointer.ts';
import type { ChangeRow } from '../warehouse/change.ts';
import type { Place, TableShape } from '../warehouse/shape.ts';
import type { Books } from './books.ts';
import type { Difference } from './difference.ts';
import { type SqlValue, sqlValue } from './shred.ts';

/** Writes one row of `entity_change` per field, and counts for each field that it changed. */
export function noteChanges(
  books: Books,
  table: TableShape,
  at: Pick<ChangeRow, 'entityId' | 'observedAt' | 'notBefore' | 'callId'>,
  found: readonly Difference[],
): void {
  if (at.notBefore === null) return;
  table.compared++;
  for (const { path, before, after } of found) {
    books.changes.add({ ...at, path, before: changedValue(before), after: changedValue(after) });
    const place = placeOf(table.root, segmentsOf(path));
    if (place !== null) place.changes++;
  }
}

/** Scalars as in the columns, lists and objects as JSON. */
export function changedValue(value: Json | undefined): SqlValue {
  if (value === undefined) return null;
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber)
    ? stringifyJson(value)
    : sqlValue(value);
}

/** The place nearest to the path that the inferred schema has: a list stands for its elements. */
function placeOf(root: Place, keys: readonly string[]): Place | null {
  let place = root;
  for (const key of keys) {
    const member = place.members?.get(key);
    if (member === undefined) return place.list === null ? null : place;
    place = member;
  }
  return place;
}
