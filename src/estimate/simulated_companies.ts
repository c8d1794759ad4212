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
 * Simulates companies that the queries sent so far could still find (see `QueryCapacity`). If the queries have no
 * capacity for identifiers of a known form, the remaining companies get identifiers of other forms. The same seed gives
 * the same companies.
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
  /** Adds at most `wanted` companies that the queries have capacity for. */
  const add = (wanted: number, idOf: (freedDigits: number) => string | null) => {
    const enough = Math.min(count, simulated.length + wanted);
    let rejectedInARow = 0;
    let freedDigits = 0;
    for (
      let tries = 0;
      simulated.length < enough && tries < MIN_TRIES + wanted * TRIES_PER_COMPANY;
      tries++
    ) {
      if (rejectedInARow === REJECTED_BEFORE_FREEING) [freedDigits, rejectedInARow] = [freedDigits + 1, 0];
      const entityId = idOf(freedDigits);
      if (entityId === null) return;
      const company = { entityId, name: nameOf() };
      if (taken.has(entityId) || !capacity.isFor(company)) {
        rejectedInARow++;
        continue;
      }
      rejectedInARow = 0;
      capacity.take(company);
      taken.add(entityId);
      simulated.push(company);
    }
  };
  const prefixes = capacity.prefixes();
  for (const { prefix, left } of prefixes) add(left, (freedDigits) => ids.withPrefix(prefix, freedDigits));
  if (prefixes.length === 0)
    add(count, (freedDigits) => (random() < scenario.otherForms ? ids.other() : ids.known(freedDigits)));
  add(count - simulated.length, () => ids.other());
  return simulated;
}

const MIN_TRIES = 300;
const TRIES_PER_COMPANY = 12;
const REJECTED_BEFORE_FREEING = 25;
