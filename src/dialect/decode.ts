import type { Call } from '../call.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../json/json.ts';
import { onlyValueAt, pathInWords, segmentsOf, valueAtKeys } from '../json/pointer.ts';
import type { Answer, RecordAnswer, StatsAnswer } from '../outcome.ts';
import { countOf, idIn, idText, isSameId, kindOf, NotUnderstood, nameIn, recordIn } from './body_values.ts';
import type { Dialect, EntityDialect } from './dialect.ts';
import type { Headers } from './headers.ts';
import { decodeSearch } from './search_results.ts';
import { isLowerBound } from './total.ts';

/** Reads a successful response's body according to the dialect. This function is pure and never throws. */
export function decode(dialect: Dialect, call: Call, body: Json, headers: Headers): Answer | NotUnderstood {
  switch (call.kind) {
    case 'stats':
      return decodeStats(dialect, body);
    case 'search':
      return decodeSearch(dialect.search, body, headers, call.page.index);
    case 'entity':
      return decodeRecord(dialect, call.entityId, body);
  }
}

/** Returns whether the body has the mark that the dialect defines for deleted entities. */
export function isMarkedGone(
  { entity: { gone: mark, root } }: Dialect,
  body: Json,
  requestedId: string,
): boolean {
  if (mark === null) return false;
  const inRecord = onlyValueAt(recordIn(root, body, requestedId), mark.at);
  const value = inRecord === undefined ? onlyValueAt(body, mark.at) : inRecord;
  if (mark.is === undefined) return value !== undefined && value !== null && value !== false;
  return value !== undefined && sameScalar(value, mark.is);
}

/**
 * Reads the record in a response that reports an entity as gone. Returns null if the body has no record, and
 * NotUnderstood if the record is another entity's, because it proves nothing about the requested entity.
 */
export function decodeTombstone(
  dialect: Dialect,
  requestedId: string,
  body: Json | undefined,
): RecordAnswer | NotUnderstood | null {
  const record = recordIn(dialect.entity.root, body, requestedId);
  const hasId = dialect.entity.id === null || idText(idIn(record, dialect.entity)) !== null;
  if (body === undefined || !isJsonObject(record) || !hasId) return null;
  return decodeRecord(dialect, requestedId, body);
}

function decodeRecord(dialect: Dialect, requestedId: string, body: Json): RecordAnswer | NotUnderstood {
  const { root, id } = dialect.entity;
  const document = recordIn(root, body, requestedId);
  if (!isJsonObject(document))
    return new NotUnderstood(`no record at ${pathInWords(root)}: found ${kindOf(document)}`);
  const found = id === null ? requestedId : idIn(document, dialect.entity);
  const foundId = idText(found);
  if (foundId === null)
    return new NotUnderstood(`the record has no id at ${pathInWords(id ?? '')}: found ${kindOf(found)}`);
  if (!isSameId(foundId, requestedId))
    return new NotUnderstood(`requested ${shortened(requestedId)}, received ${shortened(foundId)}`, foundId);
  return {
    kind: 'record',
    entityId: requestedId,
    name: nameIn(document, dialect.entity),
    document,
  };
}

/**
 * Returns whether the dialect expects the record in a list or under its id, and that list or object does not have it.
 * The upstream then does not have the record.
 */
export function hasNoRecord(
  { entity: { root } }: { readonly entity: Pick<EntityDialect, 'root'> },
  body: Json,
  requestedId: string,
): boolean {
  const keys = segmentsOf(root);
  const at = keys.findIndex((key) => key === '0' || key === '{id}');
  if (at === -1) return false;
  const holder = valueAtKeys(body, keys.slice(0, at));
  if (keys[at] === '0' || Array.isArray(holder)) return Array.isArray(holder) && holder.length === 0;
  return isJsonObject(holder) && !Object.hasOwn(holder, requestedId);
}

/** Compares a scalar with a value in the response table. A number matches text with the same digits. */
export function sameScalar(value: Json, wanted: string | number | boolean | null): boolean {
  if (value === wanted) return true;
  const text = scalarText(value);
  return text !== null && wanted !== null && text === String(wanted);
}

function decodeStats(dialect: Dialect, body: Json): StatsAnswer | NotUnderstood {
  const pointer = dialect.stats.total;
  const document = statsDocument(body);
  if (pointer === null) return { kind: 'stats', total: null, document };
  const found = onlyValueAt(body, pointer);
  const total = isLowerBound(body, pointer) ? null : countOf(found);
  // A null total is unknown, not 0.
  if (countOf(found) === null && found !== null)
    return new NotUnderstood(
      `the statistics have no count at ${pathInWords(pointer)}: found ${kindOf(found)}`,
    );
  return { kind: 'stats', total, document };
}

/** Returns the statistics as an object. A list with one element is its element. Any other body becomes `value`. */
function statsDocument(body: Json): JsonObject {
  const only = onlyValueAt(body, '');
  return isJsonObject(only) ? only : { value: body };
}

function shortened(id: string): string {
  return JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
}
