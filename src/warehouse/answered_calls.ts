import type { Database } from 'better-sqlite3';
import { isIncomplete } from '../outcome.ts';
import { rows, run } from '../sqlite/statements.ts';
import { answerTable, type StoredAnswer } from './answer.ts';
import { FORGOTTEN } from './forget.ts';
import type { RowOf } from './table.ts';
import { CALL } from './tables.ts';

const SHOWN = ['callId', 'kind', 'target', 'page', 'reason', 'status', 'outcome', 'sentAt', 'note'] as const;

type Row = Omit<Pick<RowOf<typeof CALL>, (typeof SHOWN)[number]>, 'kind' | 'status'> & {
  readonly kind: 'stats' | 'search' | 'entity';
  readonly status: number;
};

/** A stored response and its call. */
export type LatestAnswer = Row & StoredAnswer;

/** Returns the last `mostOfEach` complete responses to each kind of call, newest first. */
export function latestAnswers(db: Database, mostOfEach: number): LatestAnswer[] {
  const sql = `${SELECT} WHERE c.kind = ? AND c.status IS NOT NULL ORDER BY c.call_id DESC LIMIT ?`;
  return ['stats', 'search', 'entity'].flatMap((kind) =>
    rows<Row>(db, sql, kind, mostOfEach).flatMap(answersTo(db)),
  );
}

/** Returns the responses to the calls that one command made, in call order. */
export function answersOfCommand(db: Database, command: string): LatestAnswer[] {
  const sql = `${SELECT} JOIN _run r USING (run_id)
    WHERE r.command = ? AND c.kind <> 'probe' AND c.status IS NOT NULL ORDER BY c.call_id`;
  return rows<Row>(db, sql, command).flatMap(answersTo(db));
}

const SELECT = `SELECT ${CALL.selected('c', SHOWN)} FROM _call c JOIN _answer a USING (call_id)`;

function answersTo(db: Database): (row: Row) => LatestAnswer[] {
  const answers = answerTable(db);
  return (row) => {
    const answer = isIncomplete({ failure: row.note }) ? null : answers.read(row.callId);
    return answer === null ? [] : [{ ...row, ...answer }];
  };
}

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

interface Confirmations {
  /** Pairs of calls, by id, that returned the same record in different responses. */
  readonly pairs: readonly { readonly before: number; readonly after: number }[];
  /** The number of compared confirmations. */
  readonly refreshes: number;
}

/**
 * Reads the latest fetches that returned an unchanged record. `pairs` has those whose whole response was stored again.
 */
export function unlikeConfirmations(db: Database, most: number): Confirmations {
  const found = rows<{ before: number; after: number; isReference: 0 | 1 }>(
    db,
    `SELECT e._call_id AS before, c.call_id AS after, a.same_as IS NOT NULL AS isReference
     FROM _call c JOIN _answer a USING (call_id) JOIN entity e ON e.entity_id = c.target
     WHERE c.kind = 'entity' AND c.outcome = 'ok' AND c.call_id > e._call_id
     ORDER BY c.call_id DESC LIMIT ?`,
    most,
  );
  return { pairs: found.filter(({ isReference }) => isReference === 0), refreshes: found.length };
}
