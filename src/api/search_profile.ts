import { z } from 'zod';
import { Paging } from '../dialect/dialect.ts';
import { Pointer } from '../json/pointer_schema.ts';
import { FOLDINGS } from '../names/folding.ts';

/** The values that an envelope can have in addition to the results and the total. */
const ECHOES = ['query', 'page', 'offset', 'size', 'rows', 'pages', 'time', 'request_id'] as const;
export type Echo = (typeof ECHOES)[number];

export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const Window = z.strictObject({
  rows: z.int().positive().describe('maximum number of results that one query returns, over all pages'),
  counts: z
    .enum(['start', 'end'])
    .default('start')
    .describe(
      'start: pages that start beyond the last reachable row are rejected; end: pages that end beyond it are rejected',
    ),
  beyond: z
    .union([z.literal('empty'), z.literal(400), z.literal(416), z.literal(422)])
    .default('empty')
    .describe('the response to a page beyond the last reachable row'),
});

const FlawsProfile = z.strictObject({
  total_off: z.number().min(-1).default(0).describe('relative error of totals: 0.1 adds 10%'),
  drift: z
    .int()
    .default(0)
    .describe(
      'rows by which later pages start too early (positive, so rows repeat) or too late (negative, so rows are skipped)',
    ),
  stuck: z.boolean().default(false).describe('whether every request returns the first page'),
  deaf: z.boolean().default(false).describe('whether every query returns all companies'),
});

/** The search part of an API profile. */
export const SearchProfile = z.strictObject({
  query_param: z.string().min(1).default('q'),
  identifier_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('separate parameter for identifiers; null if the query parameter accepts them'),
  query_template: z.string().default('{query}').describe('template of the value in the query parameter'),
  plain_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('additional parameter that takes a name or an identifier without a template; null for none'),
  identifier_template: z.string().nullable().default(null).describe('template of an identifier'),
  unknown_params: z.enum(['ignore', 'refuse']).default('ignore'),
  matches: z.enum(['prefix', 'token', 'token_prefix', 'substring']).default('token_prefix'),
  identifiers: z.enum(['prefix', 'exact', 'none']).default('prefix'),
  folding: z.enum(FOLDINGS).default('case').describe('differences that a search ignores'),
  trim: z.boolean().default(true).describe('whether white space around the query is removed'),
  order: z
    .enum(['name', 'id', 'rank', 'relevance'])
    .default('name')
    .describe(
      'rank: the same random order for all queries; relevance: a different random order for each query',
    ),
  min_length: z.int().nonnegative().default(1).describe('if 0, an empty query returns all companies'),
  too_short: z.enum(['refuse', 'empty']).default('refuse'),
  broad_above: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('queries with more matches than this are rejected'),
  results: Pointer.default('/results'),
  item: Pointer.default('').describe('the JSON path of the summary inside each result'),
  main: Pointer.nullable()
    .default(null)
    .describe('the JSON path of the first match, if it is outside the list'),
  results_per_company: z.int().positive().default(1).describe('maximum number of results for one company'),
  empty: z
    .enum(['list', 'absent', 'null', 'not_found'])
    .default('list')
    .describe('the list in a response without matches; not_found returns 404 instead'),
  total: Pointer.nullable().default('/total'),
  total_header: z.string().min(1).nullable().default(null),
  total_clamped_at: z.int().positive().nullable().default(null),
  paging: Paging.prefault({ style: 'page', param: 'page', first: 1, size_param: 'per_page', size: 20 }),
  max_size: z.int().positive().default(100),
  oversize: z
    .enum(['clamp', 'refuse'])
    .default('clamp')
    .describe('the response to a page size above the maximum'),
  last_page: z
    .enum(['null', 'absent', 'repeat'])
    .default('null')
    .describe('the next cursor or URL on the last page; repeat returns the cursor that was sent'),
  absolute_urls: z.boolean().default(true).describe('whether next-page links contain scheme and host'),
  window: Window.nullable().default(null),
  echo: z.record(z.string(), z.enum(ECHOES)).default({}).describe('request or response values, by JSON path'),
  fixed: z.record(z.string(), scalar).default({}).describe('constant values, by JSON path'),
  flaws: FlawsProfile.prefault({}).describe('errors in search responses that a client must detect'),
});
