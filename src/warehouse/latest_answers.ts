import type { Database } from 'better-sqlite3';
import { isIncomplete } from '../outcome.ts';
import { rows } from '../sqlite/statements.ts';
import { answerTable, type StoredAnswer } from './answer.ts';
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
