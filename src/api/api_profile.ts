import { z } from 'zod';
import { Paging } from '../dialect/dialect.ts';
import { Pointer } from '../json/pointer_schema.ts';
import { FOLDINGS } from '../names/folding.ts';
import { servicePaging } from './paging.ts';

/**
 * An API profile describes a server with the three endpoints: its paths, parameters, envelopes, errors and limits. A
 * dialect describes the same API for the client: `dialectFor(profile)` returns the dialect that fits a profile.
 */

const path = z.string().regex(/^\/[^?#]*$/, 'must be an absolute path');
const pathWithQuery = z
  .string()
  .regex(/^\/[^#]*$/, 'must be an absolute path, with or without a query string');
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** The values that an envelope can have in addition to the results and the total. */
export const ECHOES = ['query', 'page', 'offset', 'size', 'rows', 'pages', 'time', 'request_id'] as const;
export type Echo = (typeof ECHOES)[number];

const Window = z.strictObject({
  rows: z.int().positive().describe('maximum number of results of one query, over all pages'),
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
  total_off: z.number().min(-1).default(0).describe('relative error of totals: 0.1 adds 10 %'),
  drift: z
    .int()
    .default(0)
    .describe(
      'rows by which later pages start too early (positive, so rows repeat) or too late (negative, so rows are skipped)',
    ),
  stuck: z.boolean().default(false).describe('whether every request returns the first page'),
  deaf: z.boolean().default(false).describe('whether every query returns all companies'),
});

const SearchProfile = z.strictObject({
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
  echo: z
    .record(z.string(), z.enum(ECHOES))
    .default({})
    .describe('values of the request or response, by JSON path'),
  fixed: z.record(z.string(), scalar).default({}).describe('constant values, by JSON path'),
  flaws: FlawsProfile.prefault({}).describe('errors in search responses that a client must detect'),
});

const documentPaths = {
  other_id: Pointer.nullable()
    .default(null)
    .describe('the JSON path of ids that contain characters other than digits'),
  former_name: Pointer.nullable().default(null).describe('the JSON path of a former name'),
};

const SummaryProfile = z.strictObject({
  id: Pointer.default('/id'),
  ...documentPaths,
  name: Pointer.default('/name'),
  fields_at: Pointer.default(''),
  fields: z
    .array(z.string())
    .nullable()
    .default(['status', 'legal_form', 'registered_on'])
    .describe('the fields of a list item besides id and name; null for all'),
});

const RecordProfile = z.strictObject({
  root: Pointer.default(''),
  missing: z
    .enum(['problem', 'empty_list'])
    .default('problem')
    .describe(
      'the response to an unknown id; empty_list returns 200 and requires that the record is an element of a list',
    ),
  id: Pointer.default('/id'),
  ...documentPaths,
  name: Pointer.default('/name'),
  fields_at: Pointer.default(''),
  volatile: z.array(Pointer).default([]).describe('JSON paths whose values differ in every response'),
  fixed: z.record(z.string(), scalar).default({}).describe('constant values beside the record, by JSON path'),
});

const GoneProfile = z.strictObject({
  as: z
    .enum(['not_found', 'gone', 'marked'])
    .default('gone')
    .describe('404, 410, or 200 with a mark in the record'),
  at: Pointer.default('/deleted_on').describe('the JSON path of the mark'),
  is: scalar.optional().describe('the mark (default: the deletion date)'),
  live: scalar.optional().describe('value of the mark for an existing company (default: absent)'),
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
export type ErrorBody = (typeof ERROR_BODIES)[number] | 'text';

const Rejection = z.strictObject({
  status: z.int().min(200).max(599).default(429),
  retry_after: z.enum(['seconds', 'date', 'none']).default('seconds'),
});

const ErrorsProfile = z.strictObject({
  body: z
    .enum([...ERROR_BODIES, 'text'])
    .default('problem')
    .describe('text: {Message: detail}'),
  unknown_id: z.int().min(200).max(599).default(404).describe('the status for an unknown id'),
  throttled: Rejection.prefault({}).describe('the response to requests above the rate'),
  exhausted: Rejection.prefault({}).describe('the response after the allowance is used up'),
});

const StatsProfile = z.strictObject({
  total: Pointer.nullable().default('/companies/total'),
  fixed: z.record(z.string(), scalar).default({}),
});

const LimitsProfile = z.strictObject({
  headers: z
    .array(z.enum(['ietf', 'draft', 'x']))
    .default(['ietf', 'draft'])
    .describe(
      'ietf: RateLimit and RateLimit-Policy; draft: RateLimit-Limit, -Remaining and -Reset; x: the same with X-',
    ),
  describe: z
    .enum(['minute', 'allowance'])
    .default('minute')
    .describe('which limit the draft and x headers report'),
});

export const ApiProfile = z
  .strictObject({
    name: z.string().default('default'),
    key_header: z
      .string()
      .default('Authorization: Bearer {key}')
      .describe('the header that contains the key'),
    paths: z
      .strictObject({
        search: path.default('/api/search'),
        entity: pathWithQuery.regex(/\{id\}/, 'must contain {id}').default('/api/entity/{id}'),
        stats: pathWithQuery.default('/api/registry/stats'),
      })
      .prefault({}),
    ids: z.enum(['string', 'number']).default('string').describe('whether ids are JSON strings or numbers'),
    search: SearchProfile.prefault({}),
    summary: SummaryProfile.prefault({}),
    record: RecordProfile.prefault({}),
    gone: GoneProfile.prefault({}),
    errors: ErrorsProfile.prefault({}),
    stats: StatsProfile.prefault({}),
    limits: LimitsProfile.prefault({}),
  })
  .superRefine((profile, context) => {
    for (const problem of contradictionsOf(profile)) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('The API profile of a server with the three endpoints');

export type ApiProfile = z.infer<typeof ApiProfile>;
/** A profile before validation. Every value has a default. */
export type ApiProfileInput = z.input<typeof ApiProfile>;

export const defaultProfile: ApiProfile = ApiProfile.parse({});

interface CheckedParts {
  readonly search: z.infer<typeof SearchProfile>;
  readonly record: z.infer<typeof RecordProfile>;
}

function contradictionsOf({ search, record }: CheckedParts): string[] {
  const besideResults = [search.total, ...Object.keys(search.echo), ...Object.keys(search.fixed)].filter(
    (pointer) => pointer !== null,
  );
  const found: string[] = [];
  if (search.results === '') {
    if (besideResults.length > 0)
      found.push('results at the top level cannot be combined with a total or other fields');
    if (search.empty !== 'list') found.push('results at the top level cannot be absent');
    if (servicePaging(search.paging).linkPath(search.paging) !== null) {
      found.push('results at the top level cannot be combined with a next cursor or URL');
    }
  }
  if (record.root === '' && Object.keys(record.fixed).length > 0) {
    found.push('record.fixed requires record.root');
  }
  if (search.paging.window !== null) found.push('use search.window instead of search.paging.window');
  if (search.paging.size > search.max_size) found.push('search.paging.size is above search.max_size');
  return found;
}
