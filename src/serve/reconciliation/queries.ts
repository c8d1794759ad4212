import { z } from 'zod';

/** A query in the Reconciliation Service API 0.2. */
export interface ReconciliationQuery {
  /** The wanted name, or null if the query has only properties. */
  readonly query: string | null;
  /** The wanted types. Empty for any type. */
  readonly types: readonly string[];
  readonly limit: number;
  readonly properties: readonly { readonly id: string; readonly values: readonly string[] }[];
}

export interface ExtendQuery {
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
