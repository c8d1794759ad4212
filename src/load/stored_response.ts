import { recordIn, recordKeys } from '../dialect/body_values.ts';
import { readBody } from '../dialect/response_body.ts';
import { listPointer } from '../dialect/search_results.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import type { Outcome } from '../outcome.ts';
import { latestVersions } from '../warehouse/company_history.ts';
import { isSame, type Volatile, withoutVolatile } from './content.ts';
import type { LoadSession } from './load_session.ts';

/**
 * Returns the last known record from the stored responses: the newest full version, updated with the fields of later
 * tombstones. Returns null if there is none, or if the current dialect cannot read a stored response.
 */
export function latestDocument(session: LoadSession, entityId: string): JsonObject | null {
  const versions: JsonObject[] = [];
  for (const version of latestVersions(session.db, entityId)) {
    const document = documentIn(session, version.callId, entityId);
    if (document === null) return null;
    versions.unshift(document);
    if (version.isTombstone === 0) break;
  }
  return versions.length === 0 ? null : Object.fromEntries(versions.flatMap(Object.entries));
}

function documentIn(session: LoadSession, callId: number, entityId: string): JsonObject | null {
  const stored = session.responses.read(callId);
  if (stored === null) return null;
  const { json } = readBody(stored.body, stored.headers['content-type'] ?? '');
  const document = recordIn(session.dialect.entity.root, json, entityId);
  return isJsonObject(document) ? document : null;
}

/**
 * Returns whether a response, including its envelope, differs from a stored response only in volatile fields. If so, a
 * reference to the stored response is stored instead.
 */
export function isSameResponse(
  session: LoadSession,
  { call, body, headers = {} }: Outcome,
  storedCallId: number,
): boolean {
  if (body === null || !session.storesResponses) return false;
  const stored = session.responses.read(storedCallId);
  if (stored === null) return false;
  if (stored.body.equals(body)) return true;
  const ignored = volatileInBody(session, call);
  if (ignored.length === 0) return false;
  const before = readBody(stored.body, stored.headers['content-type'] ?? '').json;
  const now = readBody(body, headers['content-type'] ?? '').json;
  if (before === undefined || now === undefined) return false;
  return isSame(withoutVolatile(before, ignored), withoutVolatile(now, ignored));
}

/**
 * Returns the volatile fields as paths in the body. A volatile field can be relative to the record or summary, or to
 * the body's root, so both paths are returned.
 */
function volatileInBody({ dialect, ignored }: LoadSession, call: Outcome['call']): Volatile {
  if (call.kind === 'stats') return ignored;
  const { search, entity } = dialect;
  const prefix =
    call.kind === 'entity'
      ? recordKeys(entity.root, call.entityId)
      : [...segmentsOf(listPointer(search.results)), '*', ...segmentsOf(search.item)];
  return [...ignored, ...ignored.map((keys) => [...prefix, ...keys])];
}
