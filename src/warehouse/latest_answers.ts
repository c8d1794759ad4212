import type { Database } from 'better-sqlite3';
import { decoded, headersIn } from './answer.ts';

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

interface Row extends Omit<LatestAnswer, 'headers'> {
  readonly headers: string | null;
  readonly encoding: string | null;
}

/** Returns the last `mostOfEach` responses to each kind of call, newest first. */
export function latestAnswers(db: Database, mostOfEach: number): LatestAnswer[] {
  const select = db.prepare<[string, number], Row>(
    `${SELECT} WHERE c.kind = ? AND c.status IS NOT NULL ORDER BY c.call_id DESC LIMIT ?`,
  );
  return ['stats', 'search', 'entity'].flatMap((kind) => select.all(kind, mostOfEach).map(answerOf));
}

/** Returns the responses to the calls that one command made, in call order. */
export function answersOfCommand(db: Database, command: string): LatestAnswer[] {
  return db
    .prepare<[string], Row>(
      `${SELECT} JOIN _run r USING (run_id)
       WHERE r.command = ? AND c.kind <> 'probe' AND c.status IS NOT NULL ORDER BY c.call_id`,
    )
    .all(command)
    .map(answerOf);
}

const SELECT = `SELECT c.call_id AS callId, c.kind, c.target, c.page, c.reason, c.status, c.outcome, c.sent_at AS sentAt,
    a.headers, b.encoding, b.body
  FROM _call c JOIN _answer a USING (call_id) JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id)`;

function answerOf({ headers, encoding, ...row }: Row): LatestAnswer {
  return { ...row, headers: headersIn(headers), body: decoded({ encoding, body: row.body }) };
}
