import { z } from 'zod';
import {
  Dialect,
  EntityDialect,
  type Paging,
  type ResponseRule,
  SearchDialect,
  StatsDialect,
} from '../dialect/dialect.ts';
import { headerNameIn } from '../dialect/header_or_path.ts';
import { Pointer } from '../json/pointer_schema.ts';
import { FOLDINGS } from '../names/folding.ts';
import { ERROR_BODIES, limitRules } from './error_bodies.ts';
import { nextPath } from './paging.ts';

/**
 * An API profile is a dialect read backwards. The dialect tells a client how an API is asked and where its responses
 * have the list, the ids and the total. The server of that API reads requests and writes responses from the same
 * dialect. The rest of a profile are the facts that a client does not need or has to find out: paths, limits, errors,
 * and how companies are found and ordered.
 */

const path = z.string().regex(/^\/[^?#]*$/, 'must be an absolute path');
const pathWithQuery = z
  .string()
  .regex(/^\/[^#]*$/, 'must be an absolute path, with or without a query string');
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A dialect with a default for every value. Its page size is the max page size. */
const { query_param, paging, results, id, name, total, matches, identifiers } = SearchDialect.shape;
const ServedDialect = Dialect.extend({
  search: SearchDialect.extend({
    query_param: query_param.unwrap().default('q'),
    paging: paging.prefault({ style: 'page', param: 'page', first: 1, size_param: 'per_page', size: 100 }),
    results: results.default('/results'),
    id: id.default('/id'),
    name: name.default('/name'),
    total: total.default('/total'),
    matches: matches.unwrap().exclude(['unknown']).default('token_prefix'),
    identifiers: identifiers.unwrap().exclude(['unknown']).default('prefix'),
  }).prefault({}),
  entity: EntityDialect.extend({
    id: EntityDialect.shape.id.default('/id'),
    name: EntityDialect.shape.name.default('/name'),
  }).prefault({}),
  stats: StatsDialect.default({ total: '/companies/total' }),
});

/** The values that an envelope can have in addition to the results and the total. */
const ECHOES = ['query', 'page', 'offset', 'size', 'rows', 'pages', 'time', 'request_id'] as const;
export type Echo = (typeof ECHOES)[number];

const ServedSearch = z.strictObject({
  default_size: z
    .int()
    .positive()
    .default(20)
    .describe('rows per page if the request has no page size; at most the max page size'),
  oversize: z
    .enum(['clamp', 'refuse'])
    .default('clamp')
    .describe('the response to a page size above the maximum'),
  plain_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('additional parameter that takes a name or an identifier without a template; null for none'),
  unknown_params: z.enum(['ignore', 'refuse']).default('ignore'),
  folding: z.enum(FOLDINGS).default('case').describe('differences that a search ignores'),
  order: z
    .enum(['name', 'id', 'rank', 'relevance'])
    .default('name')
    .describe(
      'rank: the same random order for all queries; relevance: a different random order for each query',
    ),
  too_short: z.enum(['refuse', 'empty']).default('refuse'),
  broad_above: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('queries with more matches than this are rejected'),
  results_per_company: z.int().positive().default(1).describe('maximum number of results for one company'),
  empty: z
    .enum(['list', 'absent', 'null', 'not_found'])
    .default('list')
    .describe('the list in a response without matches; not_found returns 404 instead'),
  total_header: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('header that reports the total, if the dialect has no total'),
  last_page: z
    .enum(['null', 'absent', 'repeat'])
    .default('null')
    .describe('the next cursor or URL on the last page; repeat returns the cursor that was sent'),
  absolute_urls: z.boolean().default(true).describe('whether next-page links contain scheme and host'),
  window: z
    .strictObject({
      counts: z
        .enum(['start', 'end'])
        .default('start')
        .describe(
          'start: pages that start beyond the last reachable row are rejected; end: pages that end there',
        ),
      beyond: z
        .union([z.literal('empty'), z.literal(400), z.literal(416), z.literal(422)])
        .default('empty')
        .describe('the response to a page beyond the last reachable row'),
    })
    .prefault({}),
  echo: z.record(z.string(), z.enum(ECHOES)).default({}).describe('request or response values, by JSON path'),
  fixed: z.record(z.string(), scalar).default({}).describe('constant values, by JSON path'),
});

const documentFacts = {
  former_name: Pointer.nullable().default(null).describe('the JSON path of a former name'),
  fields_at: Pointer.default(''),
};

const ServedSummary = z.strictObject({
  ...documentFacts,
  fields: z
    .array(z.string())
    .nullable()
    .default(['status', 'legal_form', 'registered_on'])
    .describe('the fields in a list item besides id and name; null for all'),
});

const ServedRecord = z.strictObject({
  ...documentFacts,
  missing: z
    .enum(['problem', 'empty_list'])
    .default('problem')
    .describe(
      'the response to an unknown id; empty_list returns 200 and requires that the record is an element of a list',
    ),
  gone: z
    .enum(['not_found', 'gone'])
    .default('gone')
    .describe('404 or 410 for a deleted company, if the dialect has no mark for it'),
  live: scalar.optional().describe("value of the dialect's mark for an existing company (default: absent)"),
  fixed: z.record(z.string(), scalar).default({}).describe('constant values beside the record, by JSON path'),
});

const Rejection = z.strictObject({
  status: z.int().min(200).max(599).default(429),
  retry_after: z.enum(['seconds', 'date', 'none']).default('seconds'),
});

const ServedErrors = z.strictObject({
  body: z.enum(ERROR_BODIES).default('problem'),
  unknown_id: z.int().min(200).max(599).default(404).describe('the status for an unknown id'),
  throttled: Rejection.prefault({}).describe('the response to requests above the rate'),
  exhausted: Rejection.prefault({}).describe('the response after the allowance is used up'),
});

const ServedLimits = z.strictObject({
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
    dialect: ServedDialect.prefault({}),
    ids: z.enum(['string', 'number']).default('string').describe('whether ids are JSON strings or numbers'),
    search: ServedSearch.prefault({}),
    summary: ServedSummary.prefault({}),
    record: ServedRecord.prefault({}),
    errors: ServedErrors.prefault({}),
    stats: z.strictObject({ fixed: z.record(z.string(), scalar).default({}) }).prefault({}),
    limits: ServedLimits.prefault({}),
  })
  .superRefine((profile, context) => {
    for (const problem of contradictionsOf(profile)) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('The API profile of a server with the three endpoints');

export type ApiProfile = z.infer<typeof ApiProfile>;
/** A profile before validation. Every value has a default. */
export type ApiProfileInput = z.input<typeof ApiProfile>;

export const defaultProfile: ApiProfile = ApiProfile.parse({});

/** Returns the dialect for a client of this API. It has a rule for each response whose meaning is not its status. */
export function clientDialect(profile: ApiProfile): Dialect {
  const { dialect, errors, search } = profile;
  const rules: ResponseRule[] = [...limitRules(errors)];
  if (search.empty === 'not_found') rules.push({ kind: 'search', status: 404, means: 'absent' });
  if (errors.unknown_id !== 404)
    rules.push({ kind: 'entity', status: errors.unknown_id, at: '/Message', matches: '.', means: 'absent' });
  if (search.broad_above !== null) rules.push({ ...TOO_BROAD, status: 400, means: 'refused' });
  if (dialect.search.paging.window !== null && search.window.beyond === 400)
    rules.push({ status: 400, means: 'refused' });
  const absent_when_empty =
    dialect.search.absent_when_empty || search.empty === 'absent' || search.empty === 'null';
  return Dialect.parse({
    ...dialect,
    search: { ...dialect.search, absent_when_empty },
    responses: [...rules, ...dialect.responses],
  });
}

/** The rule for a query rejected because it has too many matches. The message states how many. */
const TOO_BROAD = {
  kind: 'search',
  matches: 'too many companies',
  total: 'too many companies \\(([\\d,]+)\\)',
} as const;

/** Returns the `upstream.paths` that a client must configure, or null if the client's default paths work. */
export function clientPaths({ paths }: ApiProfile): ApiProfile['paths'] | null {
  return JSON.stringify(paths) === JSON.stringify(defaultProfile.paths) ? null : paths;
}

interface CheckedParts {
  readonly dialect: {
    readonly search: { readonly results: string; readonly total: string | null; readonly paging: Paging };
    readonly entity: { readonly root: string };
  };
  readonly search: z.infer<typeof ServedSearch>;
  readonly record: z.infer<typeof ServedRecord>;
}

function contradictionsOf({ dialect, search, record }: CheckedParts): string[] {
  const { results, total, paging } = dialect.search;
  const inBody = headerNameIn(total) === null ? total : null;
  const besideResults = [inBody, ...Object.keys(search.echo), ...Object.keys(search.fixed)].filter(
    (pointer) => pointer !== null,
  );
  const found: string[] = [];
  if (results === '') {
    if (besideResults.length > 0)
      found.push('results at the top level cannot be combined with a total or other fields');
    if (search.empty !== 'list') found.push('results at the top level cannot be absent');
    if (nextPath(paging) !== null)
      found.push('results at the top level cannot be combined with a next cursor or URL');
  }
  if (dialect.entity.root === '' && Object.keys(record.fixed).length > 0)
    found.push('record.fixed requires dialect.entity.root');
  return found;
}
