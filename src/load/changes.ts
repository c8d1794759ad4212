import type { Watched } from '../change_rate/change_estimates.ts';
import { ExactNumber, type Json, stringifyJson } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import type { ChangeRow } from '../warehouse/change.ts';
import type { InferredTable, SchemaPath } from '../warehouse/inferred_schema.ts';
import type { Known } from '../warehouse/known_row.ts';
import type { Difference } from './difference.ts';
import type { LoadSession } from './load_session.ts';
import { type SqlValue, sqlValue } from './shred.ts';

/** Writes one row of `entity_change` per field, and counts once for each place that it changed. */
export function noteChanges(
  session: LoadSession,
  table: InferredTable,
  at: Pick<ChangeRow, 'entityId' | 'observedAt' | 'notBefore' | 'callId'>,
  found: readonly Difference[],
): void {
  if (at.notBefore === null) return;
  noteCompared(session, table);
  for (const { path, before, after } of found)
    session.changes.add({ ...at, path, before: changedValue(before), after: changedValue(after) });
  for (const place of new Set(found.map(({ path }) => placeOf(table.root, segmentsOf(path))))) {
    if (place === null) continue;
    place.changes++;
    session.schema.touched.add(place.table);
  }
}

/** A later answer was compared with an earlier one: what differs every time is proposed as volatile. */
export function noteCompared({ schema: shape }: LoadSession, table: InferredTable): void {
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
function placeOf(root: SchemaPath, keys: readonly string[]): SchemaPath | null {
  let place = root;
  for (const key of keys) {
    const next =
      place.members?.get(key) ?? (place.list !== null && /^\d+$/.test(key) ? place.list.root : undefined);
    if (next === undefined) return null;
    place = next;
  }
  return place;
}

type Rates = Pick<Known, 'changes' | 'changingDays' | 'changingLog' | 'steadyDays' | 'rateClass'>;

/** How often the company changes, after its record was fetched. Before the first fetch there is nothing to compare. */
export function ratesAfterFetch(session: LoadSession, known: Known, at: string, changed: boolean): Rates {
  const { evidence, rateClass } = session.estimates.book.fetched(watched(known), Date.parse(at), changed);
  return { ...evidence, rateClass };
}

/** How often the company changes, after it was listed again. */
export function ratesAfterListing(session: LoadSession, known: Known, at: string, changed: boolean): Rates {
  const { evidence, rateClass } = session.estimates.book.listed(watched(known), Date.parse(at), changed);
  return { ...evidence, rateClass };
}

function watched({ changes, changingDays, changingLog, steadyDays, rateClass, ...known }: Known): Watched {
  return {
    evidence: { changes, changingDays, changingLog, steadyDays },
    rateClass,
    fetchedAtMs: known.fetchedAt === null ? null : Date.parse(known.fetchedAt),
    listedAtMs: known.listedAt === null ? null : Date.parse(known.listedAt),
    isFlagged: known.flaggedAt !== null,
  };
}
