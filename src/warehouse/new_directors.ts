import type { Database } from 'better-sqlite3';
import { rows } from '../sqlite/statements.ts';

/** The question that the demo answers. A new element of a list is JSON. */
export const NEW_DIRECTORS =
  "SELECT c.name AS company, after ->> 'name' AS director, after ->> 'since' AS since " +
  'FROM entity_change JOIN company c USING (entity_id) ' +
  "WHERE path LIKE '/officers/%' AND column_name IS NULL AND after ->> 'role' = 'director' ORDER BY c.name";

export interface NewDirector {
  readonly company: string;
  readonly director: string;
  readonly since: string;
}

export function newDirectors(db: Database): NewDirector[] {
  return rows(db, NEW_DIRECTORS);
}
