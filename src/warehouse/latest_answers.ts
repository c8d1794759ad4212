import type { Database } from 'better-sqlite3';
import { decoded, headersIn } from './answer.ts';

/** A stored answer with the call that brought it. */
export interface LatestAnswer {
  readonly callId: number;
  readonly kind: 'stats' | 'search' | 'entity';
  readonly target: string;
  readonly page: number | null;
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

/** The latest answers of each kind of call, the newest first. */
export function latestAnswers(db: Database, mostOfEach: number): LatestAnswer[] {
  const select = db.prepare<[string, number], Row>(
    `SELECT c.call_id AS callId, c.kind, c.target, c.page, c.status, c.outcome, c.sent_at AS sentAt, a.headers, b.encoding, b.body
     FROM _call c JOIN _answer a USING (call_id) JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id)
     WHERE c.kind = ? AND c.status IS NOT NULL ORDER BY c.call_id DESC LIMIT ?`,
  );
  return ['stats', 'search', 'entity'].flatMap((kind) =>
    select.all(kind, mostOfEach).map(({ headers, encoding, ...row }) => ({
      ...row,
      headers: headersIn(headers),
      body: decoded({ encoding, body: row.body }),
    })),
  );
}
