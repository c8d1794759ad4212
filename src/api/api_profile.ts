import { z } from 'zod';
import { Paging, Pointer } from '../dialect/dialect.ts';
import { FOLDINGS } from '../names/folding.ts';

/**
 * How a server of the three endpoints speaks: the counterpart of a dialect, seen from the other side, and
 * data like it. `dialectFor(shape)` gives the dialect that understands it.
 */

const path = z.string().regex(/^\/[^?#]*$/, 'must be a path from the root');
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Values of one answer that an envelope may repeat. */
export const ECHOES = ['query', 'page', 'offset', 'size', 'rows', 'pages', 'time', 'request_id'] as const;
export type Echo = (typeof ECHOES)[number];

const Window = z.strictObject({
  rows: z.int().positive().describe('results of one query that can be reached at all'),
  counts: z
    .enum(['start', 'end'])
    .default('start')
    .describe('a page is out of reach when it starts at or beyond, or ends beyond, the last reachable row'),
  beyond: z
    .union([z.literal('empty'), z.literal(400), z.literal(416), z.literal(422)])
    .default('empty')
    .describe('what a page out of reach answers'),
});

const FlawsShape = z.strictObject({
  total_off: z.number().min(-1).default(0).describe('totals are wrong by this share: 0.1 is 10 % too many'),
  drift: z
    .int()
    .default(0)
    .describe('pages after the first begin so many rows early (repeating) or late (skipping)'),
  stuck: z.boolean().default(false).describe('every page is the first'),
  deaf: z.boolean().default(false).describe('every query finds everything'),
});

const SearchShape = z.strictObject({
  query_param: z.string().min(1).default('q'),
  identifier_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('null: the query parameter takes both'),
  unknown_params: z.enum(['ignore', 'refuse']).default('ignore'),
  matches: z.enum(['prefix', 'token', 'token_prefix', 'substring']).default('token_prefix'),
  identifiers: z.enum(['prefix', 'exact', 'none']).default('prefix'),
  folding: z.enum(FOLDINGS).default('case').describe('differences that a search overlooks'),
  trim: z.boolean().default(true).describe('white space around the query is dropped'),
  order: z
    .enum(['name', 'id', 'rank', 'relevance'])
    .default('name')
    .describe('rank: mixed, the same for every query; relevance: mixed anew for every query'),
  min_length: z.int().nonnegative().default(1).describe('0: an empty query lists everything'),
  too_short: z.enum(['refuse', 'empty']).default('refuse'),
  broad_above: z.int().positive().nullable().default(null).describe('queries that match more are refused'),
  results: Pointer.default('/results'),
  item: Pointer.default('').describe('inside each result, where it is wrapped'),
  empty: z.enum(['list', 'absent', 'null']).default('list').describe('how "nothing found" looks'),
  total: Pointer.nullable().default('/total'),
  total_header: z.string().min(1).nullable().default(null),
  total_clamped_at: z.int().positive().nullable().default(null),
  paging: Paging.prefault({ style: 'page', param: 'page', first: 1, size_param: 'per_page', size: 20 }),
  max_size: z.int().positive().default(100),
  oversize: z.enum(['clamp', 'refuse']).default('clamp').describe('what a page size above the maximum gets'),
  last_page: z.enum(['null', 'absent']).default('null').describe('the next cursor or URL on the last page'),
  absolute_urls: z.boolean().default(true).describe('next URLs carry scheme and host'),
  window: Window.nullable().default(null),
  echo: z.record(z.string(), z.enum(ECHOES)).default({}).describe('what the envelope repeats, by pointer'),
  fixed: z.record(z.string(), scalar).default({}).describe('what the envelope always says, by pointer'),
  flaws: FlawsShape.prefault({}).describe('how the search deceives its clients'),
});

const SummaryShape = z.strictObject({
  id: Pointer.default('/id'),
  name: Pointer.default('/name'),
  fields_at: Pointer.default(''),
  fields: z
    .array(z.string())
    .nullable()
    .default(['status', 'legal_form', 'registered_on'])
    .describe('which fields a list item shows beside id and name; null: all'),
});

const RecordShape = z.strictObject({
  root: Pointer.default(''),
  id: Pointer.default('/id'),
  name: Pointer.default('/name'),
  fields_at: Pointer.default(''),
  volatile: z.array(Pointer).default([]).describe('places that hold another value in every answer'),
  fixed: z.record(z.string(), scalar).default({}).describe('what stands beside the record, by pointer'),
});

const GoneShape = z.strictObject({
  as: z.enum(['not_found', 'gone', 'marked']).default('gone').describe('404, 410, or 200 with a mark'),
  at: Pointer.default('/deleted_on').describe('where the mark stands in the record'),
  is: scalar.optional().describe('the mark; without it the day of deletion'),
  live: scalar.optional().describe('what stands there while the company exists; without it nothing does'),
});

export const ERROR_BODIES = [
  'problem', // RFC 9457
  'nested', // {error: {code, message}}
  'message', // {error: {message}}
  'flat', // {error: code, message, status}
  'list', // {errors: [{error, type}]}
  'json_api', // {errors: [{status, title, detail}]}
  'spring', // {timestamp, status: "404", error, message, path}
  'html',
  'empty',
] as const;
export type ErrorBody = (typeof ERROR_BODIES)[number];

const Refusal = z.strictObject({
  status: z.int().min(200).max(599).default(429),
  retry_after: z.enum(['seconds', 'date', 'none']).default('seconds'),
});

const ErrorsShape = z.strictObject({
  body: z.enum(ERROR_BODIES).default('problem'),
  throttled: Refusal.prefault({}).describe('above the requests of a minute'),
  exhausted: Refusal.prefault({}).describe('the allowance is spent'),
});

const StatsShape = z.strictObject({
  total: Pointer.nullable().default('/companies/total'),
  fixed: z.record(z.string(), scalar).default({}),
});

const Limits = z.strictObject({
  headers: z
    .array(z.enum(['ietf', 'draft', 'x']))
    .default(['ietf', 'draft'])
    .describe('RateLimit and RateLimit-Policy · RateLimit-Limit, -Remaining, -Reset · the same with X-'),
  describe: z.enum(['minute', 'allowance']).default('minute').describe('which limit the plain ones speak of'),
});

export const ApiProfile = z
  .strictObject({
    name: z.string().default('default'),
    paths: z
      .strictObject({
        search: path.default('/api/search'),
        entity: path.regex(/\{id\}/, 'must hold {id}').default('/api/entity/{id}'),
        stats: path.default('/api/registry/stats'),
      })
      .prefault({}),
    ids: z.enum(['string', 'number']).default('string').describe('number: ids are written as JSON numbers'),
    search: SearchShape.prefault({}),
    summary: SummaryShape.prefault({}),
    record: RecordShape.prefault({}),
    gone: GoneShape.prefault({}),
    errors: ErrorsShape.prefault({}),
    stats: StatsShape.prefault({}),
    limits: Limits.prefault({}),
  })
  .superRefine((profile, context) => {
    for (const problem of contradictionsOf(profile)) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('How a server of the three endpoints speaks');

export type ApiProfile = z.infer<typeof ApiProfile>;
/** What a person writes: everything has a default. */
export type ApiProfileInput = z.input<typeof ApiProfile>;

export const defaultProfile: ApiProfile = ApiProfile.parse({});

interface Contradicting {
  readonly search: z.infer<typeof SearchShape>;
  readonly record: z.infer<typeof RecordShape>;
}

function contradictionsOf({ search, record }: Contradicting): string[] {
  const beside = [search.total, ...Object.keys(search.echo), ...Object.keys(search.fixed)].filter(
    (pointer) => pointer !== null,
  );
  const found: string[] = [];
  if (search.results === '') {
    if (beside.length > 0) found.push('a top-level list leaves no room for a total or other fields');
    if (search.empty !== 'list') found.push('a top-level list cannot be absent');
    if (search.paging.style === 'cursor' || search.paging.style === 'next_url') {
      found.push('a top-level list leaves no room for a next cursor or URL');
    }
  }
  if (record.root === '' && Object.keys(record.fixed).length > 0) {
    found.push('record.fixed stands beside the record: give the record a root');
  }
  if (search.paging.window !== null) found.push('the reachable rows stand under search.window');
  if (search.paging.size > search.max_size) found.push('the page size by default is above the maximum');
  return found;
}
