import type { Dialect } from '../../../src/dialect/dialect.ts';
import { DIALECT } from '../growth/registry.ts';

/** The registry's query rule, or `records` if only records are due. */
export type ChoosingKind = 'identifier' | 'prefix' | 'token_prefix' | 'token' | 'record';

export function dialectFor(kind: ChoosingKind): Dialect {
  if (kind === 'identifier' || kind === 'record') return DIALECT;
  return { ...DIALECT, search: { ...DIALECT.search, identifiers: 'none', matches: kind } };
}
