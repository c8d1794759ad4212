import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { seededRandom } from '../random.ts';
import type { QueryCapacity } from './query_capacity.ts';
import type { Scenario } from './scenario.ts';
import { idMaker } from './simulated_ids.ts';
import { nameMaker } from './simulated_names.ts';

export interface SimulatedCompany {
  readonly entityId: string;
  readonly name: string;
}

/**
 * Companies that could stand beside the known ones, for which there is room among what searches have shown. Where no
 * identifier of a known form has room any more, the rest have one of another form. The same for the same seed.
 */
export function simulateCompanies(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly count: number;
  readonly capacity: QueryCapacity;
  readonly scenario: Scenario;
}): SimulatedCompany[] {
  const { known, queries, dialect, count, capacity, scenario } = ask;
  if (known.length === 0) return [];
  const random = seededRandom(scenario.seed).next;
  const nameOf = nameMaker({ known, queries, dialect, scenario, missing: count, random });
  const ids = idMaker(known, random);
  const taken = new Set(known.map(({ entityId }) => entityId));
  const simulated: SimulatedCompany[] = [];
  /** As many more as there is room for, or as are missing. */
  const add = (wanted: number, idOf: (freed: number) => string | null) => {
    const enough = Math.min(count, simulated.length + wanted);
    let refusals = 0;
    let freed = 0;
    for (let tries = 0; simulated.length < enough && tries < MOST_TRIES + wanted * MOST_TRIES_EACH; tries++) {
      if (refusals === REFUSALS_THAT_FREE) [freed, refusals] = [freed + 1, 0];
      const entityId = idOf(freed);
      if (entityId === null) return;
      const company = { entityId, name: nameOf() };
      if (taken.has(entityId) || !capacity.isFor(company)) {
        refusals++;
        continue;
      }
      refusals = 0;
      capacity.take(company);
      taken.add(entityId);
      simulated.push(company);
    }
  };
  const places = capacity.prefixes();
  for (const { prefix, left } of places) add(left, (freed) => ids.withPrefix(prefix, freed));
  if (places.length === 0)
    add(count, (freed) => (random() < scenario.otherForms ? ids.other() : ids.known(freed)));
  add(count - simulated.length, () => ids.other());
  return simulated;
}

const MOST_TRIES = 300;
const MOST_TRIES_EACH = 12;
const REFUSALS_THAT_FREE = 25;
