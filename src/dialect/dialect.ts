import { z } from 'zod';
import { KeyPointer, Pointer, RecordPointer, ResultsPointer } from '../json/pointer_schema.ts';
import { pointersIn } from './body_values.ts';
import { HeaderOrPath } from './header_or_path.ts';
import { Paging } from './paging/paging.ts';
import { patternFault } from './pattern.ts';
import { ReportedLimit } from './reported_limits.ts';
import { escapeFault, templateFault } from './template.ts';

export type { Pointer } from '../json/pointer.ts';
export { Paging } from './paging/paging.ts';

/**
 * A dialect describes one upstream: its parameters, paging, JSON paths and errors. It is data, written by `probe` or a
 * person, and is stored in the configuration under `dialect` with the same keys.
 */

const NAME_MATCHES = ['prefix', 'token', 'token_prefix', 'substring', 'unknown'] as const;
const IDENTIFIER_MATCHES = ['prefix', 'exact', 'none', 'unknown'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];
export type IdentifierMatch = (typeof IDENTIFIER_MATCHES)[number];

const pattern = z.string().superRefine((text, ctx) => {
  const fault = patternFault(text);
  if (fault !== null) ctx.addIssue(`not a regular expression: ${fault}`);
});

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A row in the response table. The first row whose conditions are all met decides the outcome. */
export const ResponseRule = z.strictObject({
  status: z
    .union([z.int().min(100).max(599), z.array(z.int().min(100).max(599)).min(1)])
    .optional()
    .describe('HTTP status, or a list of them'),
  kind: z.enum(['stats', 'search', 'entity']).optional().describe('applies only to calls of this kind'),
  at: Pointer.optional().describe(
    'JSON path in the body; if neither is nor matches is set, any value there meets the condition',
  ),
  is: scalar.optional().describe('value at that path'),
  matches: pattern
    .optional()
    .describe('case-insensitive regular expression for the value at that path, or for the whole body'),
  header: z.string().optional().describe('header that must exist'),
  total: pattern
    .optional()
    .describe(
      'regular expression for the same text; its first group captures the number of matches that a rejection reports',
    ),
  means: z
    .enum(['ok', 'absent', 'gone', 'refused', 'throttled', 'exhausted', 'unauthorised', 'broken'])
    .describe('what the response means'),
});
export type ResponseRule = z.infer<typeof ResponseRule>;

const template = z.string().superRefine((text, ctx) => {
  const fault = templateFault(text, 'query');
  if (fault !== null) ctx.addIssue(fault);
});

/** A JSON path, or a template of several. `also` is a path with a meaning of its own. */
const textPath = (also?: string) =>
  z
    .string()
    .superRefine((path, ctx) => {
      if (path === also) return;
      const faults = pointersIn(path).map((pointer) => Pointer.safeParse(pointer).error?.issues[0]?.message);
      const fault = faults.find((one) => one !== undefined) ?? escapeFault(path);
      if (fault !== null) ctx.addIssue(fault);
    })
    .describe('JSON Pointer, or a template with JSON Pointers in braces: "{/a}-{/b}"');
const TextPath = textPath();

/** The id of a result is its key in the object of results. */
const KEY_OF_RESULT = '/{id}';

/** Paths of the name in documents that have none at the usual path. The texts at a list of paths are joined. */
const NameFallbacks = z.array(z.union([TextPath, z.array(Pointer).min(2)])).default([]);

export const SearchDialect = z.strictObject({
  query_param: z
    .string()
    .min(1)
    .nullable()
    .describe('parameter that takes a name; null if the API only lists all companies (min_length: 0)'),
  identifier_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('parameter that takes an identifier; null means the same parameter'),
  query_template: template
    .default('{query}')
    .describe(
      'value sent for a name; the query replaces {query}, or {query:odata} with quotes doubled (also json, lucene, words)',
    ),
  identifier_template: template
    .nullable()
    .default(null)
    .describe(
      'value sent for an identifier; null means query_template if the parameter is the same, otherwise {query}',
    ),
  extra: z.record(z.string(), z.string()).default({}).describe('fixed parameters sent with every search'),
  paging: Paging.describe('how results are paged'),
  results: ResultsPointer.describe(
    'JSON path of the result list, or with {id} of the results that an object has by id',
  ),
  item: Pointer.default('').describe('JSON path of the company inside each result, if the result wraps it'),
  main: Pointer.nullable()
    .default(null)
    .describe(
      'JSON path of a result outside the list, such as the best match; "" is the body without the list, total and next-page link',
    ),
  id: textPath(KEY_OF_RESULT).describe(
    'JSON path of the entity id, inside the item, or a template of several: "{/jurisdiction}/{/number}"; /{id} is the key of a result in an object of results',
  ),
  id_fallbacks: z
    .array(TextPath)
    .default([])
    .describe('JSON paths of the entity id in results that have no value at id'),
  group_as: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('key under which the summary lists all results of a company; null if a company has only one'),
  name: TextPath.nullable().default(null).describe('JSON path of the name, inside the item'),
  name_fallbacks: NameFallbacks.describe(
    'JSON paths of the name in results that have none at name; the texts at a list of paths are joined, and * is the first value of an object',
  ),
  total: HeaderOrPath.nullable()
    .default(null)
    .describe(
      'JSON path or header (X-Total-Count, Content-Range) of the number of matching companies; null if the API does not return it',
    ),
  total_clamped_at: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('a total of this number or more means "at least"'),
  matches: z.enum(NAME_MATCHES).default('unknown').describe('how queries match names'),
  identifiers: z.enum(IDENTIFIER_MATCHES).default('unknown').describe('how queries match identifiers'),
  min_length: z
    .int()
    .nonnegative()
    .default(1)
    .describe('min query length; 0 means that a search without a query lists everything'),
  absent_when_empty: z
    .boolean()
    .default(false)
    .describe('whether a missing list means that nothing was found, even if no total reports 0'),
});
export type SearchDialect = z.infer<typeof SearchDialect>;

export const EntityDialect = z.strictObject({
  root: RecordPointer.default('').describe(
    'JSON path of the record inside the body; {id} is the requested id',
  ),
  id: TextPath.nullable().describe(
    'JSON path of the entity id inside the record, or a template of several: "{/jurisdiction}/{/number}"; null if the record does not contain it',
  ),
  id_fallbacks: z
    .array(TextPath)
    .default([])
    .describe('JSON paths of the entity id in records that have no value at id'),
  name: TextPath.nullable().default(null).describe('JSON path of the name inside the record'),
  name_fallbacks: NameFallbacks.describe(
    'JSON paths of the name in records that have none at name; the texts at a list of paths are joined, and * is the first value of an object',
  ),
  gone: z
    .strictObject({
      at: Pointer.describe('JSON path of the mark, inside the record or the body'),
      is: scalar
        .optional()
        .describe('value that marks a deleted entity; if omitted, any value except null and false'),
    })
    .nullable()
    .default(null)
    .describe('mark of a deleted entity; null if there is none'),
});
export type EntityDialect = z.infer<typeof EntityDialect>;

export const StatsDialect = z.strictObject({
  total: Pointer.nullable().default(null).describe("JSON path of the registry's own count of companies"),
});
export type StatsDialect = z.infer<typeof StatsDialect>;

export const Dialect = z.strictObject({
  search: SearchDialect.superRefine(({ query_param, min_length }, ctx) => {
    if (query_param === null && min_length > 0)
      ctx.addIssue({
        code: 'custom',
        path: ['min_length'],
        message: 'must be 0 if query_param is null, because nothing could be found otherwise',
      });
  }).describe('searches and their results'),
  entity: EntityDialect.describe('JSON paths in a record'),
  stats: StatsDialect.default({ total: null }).describe('JSON paths in the statistics'),
  volatile: z
    .array(KeyPointer)
    .default([])
    .describe(
      'JSON paths in a record or summary whose values differ in every response and do not count as changes',
    ),
  responses: z
    .array(ResponseRule)
    .default([])
    .describe('table of responses whose meaning differs from their status'),
  limits: z
    .array(ReportedLimit)
    .default([])
    .describe(
      'limits that responses report, besides Retry-After and RateLimit headers; they only tighten the allowance',
    ),
});
export type Dialect = z.infer<typeof Dialect>;

/** The keys of an incomplete dialect. `probe` takes them as certain, and learns the others. */
export type StatedDialect = Stated<z.input<typeof Dialect>>;
type Stated<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: Stated<T[Key]> }
    : T;
