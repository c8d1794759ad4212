import type { Database } from 'better-sqlite3';
import { answerTable } from './answer.ts';
import { metaTable } from './meta.ts';

/**
 * Returns a function that reads an entity's record in the response to a call, as received. The function returns null if
 * the response was deleted or contains no record.
 */
export function recordDocuments(db: Database): (callId: number, entityId: string) => string | null {
  const answers = answerTable(db);
  const path = metaTable(db).get('record_path') ?? '$';
  const extract = db
    .prepare<[string, string], string | null>('SELECT CASE WHEN json_valid(?1) THEN json_extract(?1, ?2) END')
    .pluck();
  return (callId, entityId) => {
    const text = answers.body(callId)?.toString() ?? null;
    return text === null || path === '$'
      ? text
      : (extract.get(
          text,
          path.replace('{id}', () => entityId.replaceAll('"', '\\"')),
        ) ?? null);
  };
}
