import { readBody } from '../dialect/body.ts';
import { isJsonObject, type JsonObject } from '../dialect/json.ts';
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
  const stored = books.answers.read(callId);
  if (stored === null) return null;
  const { json } = readBody(stored.body, stored.headers['content-type'] ?? '');
  const document = valueAt(json, books.dialect.entity.root);
  return isJsonObject(document) ? document : null;
}
