import { z } from 'zod';
import { Pointer } from '../json/pointer_schema.ts';
import { servicePaging } from './paging.ts';
import { SearchProfile, scalar } from './search_profile.ts';

/**
 * An API profile describes a server with the three endpoints: its paths, parameters, envelopes, errors and limits. A
 * dialect describes the same API for the client: `dialectFor(profile)` returns the dialect that fits a profile.
 */

const path = z.string().regex(/^\/[^?#]*$/, 'must be an absolute path');
const pathWithQuery = z
  .string()
  .regex(/^\/[^#]*$/, 'must be an absolute path, with or without a query string');

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
    .describe('the fields in a list item besides id and name; null for all'),
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
