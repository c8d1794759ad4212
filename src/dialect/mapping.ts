import { z } from 'zod';
import { KeyPointer } from '../json/pointer_schema.ts';

/**
 * Exceptions to the default mapping of responses to tables, as configured under `mapping`. JSON paths are relative to
 * the record, the summary or the statistics, and `*` matches any list element. A change takes effect only after
 * `reprocess`, so that a table never has rows from two mappings.
 */

const COLUMN_TYPES = ['text', 'integer', 'real', 'boolean', 'date'] as const;

export const ColumnRule = z
  .strictObject({
    column: z
      .string()
      .regex(
        /^[\p{L}][\p{L}\p{M}\p{N}_]{0,99}$/u,
        'must begin with a letter and consist of letters, digits and "_"',
      )
      .optional()
      .describe('column name'),
    drop: z.literal(true).optional().describe('omit the field from the tables; the stored response keeps it'),
    type: z.enum(COLUMN_TYPES).optional().describe('column type; values of other types are stored unchanged'),
    format: z
      .string()
      .min(1)
      .optional()
      .describe('format of a date that is not ISO 8601: DD/MM/YYYY, D.M.YYYY, YYYYMMDD, epoch, epoch_ms'),
    index: z.literal(true).optional().describe('index the column'),
  })
  .refine((rule) => rule.format === undefined || rule.type === 'date', {
    message: 'format requires type: date',
  });
export type ColumnRule = z.infer<typeof ColumnRule>;

const rules = z.record(KeyPointer, ColumnRule).default({});

const role = (subject: string) => KeyPointer.nullable().default(null).describe(`JSON path ${subject}`);

export const Mapping = z.strictObject({
  entity: rules.describe('rules by JSON path in the record'),
  search_result: rules.describe('rules by JSON path in the summary'),
  registry_stats: rules.describe('rules by JSON path in the statistics'),
  former_names: z
    .array(KeyPointer)
    .nullable()
    .default(null)
    .describe('JSON paths of former and other names, for full-text search; null detects them by their keys'),
  identifiers: z
    .array(KeyPointer)
    .nullable()
    .default(null)
    .describe('JSON paths of additional identifiers, for full-text search; null detects them by their keys'),
  company: z
    .strictObject({
      status: role('of the status'),
      registered_on: role('of the registration date'),
      dissolved_on: role('of the dissolution date'),
      country: role('of the country or jurisdiction'),
    })
    .prefault({})
    .describe(
      'JSON paths in the record for the columns of the view company; null detects them by their keys',
    ),
  max_columns: z
    .int()
    .min(1)
    .max(1900)
    .default(900)
    .describe('maximum number of columns per table; further fields go to the JSON column _rest'),
});
export type Mapping = z.infer<typeof Mapping>;

/** The mapping without exceptions. */
export const DEFAULT_MAPPING: Mapping = Mapping.parse({});

/** Adds default values for keys missing from a mapping that an older version stored. */
export function completeMapping(stored: Partial<Mapping>): Mapping {
  return { ...DEFAULT_MAPPING, ...stored, company: { ...DEFAULT_MAPPING.company, ...stored.company } };
}
