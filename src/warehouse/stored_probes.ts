import type { Database } from 'better-sqlite3';
import { decoded, headersIn } from './answer.ts';
import { FORGOTTEN } from './forget.ts';

/** A stored response to a probe call. The call has the kind `probe`, and its target is the requested URL. */
export interface StoredProbe {
  readonly callId: number;
  readonly target: string;
  readonly why: string;
  readonly status: number | null;
  readonly sentAt: string;
  readonly ms: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

interface Row {
  readonly callId: number;
  readonly target: string;
  readonly reason: string;
  readonly status: number | null;
  readonly sentAt: string;
  readonly ms: number;
  readonly headers: string | null;
  readonly encoding: string | null;
  readonly body: Buffer | null;
}

/** Returns the probe calls that have not yet been loaded as another kind of call, in id order. */
export function storedProbes(db: Database): StoredProbe[] {
  const rows = db
    .prepare<[], Row>(
      `SELECT c.call_id AS callId, c.target, c.reason, c.status, c.sent_at AS sentAt, c.ms, a.headers, a.encoding, a.body
       FROM _call c LEFT JOIN _answer a USING (call_id)
       WHERE c.kind = 'probe' AND c.outcome <> 'unsent' AND c.target <> '${FORGOTTEN}' ORDER BY c.call_id`,
    )
    .all();
  return rows.map(({ reason, headers, encoding, body, ...row }) => ({
    ...row,
    why: reason,
    headers: headersIn(headers),
    body: body === null ? null : decoded({ encoding, body }),
  }));
}

/** Deletes a probe call, which the caller loads as another kind of call in the same transaction. */
export function removeProbe(db: Database, callId: number): void {
  db.prepare('DELETE FROM _answer WHERE call_id = ?').run(callId);
  db.prepare("DELETE FROM _call WHERE call_id = ? AND kind = 'probe'").run(callId);
}
