import { setTimeout } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { ApiProfile } from '../../api/api_profile.ts';
import { RejectedRequest } from '../../api/problems.ts';
import { ALWAYS, JSON_TYPE, rejections } from '../../api/route_schemas.ts';
import { UsageError } from '../../errors.ts';
import { jsonCell } from '../../warehouse/export/row_writers.ts';
import type { Change } from '../../warehouse/feed/changes.ts';
import {
  type FeedPage,
  type FeedPageOrder,
  readFeedPage,
  START,
  UnknownCursorError,
} from '../../warehouse/feed/feed_page.ts';
import { fileVersion } from '../../warehouse/serve_records.ts';

/**
 * Adds the endpoint `GET /changes`, which returns one page of the change feed. With `wait`, it waits up to that many
 * seconds for a change before it returns an empty page.
 */
export function addChangesEndpoint(api: FastifyInstance, db: () => Database, profile: ApiProfile): void {
  api.get('/changes', { schema: schemaOf(profile) }, async ({ query, headers }, reply) => {
    const { since, limit, wait, tables, format } = query as ChangesQuery;
    const order = { since, limit, tables: tables?.split(',') ?? null };
    const isClosed = () => reply.raw.destroyed;
    const page = await nextChanges(db, order, wait * 1000, isClosed);
    reply.headers({ 'x-next-cursor': page.cursor, 'x-has-more': String(page.hasMore) });
    return format === 'jsonl' || (format === undefined && JSON_LINES.test(headers.accept ?? ''))
      ? reply.type('application/jsonl').send(asJsonLines(page))
      : reply.type(JSON_TYPE).send(asJson(page));
  });
}

async function nextChanges(
  db: () => Database,
  order: FeedPageOrder,
  waitMs: number,
  isClosed: () => boolean,
): Promise<FeedPage> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const seen = fileVersion(db())();
    const page = readPage(db(), order);
    if (page.changes.length > 0 || page.hasMore) return page;
    for (; seen === fileVersion(db())(); waitedMs += POLL_MS) {
      if (waitedMs >= waitMs || isClosed()) return page;
      await setTimeout(POLL_MS);
    }
  }
}

function readPage(db: Database, order: FeedPageOrder): FeedPage {
  try {
    return readFeedPage(db, order);
  } catch (error) {
    if (error instanceof UnknownCursorError) throw new RejectedRequest({ code: 'cursor_unknown' });
    if (error instanceof UsageError)
      throw new RejectedRequest({ code: 'parameter_invalid', detail: `${error.message}. ${error.hint}` });
    throw error;
  }
}

interface ChangesQuery {
  readonly since: string;
  readonly limit: number;
  readonly wait: number;
  readonly tables?: string;
  readonly format?: 'json' | 'jsonl';
}

const POLL_MS = 250;
const JSON_LINES = /application\/(jsonl|x-ndjson|x-jsonlines)/i;

function asJson({ changes, cursor, hasMore }: FeedPage): string {
  return `{"cursor":${JSON.stringify(cursor)},"has_more":${hasMore},"changes":[${changes.map(changeText).join(',')}]}`;
}

function asJsonLines({ changes }: FeedPage): string {
  return changes.map((change) => `${changeText(change)}\n`).join('');
}

function changeText({ version, op, table, key, row }: Change): string {
  const keys = table?.keys ?? ['entity_id'];
  const keyText = keys.map((name, at) => `${JSON.stringify(name)}:${jsonCell(key[at] ?? null)}`).join(',');
  const cells = table?.columns.map(
    ({ name }, at) => `${JSON.stringify(name)}:${jsonCell(row?.[at] ?? null)}`,
  );
  const rowText = row === null ? '' : `,"row":{${cells?.join(',')}}`;
  return `{"version":${version},"op":"${op}","table":${JSON.stringify(table?.name ?? null)},"key":{${keyText}}${rowText}}`;
}

function schemaOf(profile: ApiProfile): FastifySchema {
  return {
    operationId: 'changes',
    summary: 'Get the rows that changed after a cursor.',
    querystring: {
      type: 'object',
      additionalProperties: false,
      properties: {
        since: {
          type: 'string',
          maxLength: 60,
          default: START,
          description: 'the cursor of the previous page, or 0 for all rows',
        },
        limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 1_000, description: 'rows per page' },
        wait: {
          type: 'integer',
          minimum: 0,
          maximum: 60,
          default: 0,
          description: 'maximum time to wait for a change, in seconds',
        },
        tables: { type: 'string', maxLength: 4_000, description: 'table names, separated by commas' },
        format: {
          type: 'string',
          enum: ['json', 'jsonl'],
          description: 'response format (default: according to the Accept header)',
        },
      },
    },
    response: {
      200: {
        description: 'The changes in version order, and the next cursor',
        content: {
          'application/json': { schema: PAGE_SCHEMA },
          'application/jsonl': { schema: { type: 'string', description: 'one change per line' } },
        },
      },
      ...rejections(profile, ['parameter_invalid', 'cursor_unknown', ...ALWAYS]),
    },
  } as FastifySchema;
}

const PAGE_SCHEMA = {
  type: 'object',
  required: ['cursor', 'has_more', 'changes'],
  properties: {
    cursor: { type: 'string', description: 'the value of since in the next request' },
    has_more: { type: 'boolean' },
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['version', 'op', 'table', 'key'],
        properties: {
          version: { type: 'integer' },
          op: { type: 'string', enum: ['insert', 'update', 'delete', 'forget'] },
          table: { type: ['string', 'null'], description: 'null for forget, which affects every table' },
          key: { type: 'object', additionalProperties: true },
          row: { type: 'object', additionalProperties: true, description: 'only for insert and update' },
        },
      },
    },
  },
};
