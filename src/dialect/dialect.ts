import { z } from 'zod';
import { Pointer } from '../json/pointer.ts';
import { Paging } from './paging/paging.ts';

export { Pointer } from '../json/pointer.ts';
export { Paging } from './paging/paging.ts';

/**
 * How one upstream speaks: parameters, paging, payloads, errors. It is data, written by hand or found by
 * `probe`, and stands under `dialect:` in the configuration with exactly these keys.
 */

export const NAME_MATCHES = ['prefix', 'token', 'token_prefix', 'substring', 'unknown'] as const;
export const IDENTIFIER_MATCHES = ['prefix', 'exact', 'none', 'unknown'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];
export type IdentifierMatch = (typeof IDENTIFIER_MATCHES)[number];

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** One row of the response table: every condition that is given must hold; the first row that fits decides. */
export const ResponseRule = z.strictObject({
  status: z
    .union([z.int().min(100).max(599), z.array(z.int().min(100).max(599)).min(1)])
    .optional()
    .describe('the HTTP status, or several'),
  kind: z.enum(['stats', 'search', 'entity']).optional().describe('only for this kind of call'),
  at: Pointer.optional().describe('a place in the body; alone: it must exist'),
  is: scalar.optional().describe('the value at that place'),
  matches: z
    .string()
    .optional()
    .describe('a regular expression (case-insensitive) for the text at that place, or for the whole body'),
  header: z.string().optional().describe('a header that must be there'),
  means: z
    .enum(['ok', 'absent', 'gone', 'refused', 'throttled', 'exhausted', 'unauthorised', 'broken'])
    .describe('what such an answer means'),
});
export type ResponseRule = z.infer<typeof ResponseRule>;

export const SearchDialect = z.strictObject({
  query_param: z.string().min(1).describe('parameter that takes the name'),
  identifier_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('parameter that takes an identifier; null: the same one'),
  extra: z.record(z.string(), z.string()).default({}).describe('fixed parameters'),
  paging: Paging.describe('how the pages of a list are asked for'),
  results: Pointer.describe('the list of results'),
  item: Pointer.default('').describe('inside each result, where it is wrapped'),
  id: Pointer.describe('the entity id, inside the item'),
  name: Pointer.nullable().default(null).describe('the name, inside the item'),
  total: Pointer.nullable().default(null).describe('what the query matches in all'),
  total_clamped_at: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('totals at or above this number mean "at least"'),
  matches: z.enum(NAME_MATCHES).default('unknown').describe('how a name query finds names'),
  identifiers: z
    .enum(IDENTIFIER_MATCHES)
    .default('unknown')
    .describe('how an identifier query finds identifiers'),
  min_length: z
    .int()
    .nonnegative()
    .default(1)
    .describe('shortest query text that is answered; 0: a search without a text lists everything'),
  absent_when_empty: z
    .boolean()
    .default(false)
    .describe('a missing list means that nothing was found, even where no total says 0'),
});
export type SearchDialect = z.infer<typeof SearchDialect>;

export const EntityDialect = z.strictObject({
  root: Pointer.default('').describe('the record, inside the body'),
  id: Pointer.describe('the entity id, inside the record'),
  name: Pointer.nullable().default(null).describe('the name, inside the record'),
  gone: z
    .strictObject({ at: Pointer, is: scalar.optional().describe('the value at that place') })
    .nullable()
    .default(null)
    .describe(
      'the mark of a deleted entity, inside the record or else the body; without `is`: any value but null and false',
    ),
});
export type EntityDialect = z.infer<typeof EntityDialect>;

export const StatsDialect = z.strictObject({
  total: Pointer.nullable().default(null).describe("the registry's own count of companies"),
});
export type StatsDialect = z.infer<typeof StatsDialect>;

export const Dialect = z.strictObject({
  search: SearchDialect.describe('how companies are searched for and listed'),
  entity: EntityDialect.describe('where things stand in a record'),
  stats: StatsDialect.default({ total: null }).describe('where things stand in the statistics'),
  volatile: z.array(Pointer).default([]).describe('places in a record or summary whose change is no change'),
  responses: z.array(ResponseRule).default([]).describe('the first row that fits decides; then the defaults'),
});
export type Dialect = z.infer<typeof Dialect>;
