import { z } from 'zod';
import { comparable } from '../../names/similarity.ts';
import type { CompanyProperties, PropertyValue } from '../../warehouse/company_properties.ts';
import type { CompanyMatch, CompanySearch } from '../../warehouse/company_search.ts';

/**
 * These types follow the Reconciliation Service API 0.2
 * (https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/).
 */
interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** From 0 to 100. */
  readonly score: number;
  readonly match: boolean;
  readonly type: readonly CompanyType[];
  readonly features: readonly { readonly id: string; readonly value: number | boolean }[];
}

interface CompanyType {
  readonly id: string;
  readonly name: string;
}

export const COMPANY: CompanyType = { id: 'company', name: 'Company' };
export const GONE: CompanyType = { id: 'gone_company', name: 'Company gone from the registry' };

/** What the service reads from the warehouse. */
export interface CompanyReaders {
  readonly search: CompanySearch;
  readonly properties: CompanyProperties;
}

/** Returns the companies that can be meant by a query, the best first. */
export function candidatesFor(
  query: ReconciliationQuery,
  { search, properties }: CompanyReaders,
): Candidate[] {
  const text = query.query ?? firstValue(query);
  const wanted = query.properties.filter(({ values }) => values.length > 0);
  const rated = search(text, MAX_RATED)
    .filter((found) => hasType(found, query.types))
    .map((found) => {
      const own = properties.values(
        found.entityId,
        wanted.map(({ id }) => id),
      );
      const agreements = wanted.flatMap(({ id, values }) => {
        const value = own?.get(id) ?? null;
        return value === null ? [] : [{ id, agrees: values.some((one) => isSameValue(one, value)) }];
      });
      return { found, agreements, score: scoreOf(found.score, agreements) };
    })
    .sort((a, b) => b.score - a.score);
  const certain = rated.filter(
    ({ found, score }) => score === 1 && found.matched !== 'former_name' && found.state !== 'gone',
  );
  return rated.slice(0, query.limit).map(({ found, agreements, score }) => ({
    id: found.entityId,
    name: found.name ?? found.entityId,
    description: describe(found, properties),
    score: Math.round(score * 1000) / 10,
    match: certain.length === 1 && certain[0]?.found === found,
    type: typesOf(found),
    features: [
      { id: 'name_similarity', value: Math.round(found.score * 1000) / 10 },
      { id: 'gone', value: found.state === 'gone' },
      ...agreements.map(({ id, agrees }) => ({ id, value: agrees })),
    ],
  }));
}

/** Returns the companies to suggest for the beginning of a name, from position `from`. */
export function suggestions(prefix: string, from: number, { search, properties }: CompanyReaders) {
  return search(prefix, from + SUGGESTIONS)
    .slice(from)
    .map((found) => ({
      id: found.entityId,
      name: found.name ?? found.entityId,
      description: describe(found, properties),
      notable: typesOf(found),
    }));
}

/** Returns the wanted properties of companies. */
export function extended({ ids, properties: wanted }: ExtendQuery, { properties }: CompanyReaders) {
  const rows = ids.map((entityId) => {
    const values = properties.values(entityId, wanted);
    const cells = wanted.map((id) => [id, cellsOf(values?.get(id) ?? null)]);
    return [entityId, Object.fromEntries(cells)];
  });
  return { meta: wanted.map((id) => ({ id, name: id })), rows: Object.fromEntries(rows) };
}

function describe(
  { entityId, state, goneAt, matched, matchedText }: CompanyMatch,
  properties: CompanyProperties,
): string {
  const values = properties.values(entityId, ['status', 'country', 'registered_on']);
  const facts = ['status', 'country', 'registered_on'].map((id) => values?.get(id) ?? null);
  return [
    entityId,
    ...(state === 'gone' ? [`gone from the registry since ${goneAt?.slice(0, 10)}`] : []),
    ...facts.filter((fact) => fact !== null).map(String),
    ...(matched === 'former_name' ? [`formerly ${matchedText}`] : []),
  ].join(' · ');
}

/** Returns a candidate's score. If all compared properties disagree, the score is half the names' similarity. */
function scoreOf(similarity: number, agreements: readonly { readonly agrees: boolean }[]): number {
  if (agreements.length === 0) return similarity;
  const disagreeing = agreements.filter(({ agrees }) => !agrees).length / agreements.length;
  return similarity * (1 - disagreeing / 2);
}

function firstValue({ properties }: ReconciliationQuery): string {
  return properties.flatMap(({ values }) => values)[0] ?? '';
}

/**
 * Returns whether two values agree: they are the same by the rules for names, or `value` is a date in the wanted year
 * or month.
 */
function isSameValue(wanted: string, value: PropertyValue): boolean {
  const [a, b] = [comparable(wanted), comparable(String(value))];
  return a === b || (/^\d{4}(-\d\d)?$/.test(a) && b.startsWith(`${a}-`));
}

function typesOf({ state }: CompanyMatch): CompanyType[] {
  return state === 'gone' ? [COMPANY, GONE] : [COMPANY];
}

function hasType(found: CompanyMatch, types: readonly string[]): boolean {
  return types.length === 0 || typesOf(found).some(({ id }) => types.includes(id));
}

function cellsOf(value: PropertyValue): object[] {
  if (value === null) return [];
  if (typeof value === 'bigint')
    return [Number.isSafeInteger(Number(value)) ? { int: Number(value) } : { str: String(value) }];
  if (typeof value === 'number') return [{ float: value }];
  if (DATE.test(value)) return [{ date: `${value}T00:00:00Z` }];
  return [TIME.test(value) ? { date: value } : { str: value }];
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
/** Properties are compared for at most this many candidates. */
const MAX_RATED = 50;
const SUGGESTIONS = 10;

/** A query in the Reconciliation Service API 0.2. */
interface ReconciliationQuery {
  /** The wanted name, or null if the query has only properties. */
  readonly query: string | null;
  /** The wanted types. Empty for any type. */
  readonly types: readonly string[];
  readonly limit: number;
  readonly properties: readonly { readonly id: string; readonly values: readonly string[] }[];
}

interface ExtendQuery {
  readonly ids: readonly string[];
  readonly properties: readonly string[];
}

const Scalar = z
  .union([z.string(), z.number(), z.boolean(), z.object({ id: z.string(), name: z.string().optional() })])
  .transform((value) => (typeof value === 'object' ? (value.name ?? value.id) : String(value)));

const Query = z
  .object({
    query: z.string().max(1_000).nullish(),
    type: z.union([z.string(), z.array(z.string())]).nullish(),
    limit: z.number().int().min(1).nullish(),
    properties: z
      .array(z.object({ pid: z.string(), v: z.union([Scalar, z.array(Scalar)]) }))
      .max(20)
      .nullish(),
    type_strict: z.enum(['any', 'all', 'should']).nullish(),
  })
  .refine(({ query, properties }) => query != null || (properties?.length ?? 0) > 0, {
    message: 'query or properties is required',
  })
  .transform(
    ({ query, type, limit, properties }): ReconciliationQuery => ({
      query: query ?? null,
      types: type == null || type === '' ? [] : [type].flat(),
      limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT),
      properties: (properties ?? []).map(({ pid, v }) => ({ id: pid, values: [v].flat() })),
    }),
  );

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 50;
/** Requests with more queries or ids are rejected. */
const MAX_QUERIES = 100;
const MAX_IDS = 1_000;

/** The value of the parameter `queries`. */
export const QueryBatch = z
  .record(z.string(), Query)
  .refine((batch) => Object.keys(batch).length <= MAX_QUERIES, {
    message: `at most ${MAX_QUERIES} queries are accepted`,
  });

/** The value of the parameter `extend`. */
export const Extend = z
  .object({
    ids: z.array(z.string()).max(MAX_IDS),
    properties: z.array(z.object({ id: z.string() })).max(100),
  })
  .transform(({ ids, properties }): ExtendQuery => ({ ids, properties: properties.map(({ id }) => id) }));
