import type { Database } from 'better-sqlite3';
import { FORMATS, type Format, MEDIA_TYPES, openWriter } from '../warehouse/export/row_writers.ts';
import { analystTables, entityDocuments, tableRows } from '../warehouse/export/rowset.ts';
import { currentCursor } from '../warehouse/feed/cursor.ts';
import { readSource } from '../warehouse/meta.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';

/** One table in a full export, in chunks. */
interface TableStream {
  readonly contentType: string;
  /** The cursor for the exported state. */
  readonly cursor: string;
  readonly chunks: Iterable<Uint8Array>;
  /** Ends the read transaction. Call it even if some chunks have not been read. */
  close(): void;
}

/**
 * Exports a table in chunks that all show the same state. A separate database connection is used, so that a slow client
 * does not block other requests. Returns null if no table has this file name.
 */
export function streamTable(warehousePath: string, fileName: string, nowMs: number): TableStream | null {
  const [, table = '', extension] = /^(.+)\.([a-z]+)$/.exec(fileName) ?? [];
  const format = FORMATS.find((name) => name === extension);
  if (format === undefined) return null;
  const { db, close } = openWarehouse({ path: warehousePath, readonly: true, nowMs });
  try {
    // The transaction ensures that all chunks and the cursor show the state at the first read.
    db.exec('BEGIN');
    if (!analystTables(db).includes(table)) {
      close();
      return null;
    }
    const chunks = chunksOf(db, table, format);
    return {
      contentType: MEDIA_TYPES[format] + (format === 'csv' ? '; charset=utf-8' : ''),
      cursor: currentCursor(db),
      chunks,
      close() {
        // End the query, because a connection with an open query cannot be closed.
        chunks.return();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

const CHUNK_BYTES = 65_536;

function* chunksOf(db: Database, table: string, format: Format): Generator<Uint8Array, void> {
  const isNested = format === 'jsonl' && table === 'entity';
  const { columns, rows } = isNested ? entityDocuments(db) : tableRows(db, table);
  let buffered: Buffer[] = [];
  let bytes = 0;
  const write = (written: Uint8Array | string) => {
    // Copy the bytes, because the writer reuses its buffer.
    const copy = typeof written === 'string' ? Buffer.from(written) : Buffer.from(written);
    buffered.push(copy);
    bytes += copy.length;
  };
  const writer = openWriter(format, {
    columns,
    file: { write },
    safeFormulas: false,
    source: readSource(db),
  });
  const take = () => {
    const chunk = Buffer.concat(buffered);
    buffered = [];
    bytes = 0;
    return chunk;
  };
  for (const row of rows) {
    writer.row(row);
    if (bytes >= CHUNK_BYTES) yield take();
  }
  writer.end();
  if (bytes > 0) yield take();
}
