import { zstdDecompressSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';

interface AnswerRow {
  readonly encoding: string | null;
  readonly body: Buffer;
}

/** `_answer`: bodies as received. */
export function answerTable(db: Database) {
  const insert = db.prepare<[number, Buffer, string | null]>(
    'INSERT INTO _answer (call_id, body, next) VALUES (?, ?, ?)',
  );
  // A reference always names the body itself, never another reference.
  const refer = db.prepare<[number, string | null, number]>(
    'INSERT INTO _answer (call_id, same_as, next) SELECT ?, coalesce(same_as, call_id), ? FROM _answer WHERE call_id = ?',
  );
  const select = db.prepare<[number], AnswerRow>(
    `SELECT b.encoding, b.body FROM _answer a JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id)
     WHERE a.call_id = ?`,
  );
  return {
    keep: (callId: number, body: Buffer, next: string | null): void => {
      insert.run(callId, body, next);
    },
    keepReference: (callId: number, sameAs: number, next: string | null): void => {
      refer.run(callId, next, sameAs);
    },
    /** The body of a call, byte for byte; null when none came or it was pruned. */
    body: (callId: number): Buffer | null => {
      const row = select.get(callId);
      return row === undefined ? null : decoded(row);
    },
  };
}

function decoded({ encoding, body }: AnswerRow): Buffer {
  return encoding === 'zstd' ? zstdDecompressSync(body) : body;
}
