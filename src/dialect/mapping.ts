import type { Mapping } from './mapping_schema.ts';

export type { ColumnRule, Mapping } from './mapping_schema.ts';

/**
 * The mapping that the schema produces for an empty section. It is a literal, so that code that only reads a warehouse
 * does not load zod.
 */
export const DEFAULT_MAPPING: Mapping = {
  entity: {},
  search_result: {},
  registry_stats: {},
  former_names: null,
  identifiers: null,
  company: { status: null, registered_on: null, dissolved_on: null, country: null },
  max_columns: 900,
};

/** Adds default values for keys missing from a mapping that an older version stored. */
export function completeMapping(stored: Partial<Mapping>): Mapping {
  return { ...DEFAULT_MAPPING, ...stored, company: { ...DEFAULT_MAPPING.company, ...stored.company } };
}
