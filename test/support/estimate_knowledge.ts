import type { QueryState } from '../../src/knowledge.ts';
import { dialectOf } from './simulation/discover.ts';
import { PLAIN, type RegistrySettings } from './simulation/registry.ts';

/** A simple registry's dialect with some settings changed. */
export function dialectWith(settings: Partial<RegistrySettings>) {
  return dialectOf({ ...PLAIN, ...settings });
}

/** A query state with a complete listing. */
export function listed(by: 'name' | 'identifier', text: string, total: number | null = null): QueryState {
  const rows = total ?? 1;
  return {
    query: { by, text },
    total,
    pages: 1,
    rows,
    next: null,
    status: 'complete',
    listedAtMs: 0,
  };
}

export function named(...names: string[]) {
  return names.map((name, at) => ({ entityId: `0000${1000 + 3 * at}`, name }));
}
