import type { Dialect } from '../../../src/dialect/dialect.ts';
import { DIALECT } from '../growth/registry.ts';

/** A query rule of the registry, or `records`: only records are due. */
export type ChoosingKind = 'identifier' | 'prefix' | 'token_prefix' | 'token' | 'record';

export function dialectFor(kind: ChoosingKind): Dialect {
  if (kind === 'identifier' || kind === 'record') return DIALECT;
  return { ...DIALECT, search: { ...DIALECT.search, identifiers: 'none', matches: kind } };
}
