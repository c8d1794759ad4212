import { Readable } from 'node:stream';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { ApiProfile } from '../../api/api_profile.ts';
import { RejectedRequest } from '../../api/problems.ts';
import { ALWAYS, rejections } from '../../api/route_schemas.ts';
import { streamTable } from '../../operations/export_stream.ts';

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
  let running = 0;
  api.get('/export/:file', { schema: schemaOf(profile) }, ({ params }, reply) => {
    if (running >= MOST_EXPORTS)
      throw new RejectedRequest({ code: 'exports_busy', headers: { 'retry-after': '30' } });
    const { file } = params as { file: string };
    const table = streamTable(warehousePath, file, now());
    if (table === null) throw new RejectedRequest({ code: 'table_unknown' });
    running += 1;
    reply.raw.once('close', () => {
      running -= 1;
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
