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
    .prepare<{ text: string; at: string }, string | null>(
      'SELECT CASE WHEN json_valid(@text) THEN json_extract(@text, @at) END',
    )
    .pluck();
  return (callId, entityId) => {
    const text = answers.body(callId)?.toString() ?? null;
    if (text === null || path === '$') return text;
    const at = path.replace('{id}', () => entityId.replaceAll('"', '\\"'));
    return extract.get({ text, at }) ?? null;
  };
}
