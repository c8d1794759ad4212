import type { Database } from 'better-sqlite3';
import { isIncomplete } from '../outcome.ts';
import { answerTable } from './answer.ts';
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

/** Returns the probe calls that have not yet been loaded as another kind of call, in id order. */
export function storedProbes(db: Database): StoredProbe[] {
  const rows = db
    .prepare<[], Omit<StoredProbe, 'headers' | 'body'> & { readonly failure: string | null }>(
      `SELECT c.call_id AS callId, c.target, c.reason AS why, c.status, c.sent_at AS sentAt, c.ms, c.note AS failure
       FROM _call c
       WHERE c.kind = 'probe' AND c.outcome <> 'unsent' AND c.target <> '${FORGOTTEN}' ORDER BY c.call_id`,
    )
    .all();
  const answers = answerTable(db);
  return rows.map(({ failure, ...row }) => ({
    ...row,
    ...((isIncomplete({ failure }) ? null : answers.read(row.callId)) ?? { headers: {}, body: null }),
  }));
}

/** Deletes a probe call, which the caller loads as another kind of call in the same transaction. */
export function removeProbe(db: Database, callId: number): void {
  db.prepare('DELETE FROM _answer WHERE call_id = ?').run(callId);
  db.prepare("DELETE FROM _call WHERE call_id = ? AND kind = 'probe'").run(callId);
}
