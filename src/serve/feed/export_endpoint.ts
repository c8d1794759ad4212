import { Readable } from 'node:stream';
import type { Database } from 'better-sqlite3';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { ApiProfile } from '../../api/api_profile.ts';
import { RejectedRequest } from '../../api/problems.ts';
import { ALWAYS, rejections } from '../../api/route_schemas.ts';
import { FORMATS, type Format, MEDIA_TYPES, openWriter } from '../../warehouse/export/row_writers.ts';
import { analystTables, entityDocuments, tableRows } from '../../warehouse/export/rowset.ts';
import { currentCursor } from '../../warehouse/feed/feed_page.ts';
import { readSource } from '../../warehouse/meta.ts';
import { openWarehouse } from '../../warehouse/warehouse.ts';

/**
 * Adds the endpoint `GET /export/TABLE.(csv|jsonl|parquet)`, which streams a whole table as fast as the client reads it.
 * If the export fails, the connection is closed, so that the client cannot mistake an incomplete table for a complete
 * one.
 */
export function addExportEndpoint(
  api: FastifyInstance,
  warehousePath: string,
  profile: ApiProfile,
  now: () => number,
): void {
  const running = new Set<TableStream>();
  api.get('/export/:file', { schema: schemaOf(profile) }, ({ params }, reply) => {
    if (running.size >= MOST_EXPORTS)
      throw new RejectedRequest({ code: 'exports_busy', headers: { 'retry-after': '30' } });
    const { file } = params as { file: string };
    const table = streamTable(warehousePath, file, now());
    if (table === null) throw new RejectedRequest({ code: 'table_unknown' });
    running.add(table);
    reply.raw.once('close', () => {
      running.delete(table);
      table.close();
    });
    reply.raw.setTimeout(SLOWEST_CHUNK_MS, () => reply.raw.destroy());
    return reply
      .header('content-type', table.contentType)
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file)}`)
      .header('x-next-cursor', table.cursor)
      .send(Readable.from(table.chunks, { objectMode: false }));
  });
}

const SLOWEST_CHUNK_MS = 60_000;
/**
 * The maximum number of simultaneous exports. Each export holds a read transaction, which keeps the WAL from shrinking.
 */
const MOST_EXPORTS = 4;

function schemaOf(profile: ApiProfile): FastifySchema {
  return {
    operationId: 'export',
    summary: 'Get a whole table as CSV, JSON Lines or Parquet.',
    params: {
      type: 'object',
      properties: {
        file: {
          type: 'string',
          minLength: 1,
          description: 'the table and the format, for example entity.csv',
        },
      },
      required: ['file'],
    },
    response: {
      200: {
        description: 'The table. The header X-Next-Cursor contains the change feed cursor for this state.',
        content: Object.fromEntries(
          ['text/csv', 'application/jsonl', 'application/vnd.apache.parquet'].map((type) => [
            type,
            { schema: { type: 'string' } },
          ]),
        ),
      },
      ...rejections(profile, ['table_unknown', 'exports_busy', ...ALWAYS]),
    },
  } as FastifySchema;
}

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
function streamTable(warehousePath: string, fileName: string, nowMs: number): TableStream | null {
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
