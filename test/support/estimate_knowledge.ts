import type { Scenario } from '../../src/estimate/scenario.ts';
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
    ...{ total, pages: 1, rows, next: null, status: 'complete', listedAtMs: 0 },
  };
}

/** The scenario in which unseen companies resemble known ones. */
export const FAMILIAR: Scenario = {
  ...{ seed: 1, otherLanguages: 0, otherScripts: 0, otherForms: 0, openShare: 0 },
  ...{ ignoresDiacritics: false, ranksByQuery: false, searchesIdentifiers: true, isOutOfReach: false },
};

export function named(...names: string[]) {
  return names.map((name, at) => ({ entityId: `0000${1000 + 3 * at}`, name }));
}
