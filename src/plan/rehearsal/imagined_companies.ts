import type { Dialect } from '../../dialect/dialect.ts';
import { seededRandom } from '../../random.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { idMaker } from './imagined_ids.ts';
import { nameMaker } from './imagined_names.ts';
import type { Room } from './room.ts';
import type { Supposition } from './supposition.ts';

export interface Imagined {
  readonly entityId: string;
  readonly name: string;
}

/**
 * Companies that could stand beside the known ones, for which there is room among what searches have shown. Where no
 * identifier of a known form has room any more, the rest have one of another form. The same for the same seed.
 */
export function imagineCompanies(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly count: number;
  readonly room: Room;
  readonly supposition: Supposition;
}): Imagined[] {
  const { known, queries, dialect, count, room, supposition } = ask;
  if (known.length === 0) return [];
  const random = seededRandom(supposition.seed).next;
  const nameOf = nameMaker({ known, queries, dialect, supposition, missing: count, random });
  const ids = idMaker(known, random);
  const taken = new Set(known.map(({ entityId }) => entityId));
  const imagined: Imagined[] = [];
  /** As many more as there is room for, or as are missing. */
  const add = (wanted: number, idOf: (freed: number) => string | null) => {
    const enough = Math.min(count, imagined.length + wanted);
    let refusals = 0;
    let freed = 0;
    for (let tries = 0; imagined.length < enough && tries < MOST_TRIES + wanted * MOST_TRIES_EACH; tries++) {
      if (refusals === REFUSALS_THAT_FREE) [freed, refusals] = [freed + 1, 0];
      const entityId = idOf(freed);
      if (entityId === null) return;
      const company = { entityId, name: nameOf() };
      if (taken.has(entityId) || !room.isFor(company)) {
        refusals++;
        continue;
      }
      refusals = 0;
      room.take(company);
      taken.add(entityId);
      imagined.push(company);
    }
  };
  const places = room.places();
  for (const { beginning, left } of places) add(left, (freed) => ids.beginning(beginning, freed));
  if (places.length === 0)
    add(count, (freed) => (random() < supposition.otherForms ? ids.other() : ids.known(freed)));
  add(count - imagined.length, () => ids.other());
  return imagined;
}

const MOST_TRIES = 300;
const MOST_TRIES_EACH = 12;
const REFUSALS_THAT_FREE = 25;
