import type { FastifySchema } from 'fastify';
import type { ApiProfile } from './api_profile.ts';
import { firstNumber, pageParam } from './paging.ts';
import { PROBLEMS, type ProblemCode } from './problems.ts';

/**
 * Returns the search schema. The route schemas are used to validate requests and to generate the OpenAPI document.
 * Schemas for response bodies allow any field, because a record's fields depend on the registry.
 */
export function searchSchema(profile: ApiProfile): FastifySchema {
  const { dialect, search } = profile;
  return {
    operationId: 'search',
    summary: 'Find companies by name or identifier.',
    querystring: {
      type: 'object',
      properties: searchParameters(profile),
      additionalProperties: search.unknown_params === 'ignore',
    },
    response: {
      200: bodySchema('The matches on the page', dialect.search.results === '' ? 'array' : 'object'),
      ...rejections(profile, SEARCH),
    },
  } as FastifySchema;
}

export function entitySchema(profile: ApiProfile, hasHistory: boolean): FastifySchema {
  return {
    operationId: 'entity',
    summary: 'Get the record of one company.',
    params: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1, description: 'the entity id' } },
      required: ['id'],
    },
    querystring: parametersOf(profile.paths.entity, hasHistory ? AS_OF : {}),
    response: { 200: bodySchema('The record', 'object'), ...rejections(profile, ENTITY) },
  } as FastifySchema;
}

export function statsSchema(profile: ApiProfile): FastifySchema {
  return {
    operationId: 'stats',
    summary: 'Get the statistics and the coverage of the registry.',
    querystring: parametersOf(profile.paths.stats),
    response: { 200: bodySchema('The statistics', 'object'), ...rejections(profile, ALWAYS) },
  } as FastifySchema;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

const AS_OF = {
  as_of: {
    type: 'string',
    maxLength: 40,
    description:
      'return the record as it was known at this time: a date (the end of that day in UTC) or a time with a time zone',
  },
};

/** Returns the schema of an endpoint's parameters. Those in its path are required, with the same value. */
function parametersOf(path: string, others: Readonly<Record<string, object>> = {}): object {
  const constants = [...new URLSearchParams(path.split('?')[1])];
  const properties = constants.map(([name, value]) => [name, { type: 'string', const: value }]);
  return {
    type: 'object',
    properties: { ...others, ...Object.fromEntries(properties) },
    required: constants.map(([name]) => name),
  };
}

/** The problems that any endpoint can return. */
export const ALWAYS: readonly ProblemCode[] = [
  'credentials_missing',
  'credentials_invalid',
  'account_suspended',
  'rate_limited',
  'allowance_exhausted',
  'internal_error',
];
const SEARCH: readonly ProblemCode[] = ['parameter_invalid', 'query_too_short', 'query_too_broad', ...ALWAYS];
const ENTITY: readonly ProblemCode[] = [
  'parameter_invalid',
  'entity_not_found',
  'entity_gone',
  'record_not_mirrored',
  ...ALWAYS,
];

const MAX_PAGE = 1_000_000_000;
const MAX_QUERY_CHARACTERS = 2_000;

function searchParameters({ dialect, search: facts }: ApiProfile): Record<string, object> {
  const { search } = dialect;
  const { paging } = search;
  const text = (description: string) => ({ type: 'string', maxLength: MAX_QUERY_CHARACTERS, description });
  const number = (minimum: number, description: string) => ({
    type: 'integer',
    minimum,
    maximum: MAX_PAGE,
    default: minimum,
    description,
  });
  const parameters: Record<string, object> = {
    [search.query_param]: text(search.identifier_param === null ? 'a name or an identifier' : 'a name'),
  };
  if (search.identifier_param !== null) parameters[search.identifier_param] = text('an identifier');
  if (facts.plain_param !== null) parameters[facts.plain_param] = text('a name or an identifier');
  if (paging.size_param !== null) {
    parameters[paging.size_param] = {
      type: 'integer',
      minimum: 1,
      maximum: facts.oversize === 'refuse' ? paging.size : MAX_PAGE,
      default: Math.min(facts.default_size, paging.size),
      description: `rows per page; at most ${paging.size}`,
    };
  }
  const param = pageParam(paging);
  const first = firstNumber(paging);
  if (param !== null)
    parameters[param] =
      first === null
        ? text('the cursor of the next page, which the previous page returned')
        : number(first, paging.style === 'page' ? 'number of the page' : 'position of the first row');
  return parameters;
}

function bodySchema(description: string, type: 'object' | 'array'): object {
  const schema = type === 'array' ? { type, items: {} } : { type, additionalProperties: true };
  return { description, content: { 'application/json': { schema } } };
}

/** Returns one schema per status, which describes the problem codes with that status. */
export function rejections(profile: ApiProfile, codes: readonly ProblemCode[]): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const description = ofStatus.map((code) => `${code}: ${PROBLEMS[code].title}`).join(' ');
      return [
        status,
        profile.errors.body === 'problem' ? problemResponse(description, ofStatus) : { description },
      ];
    }),
  );
}

function problemResponse(description: string, codes: readonly ProblemCode[]): object {
  const schema = {
    type: 'object',
    required: ['type', 'title', 'status', 'code'],
    properties: {
      type: { type: 'string', format: 'uri-reference' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      instance: { type: 'string' },
      code: { type: 'string', enum: [...codes] },
    },
  };
  return { description, content: { 'application/problem+json': { schema } } };
}
