import type { Database } from 'better-sqlite3';
import { answerTable } from './answer.ts';

/** A stored response and its call. */
export interface LatestAnswer {
  readonly callId: number;
  readonly kind: 'stats' | 'search' | 'entity';
  readonly target: string;
  readonly page: number | null;
  readonly reason: string;
  readonly status: number;
  readonly outcome: string;
  readonly sentAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type Row = Omit<LatestAnswer, 'headers' | 'body'>;

/** Returns the last `mostOfEach` responses to each kind of call, newest first. */
export function latestAnswers(db: Database, mostOfEach: number): LatestAnswer[] {
  const select = db.prepare<[string, number], Row>(
    `${SELECT} WHERE c.kind = ? AND c.status IS NOT NULL ORDER BY c.call_id DESC LIMIT ?`,
  );
  const withAnswer = answersTo(db);
  return ['stats', 'search', 'entity'].flatMap((kind) => select.all(kind, mostOfEach).flatMap(withAnswer));
}

/** Returns the responses to the calls that one command made, in call order. */
export function answersOfCommand(db: Database, command: string): LatestAnswer[] {
  return db
    .prepare<[string], Row>(
      `${SELECT} JOIN _run r USING (run_id)
       WHERE r.command = ? AND c.kind <> 'probe' AND c.status IS NOT NULL ORDER BY c.call_id`,
    )
    .all(command)
    .flatMap(answersTo(db));
}

const SELECT = `SELECT c.call_id AS callId, c.kind, c.target, c.page, c.reason, c.status, c.outcome, c.sent_at AS sentAt
  FROM _call c JOIN _answer a USING (call_id)`;

function answersTo(db: Database): (row: Row) => LatestAnswer[] {
  const answers = answerTable(db);
  return (row) => {
    const answer = answers.read(row.callId);
    return answer === null ? [] : [{ ...row, ...answer }];
  };
}
