import type { Knowledge, KnownCompany } from '../knowledge.ts';

/** What is known, and what the rehearsal has found so far. */
export function knowledgeWith(
  from: Knowledge,
  learned: ReadonlyMap<string, KnownCompany>,
  total: number | null,
  nowMs: number,
): Knowledge {
  const both = function* () {
    yield* from.knownCompanies();
    yield* learned.values();
  };
  return {
    ...from,
    knownCount: () => from.knownCount() + learned.size,
    latestStats: () => ({ observedAtMs: nowMs, total }),
    statsCallsMade: () => 1,
    queries: () => from.queries(),
    searchesInVain: () => from.searchesInVain(),
    knownCompanies: both,
    recordsDue: () => [],
    failures: () => [],
    controlNeeded: () => false,
  };
}
