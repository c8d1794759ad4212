import type { Database } from 'better-sqlite3';
import { UsageError } from '../errors.ts';
import { companiesLike } from '../warehouse/company_history.ts';

/** Creates the error for an id that is not in the mirror. The error's hint lists similar ids and names. */
export function unknownCompany(db: Database, id: string): UsageError {
  const like = companiesLike(db, id, 5);
  return new UsageError(`company ${id} is not in the mirror`, {
    hint:
      like.length === 0
        ? 'Search its name: registry-mirror search NAME. Or fetch it: registry-mirror backfill --ids FILE.'
        : `Did you mean ${like.map(({ entityId, name }) => (name === null ? entityId : `${entityId} (${name})`)).join(', ')}?`,
  });
}
