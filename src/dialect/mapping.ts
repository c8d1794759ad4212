import { z } from 'zod';
import { Pointer } from '../json/pointer.ts';

/**
 * How payloads become tables where the default does not suit: stands under `mapping:` in the configuration.
 * Places are JSON Pointers into the record, summary or statistics; `*` stands for any element of a list.
 * The default needs none of it. A change takes effect with `reprocess`, so that a table is never half of one
 * mapping and half of another.
 */

export const COLUMN_TYPES = ['text', 'integer', 'real', 'boolean', 'date'] as const;

export const ColumnRule = z
  .strictObject({
    column: z
      .string()
      .regex(
        /^[\p{L}][\p{L}\p{M}\p{N}_]{0,99}$/u,
        'must begin with a letter and hold letters, digits and "_"',
      )
      .optional()
      .describe('name of the column'),
    drop: z.literal(true).optional().describe('leave it out of the tables; the answer keeps it'),
    type: z.enum(COLUMN_TYPES).optional().describe('what to make of it; a value that is none stays as it is'),
    format: z
      .string()
      .min(1)
      .optional()
      .describe('of a date that is not ISO: DD/MM/YYYY, D.M.YYYY, YYYYMMDD, epoch, epoch_ms'),
    index: z.literal(true).optional().describe('index the column'),
  })
  .refine((rule) => rule.format === undefined || rule.type === 'date', {
    message: 'format: belongs to type: date',
  });
export type ColumnRule = z.infer<typeof ColumnRule>;

const rules = z.record(Pointer, ColumnRule).default({});

export const Mapping = z.strictObject({
  entity: rules.describe('places in the record'),
  search_result: rules.describe('places in the summary'),
  registry_stats: rules.describe('places in the statistics'),
  former_names: z
    .array(Pointer)
    .nullable()
    .default(null)
    .describe('where former and other names stand, for the search; null: found by their keys'),
  identifiers: z
    .array(Pointer)
    .nullable()
    .default(null)
    .describe('where further identifiers stand, for the search; null: found by their keys'),
  max_columns: z
    .int()
    .min(1)
    .max(1900)
    .default(900)
    .describe('columns of a table; what is beyond goes to the JSON column _rest'),
});
export type Mapping = z.infer<typeof Mapping>;

export const DEFAULT_MAPPING: Mapping = Mapping.parse({});
