import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import type { Call } from '../call.ts';

/** A stored response with its unmodified body. */
export interface StoredAnswer {
  readonly body: Buffer;
  /** The response headers that are needed to parse the body. */
  readonly headers: Readonly<Record<string, string>>;
}

interface AnswerRow {
  readonly encoding: string | null;
  readonly body: Buffer;
  readonly headers: string | null;
}

/** Reads and writes `_answer`, which stores response bodies exactly as received. */
export function answerTable(db: Database) {
  const insert = db.prepare<[number, string | null, Buffer, string | null]>(
    'INSERT INTO _answer (call_id, encoding, body, headers) VALUES (?, ?, ?, ?)',
  );
  // A reference always points to a row with a body, never to another reference.
  const refer = db.prepare<[number, number]>(
    `UPDATE _answer SET encoding = NULL, body = NULL,
       same_as = (SELECT coalesce(same_as, call_id) FROM _answer WHERE call_id = ?)
     WHERE call_id = ?`,
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
    keep: (callId: number, kind: Call['kind'], body: Buffer, headers: string | null): void => {
      if (paysToCompress(kind, body)) insert.run(callId, 'zstd', zstdCompressSync(body), headers);
      else insert.run(callId, null, body, headers);
    },
    /** Replaces a stored body with a reference to an identical body. */
    refer: (callId: number, sameAs: number): void => {
      refer.run(sameAs, callId);
    },
    /** Returns the response to a call, or null if the call got none or the response was deleted. */
    read,
    body: (callId: number): Buffer | null => read(callId)?.body ?? null,
  };
}

/**
 * Search pages are compressed because they shrink to a fifth of their size. Single records stay uncompressed, because
 * they shrink to only just over half. Compressing them would make loading take 50% longer, and SQL (`entity_history`)
 * could not read them. The measurements are in docs/decisions/0002-storage.md.
 */
function paysToCompress(kind: Call['kind'], body: Buffer): boolean {
  return kind !== 'entity' && body.length >= 2048;
}

export function decoded({ encoding, body }: Pick<AnswerRow, 'encoding' | 'body'>): Buffer {
  return encoding === 'zstd' ? zstdDecompressSync(body) : body;
}

export function headersIn(text: string | null): Readonly<Record<string, string>> {
  return text === null ? {} : (JSON.parse(text) as Record<string, string>);
}
