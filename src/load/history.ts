import { isJsonObject, type JsonObject, parseJson } from '../dialect/json.ts';
import { valueAt } from '../dialect/pointer.ts';
import type { Books } from './books.ts';

/**
 * The record as it was last known, read from the answers: the newest full version, with the tombstones
 * since then over it. null: no stored answer can be read by today's dialect.
 */
export function latestDocument(books: Books, entityId: string): JsonObject | null {
  const versions: JsonObject[] = [];
  for (const version of [...books.versions.latest(entityId)]) {
    const document = documentIn(books, version.callId);
    if (document === null) return null;
    versions.unshift(document);
    if (version.isTombstone === 0) break;
  }
  return versions.length === 0 ? null : Object.fromEntries(versions.flatMap(Object.entries));
}

function documentIn(books: Books, callId: number): JsonObject | null {
  const body = books.answers.body(callId);
  if (body === null) return null;
  const document = valueAt(readJson(body), books.dialect.entity.root);
  return isJsonObject(document) ? document : null;
}

function readJson(body: Buffer) {
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    // The answer was understood once; a body that is not JSON any more cannot be a record.
    return undefined;
  }
}
