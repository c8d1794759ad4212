import type { Database } from 'better-sqlite3';
import { isIncomplete } from '../outcome.ts';
import { rows, run } from '../sqlite/statements.ts';
import { answerTable } from './answer.ts';
import { FORGOTTEN } from './forget.ts';

/** A stored response to a probe call. The call has the kind `probe`, and its target is the requested URL. */
interface StoredProbe {
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
  const probes = rows<Omit<StoredProbe, 'headers' | 'body'> & { readonly failure: string | null }>(
    db,
    `SELECT call_id AS callId, target, reason AS why, status, sent_at AS sentAt, ms, note AS failure FROM _call
     WHERE kind = 'probe' AND target <> '${FORGOTTEN}' ORDER BY call_id`,
  );
  const answers = answerTable(db);
  return probes.map(({ failure, ...row }) => ({
    ...row,
    ...((isIncomplete({ failure }) ? null : answers.read(row.callId)) ?? { headers: {}, body: null }),
  }));
}

/** Deletes a probe call, which the caller loads as another kind of call in the same transaction. */
export function removeProbe(db: Database, callId: number): void {
  run(db, 'DELETE FROM _answer WHERE call_id = ?', callId);
  run(db, "DELETE FROM _call WHERE call_id = ? AND kind = 'probe'", callId);
}
