import type { Database } from 'better-sqlite3';
import { payloadColumns } from '../payload_table.ts';
import { type PublishedTable, publishedTable } from '../published_tables.ts';

/** Returns each column's meaning. For a payload column, this is its path in the payload and the value types seen. */
export function columnDescriptions(db: Database, table: string): Record<string, string> {
  const own = publishedTable(table)?.columns ?? [];
  return Object.fromEntries([
    ...payloadColumns(db, table).map(({ column, path, types }) => [
      column,
      `${path === '' ? 'The element' : path}: ${types === '' ? 'null so far' : types.replaceAll(' ', ', ')}`,
    ]),
    ...own.map(({ name, meaning }) => [name, plainText(meaning)]),
  ]);
}

/** Describes what the rows of a table are, and what they are for. */
export function tableDescription({ rowPer, use }: PublishedTable): string {
  return `${plainText(rowPer === null ? use : `one row per ${rowPer}: ${use}`)}.`;
}

/** Removes Markdown from a meaning for tools that show plain text. */
function plainText(meaning: string): string {
  const text = meaning.replace(/[`]|\*\*/g, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
