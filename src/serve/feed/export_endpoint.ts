import type { ApiProfile } from '../../api/api_profile.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import { ALWAYS, rejections } from '../../api/route_schemas.ts';
import { streamTable } from '../../operations/export_stream.ts';

/**
 * Creates the endpoint `GET /export/TABLE.(csv|jsonl|parquet)`, which streams a whole table as fast as the client reads
 * it.
 */
export function exportEndpoint(warehousePath: string, profile: ApiProfile, now: () => number): Endpoint {
  let running = 0;
  return {
    path: '/export/{file}',
    schema: schemaOf(profile),
    respond: async ({ params, signal }) => {
      if (running >= MOST_EXPORTS) return { code: 'exports_busy', headers: { 'retry-after': '30' } };
      const name = params.file ?? '';
      const table = streamTable(warehousePath, name, now());
      if (table === null) return { code: 'table_unknown' };
      running += 1;
      signal.addEventListener('abort', () => {
        running -= 1;
        table.close();
      });
      const headers = {
        'content-type': table.contentType,
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        'x-next-cursor': table.cursor,
      };
      return { status: 200, headers, body: table.chunks };
    },
  };
}

/**
 * The maximum number of simultaneous exports. Each export holds a read transaction, which keeps the WAL from shrinking.
 */
const MOST_EXPORTS = 4;

function schemaOf(profile: ApiProfile): Endpoint['schema'] {
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
  } as Endpoint['schema'];
}
