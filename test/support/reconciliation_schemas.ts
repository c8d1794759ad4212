import { z } from 'zod';

/** Schemas for responses in the Reconciliation Service API 0.2, in the order of the specification's sections. */

const type = z.union([z.string(), z.object({ id: z.string(), name: z.string().optional() })]);
const suggestion = z.object({ id: z.string(), name: z.string(), description: z.string().optional() });
const service = z.object({ service_url: z.url(), service_path: z.string().startsWith('/') });
const urlOfId = z.object({ url: z.string().includes('{{id}}') });

/** Section 3.3: the service manifest. */
export const Manifest = z.object({
  versions: z.array(z.string()).refine((versions) => versions.includes('0.2')),
  name: z.string(),
  identifierSpace: z.url(),
  schemaSpace: z.url(),
  serviceVersion: z.string().optional(),
  defaultTypes: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
  view: urlOfId.optional(),
  authentication: z
    .object({ type: z.literal('apiKey'), name: z.string(), in: z.enum(['header', 'query']) })
    .optional(),
  suggest: z.object({ entity: service, property: service, type: service }),
  extend: z.object({ propose_properties: service, property_settings: z.array(z.object({})) }),
});

/** Section 4.3: batch results. */
export const ResultBatch = z.record(
  z.string(),
  z.object({
    result: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string().optional(),
        score: z.number(),
        match: z.boolean().optional(),
        type: z.array(type).optional(),
        features: z.array(z.object({ id: z.string(), value: z.union([z.boolean(), z.number()]) })).optional(),
      }),
    ),
  }),
);

/** Section 6: suggestions of entities, properties and types. */
export const Suggestions = z.object({
  result: z.array(suggestion.extend({ notable: z.array(type).optional() })),
});

/** Section 7.2: the proposed properties. */
export const ProposedProperties = z.object({
  properties: z.array(suggestion),
  type: z.string().optional(),
  limit: z.number().optional(),
});

const cell = z.union([
  z.strictObject({}),
  z.strictObject({ id: z.string(), name: z.string(), description: z.string().optional() }),
  z.strictObject({ str: z.string() }),
  z.strictObject({ float: z.number() }),
  z.strictObject({ int: z.int() }),
  z.strictObject({ date: z.iso.datetime({ offset: true }) }),
]);

/** Section 7.4: property values. */
export const Extension = z.object({
  meta: z.array(z.object({ id: z.string(), name: z.string() })),
  rows: z.record(z.string(), z.record(z.string(), z.array(cell))),
});
