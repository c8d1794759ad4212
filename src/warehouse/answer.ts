import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Database, Statement } from 'better-sqlite3';
import { FailedError } from '../errors.ts';
import { values } from '../sqlite/statements.ts';
import { metaTable } from './meta.ts';

/** A stored response with its unmodified body. */
export interface StoredAnswer {
  readonly body: Buffer;
  /** The response headers that are needed to parse the body. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads and writes `_answer`, which stores response bodies exactly as received.
 *
 * A body is stored uncompressed first. Once enough processed bodies are waiting, `packWaiting` moves them to a
 * block, in which the bodies of consecutive calls are compressed together. The reasons and measurements are in
 * docs/decisions/0002-storage.md.
 */
export function answerTable(db: Database): Answers {
  return new Answers(db);
}

export class Answers {
  readonly #db: Database;
  readonly #insert;
  readonly #refer;
  readonly #select;
  readonly #waiting: Statement<{ after: number }, AnswerRow>;
  readonly #blocks: Blocks;
  readonly #meta;
  /** The size of the bodies that may be waiting for a block. The first check reads the real size. */
  #waitingBytes = Number.POSITIVE_INFINITY;

  constructor(db: Database) {
    this.#db = db;
    this.#blocks = new Blocks(db);
    this.#meta = metaTable(db);
    this.#waiting = db.prepare(WAITING);
    this.#insert = db.prepare<[number, Buffer, string | null]>(
      'INSERT INTO _answer (call_id, body, headers) VALUES (?, ?, ?)',
    );
    // A reference always points to a row with a body, never to another reference.
    this.#refer = db.prepare<[number, number]>(
      `UPDATE _answer SET body = NULL,
         same_as = (SELECT coalesce(same_as, call_id) FROM _answer WHERE call_id = ?)
       WHERE call_id = ?`,
    );
    this.#select = db.prepare<[number], BodyRow & { headers: string | null }>(
      `SELECT b.body, b.block_id AS blockId, b.start, b.body_bytes AS bytes, a.headers
       FROM _answer a JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id) WHERE a.call_id = ?`,
    );
  }

  /** Stores a body as received. */
  keep(callId: number, body: Buffer, headers: string | null): void {
    this.#insert.run(callId, body, headers);
    this.#waitingBytes += body.length;
  }

  /** Replaces a stored body with a reference to an identical body. */
  refer(callId: number, sameAs: number): void {
    this.#refer.run(sameAs, callId);
  }

  /** Returns the response to a call, or null if the call got none or the response was deleted. */
  read(callId: number): StoredAnswer | null {
    const row = this.#select.get(callId);
    if (row === undefined) return null;
    // Another process can have replaced the block after this process read the row.
    const current = this.#blocks.has(row) ? row : this.#select.get(callId);
    if (current === undefined) return null;
    return { body: this.#blocks.bodyOf(current), headers: headersIn(current.headers) };
  }

  body(callId: number): Buffer | null {
    return this.read(callId)?.body ?? null;
  }

  /**
   * Moves waiting bodies to blocks, if there are enough for a whole block. Call this function in a transaction, after
   * responses have been processed.
   */
  packWaiting(): void {
    while (this.#waitingBytes >= PACKED.bytes) {
      const after = Number(this.#meta.get('packed_until') ?? 0);
      const { rows, bytes, isFull } = groupOf(this.#waiting.iterate({ after }), PACKED.bytes);
      if (!isFull) {
        this.#waitingBytes = bytes;
        return;
      }
      this.#blocks.add(rows, PACKED.level);
      this.#waitingBytes -= bytes;
      this.#meta.set('packed_until', String(rows.at(-1)?.callId));
    }
  }

  /**
   * Moves all bodies to large blocks, one block in each step, which is one transaction. Only responses that are not processed
   * yet stay as received.
   */
  *packAll(): Generator<void> {
    const loose = this.#db.prepare<{ after: number }, AnswerRow>(LOOSE);
    const packAfter = this.#db.transaction((after: number) => {
      const { rows } = groupOf(loose.iterate({ after }), COMPACTED.bytes);
      const blockIds = [...new Set(rows.map(({ blockId }) => blockId))];
      if (blockIds.length > 1 || blockIds[0] === null) {
        this.#blocks.add(rows, COMPACTED.level);
        for (const blockId of blockIds) if (blockId !== null) this.#blocks.rewrite(blockId);
      }
      return rows.at(-1)?.callId;
    });
    for (let after: number | undefined = 0; after !== undefined; after = packAfter.immediate(after)) yield;
  }

  /** Stores all bodies as received, one block in each step, which is one transaction. Plain SQL can then read them. */
  *unpackAll(): Generator<void> {
    const dissolve = this.#db.transaction((blockId: number) => this.#blocks.dissolve(blockId));
    for (const blockId of values<number>(this.#db, 'SELECT block_id FROM _block ORDER BY block_id')) {
      dissolve.immediate(blockId);
      yield;
    }
  }

  /** Deletes responses from the table and from their blocks. References are deleted before their targets. */
  remove(callIds: readonly number[]): void {
    const ids = JSON.stringify(callIds);
    const blocks = this.#blocksOf(ids);
    for (const references of ['IS NOT NULL', 'IS NULL'])
      this.#db
        .prepare(
          `DELETE FROM _answer WHERE same_as ${references} AND call_id IN (SELECT value FROM json_each(?))`,
        )
        .run(ids);
    for (const blockId of blocks) this.#blocks.rewrite(blockId);
  }

  /** Replaces a response with one that no longer mentions a forgotten entity. */
  redact(callId: number, redacted: { body: Buffer; headers: string | null; redactedAt: string }): void {
    const blocks = this.#blocksOf(JSON.stringify([callId]));
    this.#db
      .prepare(
        `UPDATE _answer SET body = @body, block_id = NULL, start = NULL, body_bytes = NULL, headers = @headers,
           redacted_at = @redactedAt
         WHERE call_id = @callId`,
      )
      .run({ ...redacted, callId });
    for (const blockId of blocks) this.#blocks.rewrite(blockId);
  }

  #blocksOf(ids: string): number[] {
    return this.#db
      .prepare(
        `SELECT DISTINCT block_id FROM _answer
         WHERE block_id IS NOT NULL AND call_id IN (SELECT value FROM json_each(?))`,
      )
      .pluck()
      .all(ids) as number[];
  }
}

/** The columns of `_answer` that lead to a body. */
interface BodyRow {
  readonly body: Buffer;
  readonly blockId: number | null;
  readonly start: number;
  readonly bytes: number;
}

/** Blocks that are made while responses are loaded. The bodies that fill a block have at least this size. */
const PACKED = { bytes: 512 * 1024, level: 3 } as const;
/** Blocks that `compact` makes. They are a fifth smaller, but compressing them takes 0.3 s of CPU time per MB. */
const COMPACTED = { bytes: 2 * 1024 * 1024, level: 17 } as const;

const ANSWER_ROW = `a.call_id AS callId, a.body, a.block_id AS blockId, a.start,
  coalesce(a.body_bytes, length(a.body)) AS bytes, a.headers, a.redacted_at AS redactedAt`;

// Responses to probes are left out, because they move to other kinds of calls once a dialect is known.
const PACKABLE = `
  SELECT ${ANSWER_ROW} FROM _answer a JOIN _call USING (call_id)
  WHERE call_id > @after AND same_as IS NULL AND kind <> 'probe' AND outcome <> 'received'`;

/** The processed bodies up to the first response that is not processed yet. */
const WAITING = `${PACKABLE} AND block_id IS NULL
    AND call_id < coalesce(
      (SELECT min(call_id) FROM _call WHERE call_id > @after AND outcome = 'received' AND kind <> 'probe'), 1 << 62)
  ORDER BY call_id`;

/** The bodies that are in no large block. */
const LOOSE = `${PACKABLE} AND coalesce(
    (SELECT plain_bytes FROM _block b WHERE b.block_id = a.block_id), 0) < ${COMPACTED.bytes}
  ORDER BY call_id`;

/** Returns the first rows that fill a block, or all rows if they do not fill one. */
function groupOf(
  all: Iterable<AnswerRow>,
  blockBytes: number,
): { rows: AnswerRow[]; bytes: number; isFull: boolean } {
  const rows: AnswerRow[] = [];
  let bytes = 0;
  for (const row of all) {
    // A large body gets a block of its own, so that the bodies before it can be read quickly.
    if (row.bytes >= blockBytes && rows.length > 0) return { rows, bytes, isFull: true };
    rows.push(row);
    bytes += row.bytes;
    if (bytes >= blockBytes) return { rows, bytes, isFull: true };
  }
  return { rows, bytes, isFull: false };
}

/** Reads and writes `_block`. */
class Blocks {
  readonly #db: Database;
  readonly #content;
  readonly #members;
  readonly #insert;
  readonly #move;
  /** The uncompressed content of the blocks that were read last. */
  readonly #cache = new Map<number, Buffer>();

  constructor(db: Database) {
    this.#db = db;
    this.#content = db.prepare<[number], BlockRow>(
      'SELECT content, plain_bytes AS plainBytes FROM _block WHERE block_id = ?',
    );
    this.#members = db.prepare<[number], AnswerRow>(
      `SELECT ${ANSWER_ROW} FROM _block b
       JOIN _answer a ON a.call_id BETWEEN b.first_call_id AND b.last_call_id AND a.block_id = b.block_id
       WHERE b.block_id = ? ORDER BY a.call_id`,
    );
    this.#insert = db.prepare<[number, number, number, Buffer]>(
      'INSERT INTO _block (first_call_id, last_call_id, plain_bytes, content) VALUES (?, ?, ?, ?)',
    );
    // REPLACE deletes the row first. SQLite would not merge the pages of rows that only become shorter.
    this.#move = db.prepare<[number, string | null, string | null, number | bigint, number, number]>(
      `INSERT OR REPLACE INTO _answer (call_id, body, headers, redacted_at, block_id, start, body_bytes)
       VALUES (?, x'', ?, ?, ?, ?, ?)`,
    );
  }

  /** Returns whether the row's block still exists, and caches its content. */
  has({ blockId }: BodyRow): boolean {
    if (blockId === null || this.#cache.has(blockId)) return true;
    const block = this.#content.get(blockId);
    if (block === undefined) return false;
    this.#keep(blockId, decompressed(block));
    return true;
  }

  bodyOf({ body, blockId, start, bytes }: BodyRow): Buffer {
    return blockId === null ? body : this.#read(blockId).subarray(start, start + bytes);
  }

  /** Moves the bodies to a new block. Returns false if the block cannot be read back, and leaves them where they are. */
  add(rows: readonly AnswerRow[], level: number): boolean {
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (first === undefined || last === undefined) return true;
    const plain = Buffer.concat(rows.map((row) => this.bodyOf(row)));
    const content = compressed(plain, level);
    if (!decompressed({ content, plainBytes: plain.length }).equals(plain)) return false;
    const blockId = this.#insert.run(first.callId, last.callId, plain.length, content).lastInsertRowid;
    let start = 0;
    for (const { callId, bytes, headers, redactedAt } of rows) {
      this.#move.run(callId, headers, redactedAt, blockId, start, bytes);
      start += bytes;
    }
    return true;
  }

  /** Moves a block's bodies back to their rows. */
  dissolve(blockId: number): void {
    const restore = this.#db.prepare<[Buffer, number]>(
      `UPDATE _answer SET body = ?, block_id = NULL, start = NULL, body_bytes = NULL WHERE call_id = ?`,
    );
    const plain = this.#read(blockId);
    for (const { callId, start, bytes } of this.#members.all(blockId))
      restore.run(plain.subarray(start, start + bytes), callId);
    this.#remove(blockId);
  }

  #remove(blockId: number): void {
    this.#cache.delete(blockId);
    this.#db.prepare('DELETE FROM _block WHERE block_id = ?').run(blockId);
  }

  /** Replaces the block with one that has only its existing responses. */
  rewrite(blockId: number): void {
    if (!this.add(this.#members.all(blockId), PACKED.level))
      throw new FailedError(`the responses in block ${blockId} cannot be compressed again`);
    this.#remove(blockId);
  }

  #read(blockId: number): Buffer {
    const known = this.#cache.get(blockId);
    if (known !== undefined) return known;
    const plain = decompressed(this.#content.get(blockId) as BlockRow);
    this.#keep(blockId, plain);
    return plain;
  }

  #keep(blockId: number, plain: Buffer): void {
    if (this.#cache.size >= CACHED_BLOCKS) this.#cache.delete(this.#cache.keys().next().value as number);
    this.#cache.set(blockId, plain);
  }
}

interface BlockRow {
  readonly content: Buffer;
  /** The size before compression; 0 if an older version wrote the block. */
  readonly plainBytes: number;
}

interface AnswerRow extends BodyRow {
  readonly callId: number;
  readonly headers: string | null;
  readonly redactedAt: string | null;
}

function compressed(plain: Buffer, level: number): Buffer {
  return zstdCompressSync(plain, {
    pledgedSrcSize: plain.length,
    params: { [constants.ZSTD_c_compressionLevel]: level },
  });
}

function decompressed({ content, plainBytes }: BlockRow): Buffer {
  // The content then needs only one buffer. Without the last byte, an empty second buffer would be allocated.
  return zstdDecompressSync(content, {
    chunkSize: Math.max(constants.Z_MIN_CHUNK, (plainBytes || COMPACTED.bytes) + 1),
  });
}

const CACHED_BLOCKS = 2;

function headersIn(text: string | null): Readonly<Record<string, string>> {
  return text === null ? {} : (JSON.parse(text) as Record<string, string>);
}
