import { NotUnderstood } from '../dialect/body_values.ts';
import { readBody } from '../dialect/response_body.ts';
import { decodeSearch } from '../dialect/search_results.ts';
import type { QueryPage, QueryRow } from '../warehouse/query.ts';
import { hashesIn } from './id_hashes.ts';
import type { LoadSession } from './load_session.ts';

/**
 * Flags the companies that a query's last listing showed, and that neither its new, complete listing nor another search has
 * shown since. They have probably left the registry or have another name, and their records show it.
 */
export function flagUnlisted(session: LoadSession, { key, firstCall, listedAt, askedAt }: QueryRow): void {
  const pages = session.queries.pages(key);
  const earlier = pages.flatMap((page) => earlierReading(page, firstCall) ?? []);
  if (earlier.length === 0) return;
  const shown = new Set(
    pages.flatMap(({ callId, fingerprint }) => (callId >= firstCall ? hashesIn(fingerprint) : [])),
  );
  for (const { callId, fingerprint } of earlier) {
    if (hashesIn(fingerprint).every((id) => shown.has(id))) continue;
    for (const entityId of idsIn(session, callId))
      flagIfUnseen(session, entityId, { since: listedAt, askedAt });
  }
  session.queries.dropEarlier(key, firstCall);
}

/** Returns a page as the listing before the one that began with `firstCall` showed it, or null if it had no such page. */
export function earlierReading(
  { callId, fingerprint, earlierCall, earlierFingerprint }: QueryPage,
  firstCall: number,
): Pick<QueryPage, 'callId' | 'fingerprint'> | null {
  if (earlierCall !== null && earlierFingerprint !== null)
    return { callId: earlierCall, fingerprint: earlierFingerprint };
  return callId < firstCall ? { callId, fingerprint } : null;
}

/** Returns the ids in a stored response. There are none if the current dialect cannot read it. */
function idsIn({ responses, dialect }: LoadSession, callId: number): string[] {
  const stored = responses.read(callId);
  if (stored === null) return [];
  const { json } = readBody(stored.body, stored.headers['content-type'] ?? '');
  const answer = json === undefined ? null : decodeSearch(dialect.search, json, stored.headers, 0);
  if (answer === null || answer instanceof NotUnderstood) return [];
  return answer.rows.map(({ entityId }) => entityId);
}

/** A company whose record was requested since the listing began is not flagged, because that shows its state. */
function flagIfUnseen(
  { known }: LoadSession,
  entityId: string,
  { since, askedAt }: { readonly since: string; readonly askedAt: string },
): void {
  const one = known.find(entityId);
  if (one === undefined || one.flaggedAt !== null || one.goneAt !== null) return;
  if (one.askedAt === null || one.askedAt >= since || (one.listedAt ?? '') >= since) return;
  known.replace({ ...one, flaggedAt: askedAt });
}
