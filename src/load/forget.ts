import { isoTime } from '../clock.ts';
import { idIn } from '../dialect/body_values.ts';
import type { Dialect, SearchDialect } from '../dialect/dialect.ts';
import { readBody } from '../dialect/response_body.ts';
import { isJsonObject, type Json, scalarText, stringifyJson } from '../json/json.ts';
import { segmentsOf, valueAt } from '../json/pointer.ts';
import { headersIn } from '../warehouse/answer.ts';
import { eraseEntity, redactAnswer, scrub, searchAnswersWith } from '../warehouse/forget.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

export interface Forgotten {
  /** The number of rows deleted from the tables. */
  readonly rows: number;
  /** The number of search responses from which the entity was removed. */
  readonly answers: number;
}

/**
 * Erases an entity from the stored responses, the history, the search index and all later exports. Only its id is kept,
 * so that the mirror never loads the entity again. The caller must hold the warehouse's lock.
 */
export function forget(options: {
  warehouse: Warehouse;
  dialect: Dialect;
  entityId: string;
  nowMs: number;
}): Forgotten {
  const { warehouse, dialect, entityId, nowMs } = options;
  const { db } = warehouse;
  const now = isoTime(nowMs);
  db.pragma('secure_delete = ON');
  const forgotten = warehouse.write(() => {
    const answers = redactResponses(warehouse, dialect, entityId, now);
    return { answers, ...eraseEntity(db, entityId, now) };
  });
  scrub(db);
  db.pragma('secure_delete = FAST');
  return forgotten;
}

function redactResponses({ db }: Warehouse, dialect: Dialect, entityId: string, now: string): number {
  const ids = new Set([entityId]);
  let redacted = 0;
  for (const { callId, body, headers } of searchAnswersWith(db, entityId)) {
    const without = withoutEntities(dialect.search, body, headersIn(headers)['content-type'] ?? '', ids);
    if (without === null) continue;
    redactAnswer(db, callId, without, now);
    redacted += 1;
  }
  return redacted;
}

/**
 * Returns a search response's body with null in place of each entity that has one of these ids. Returns null if the
 * body has none of them. Returns an empty body if the body is unreadable, or if one of the entities also appears
 * outside the result list (`search.main`).
 */
export function withoutEntities(
  dialect: SearchDialect,
  body: Buffer,
  contentType: string,
  ids: ReadonlySet<string>,
): Buffer | null {
  if (![...ids].some((id) => body.includes(id))) return null;
  const { json } = readBody(body, contentType);
  const list = valueAt(json, dialect.results);
  if (json === undefined || !Array.isArray(list)) return Buffer.alloc(0);
  if (dialect.main !== null && ids.has(idOf(dialect, valueAt(json, dialect.main)) ?? ''))
    return Buffer.alloc(0);
  const isForgotten = (item: Json) => ids.has(idOf(dialect, item) ?? '');
  if (!list.some(isForgotten)) return null;
  const kept = list.map((item) => (isForgotten(item) ? null : item));
  return Buffer.from(stringifyJson(replaced(json, segmentsOf(dialect.results), kept)));
}

function idOf(search: SearchDialect, element: Json | undefined): string | null {
  return scalarText(idIn(valueAt(element, search.item), search));
}

function replaced(value: Json, keys: readonly string[], replacement: Json): Json {
  const [key, ...deeper] = keys;
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((inner, at) => (String(at) === key ? replaced(inner, deeper, replacement) : inner));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === key ? replaced(inner, deeper, replacement) : inner,
    ]),
  );
}
