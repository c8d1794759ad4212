import type { QueryState } from '../../../src/plan/knowledge.ts';
import type { Supposition } from '../../../src/plan/rehearsal/supposition.ts';
import { dialectOf } from '../../bench/discovery/discover.ts';
import { PLAIN, type RegistrySettings } from '../../bench/simulation/registry.ts';

/** The dialect of a plain registry, but for what a test says of it. */
export function dialectWith(settings: Partial<RegistrySettings>) {
  return dialectOf({ ...PLAIN, ...settings });
}

/** A query that was listed to its end. */
export function listed(by: 'name' | 'identifier', text: string, total: number | null = null): QueryState {
  const rows = total ?? 1;
  return {
    query: { by, text },
    ...{ total, pages: 1, rows, next: null, status: 'complete', listedAtMs: 0 },
  };
}

/** Nothing is supposed beyond what was seen. */
export const FAMILIAR: Supposition = {
  ...{ seed: 1, otherLanguages: 0, otherScripts: 0, otherForms: 0, goOn: 0 },
  ...{ overlooksMarks: false, ranksByQuery: false, isOutOfReach: false },
};

export function named(...names: string[]) {
  return names.map((name, at) => ({ entityId: `0000${1000 + 3 * at}`, name }));
}
