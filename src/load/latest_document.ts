import { readBody } from '../dialect/response_body.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import type { LoadSession } from './load_session.ts';

/**
 * The record as it was last known, read from the answers: the newest full version, with the tombstones
 * since then over it. null: no stored answer can be read by today's dialect.
 */
export function latestDocument(session: LoadSession, entityId: string): JsonObject | null {
  const versions: JsonObject[] = [];
  for (const version of [...session.versions.latest(entityId)]) {
    const document = documentIn(session, version.callId);
    if (document === null) return null;
    versions.unshift(document);
    if (version.isTombstone === 0) break;
  }
  return versions.length === 0 ? null : Object.fromEntries(versions.flatMap(Object.entries));
}

function documentIn(session: LoadSession, callId: number): JsonObject | null {
  const stored = session.answers.read(callId);
  if (stored === null) return null;
  const { json } = readBody(stored.body, stored.headers['content-type'] ?? '');
  const document = valueAt(json, session.dialect.entity.root);
  return isJsonObject(document) ? document : null;
}
