import { zstdDecompressSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';

/** A stored answer, byte for byte. */
export interface StoredAnswer {
  readonly body: Buffer;
  /** The response headers that reading the body again needs. */
  readonly headers: Readonly<Record<string, string>>;
}

interface AnswerRow {
  readonly encoding: string | null;
  readonly body: Buffer;
  readonly headers: string | null;
}

/** `_answer`: bodies as received. */
export function answerTable(db: Database) {
  const insert = db.prepare<[number, Buffer, string | null]>(
    'INSERT INTO _answer (call_id, body, headers) VALUES (?, ?, ?)',
  );
  // A reference always names the body itself, never another reference.
  const refer = db.prepare<[number, string | null, number]>(
    'INSERT INTO _answer (call_id, same_as, headers) SELECT ?, coalesce(same_as, call_id), ? FROM _answer WHERE call_id = ?',
  );
  const select = db.prepare<[number], AnswerRow>(
    `SELECT b.encoding, b.body, a.headers FROM _answer a JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id)
     WHERE a.call_id = ?`,
  );
  const read = (callId: number): StoredAnswer | null => {
    const row = select.get(callId);
    return row === undefined ? null : { body: decoded(row), headers: headersIn(row.headers) };
  };
  return {
    keep: (callId: number, body: Buffer, headers: string | null): void => {
      insert.run(callId, body, headers);
    },
    keepReference: (callId: number, sameAs: number, headers: string | null): void => {
      refer.run(callId, headers, sameAs);
    },
    /** The answer to a call; null when none came or it was pruned. */
    read,
    body: (callId: number): Buffer | null => read(callId)?.body ?? null,
  };
}

export function decoded({ encoding, body }: Pick<AnswerRow, 'encoding' | 'body'>): Buffer {
  return encoding === 'zstd' ? zstdDecompressSync(body) : body;
}

export function headersIn(text: string | null): Readonly<Record<string, string>> {
  return text === null ? {} : (JSON.parse(text) as Record<string, string>);
}
