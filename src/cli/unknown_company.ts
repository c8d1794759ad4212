import type { Database } from 'better-sqlite3';
import { FailedError } from '../errors.ts';
import { printable } from '../printable.ts';
import { companiesLike } from '../warehouse/company_history.ts';

/** Creates the error for an id that is not in the mirror. The error's hint lists similar ids and names. */
export function unknownCompany(db: Database, id: string): FailedError {
  const like = companiesLike(db, id, 5);
  return new FailedError(`company ${printable(id)} is not in the mirror`, {
    hint:
      like.length === 0
        ? 'Search its name: registry-mirror search NAME. Or fetch it: registry-mirror backfill --ids FILE.'
        : printable(
            `Did you mean ${like.map(({ entityId, name }) => (name === null ? entityId : `${entityId} (${name})`)).join(', ')}?`,
          ),
  });
}
