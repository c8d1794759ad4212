import type { Dialect, StatedDialect } from '../dialect/dialect.ts';
import { type Finding, sure } from './exchange.ts';

/**
 * The keys of the dialect that the user has set. They are evidence with certainty: a generator proposes nothing else for
 * such a field, and the dialect keeps them as they are.
 */

/** Returns the value that the user has set, or else the finding. */
export function unlessGiven<T>(given: T | undefined, finding: Finding<T>): Finding<T> {
  return given === undefined ? finding : sure(given, GIVEN);
}

export const GIVEN = 'the configuration states it';

/** Returns a learned dialect with the keys that the user has set. The paths in it were learned with them. */
export function withGiven(learned: object, given: StatedDialect): object {
  const { search: { id: _id, name: _name, paging, ...search } = {}, responses = [], ...others } = given;
  const own = learned as Dialect;
  return {
    ...own,
    ...others,
    search: { ...own.search, ...search, paging: { ...own.search.paging, ...paging } },
    entity: { ...own.entity, ...given.entity },
    responses: [...responses, ...own.responses],
  };
}
