import { readFileSync } from 'node:fs';

/** A documented query. */
export interface Question {
  readonly sql: string;
  /** The only engine that can run the query, or null if every engine can. */
  readonly only: 'SQLite' | 'DuckDB' | null;
}

const ANALYSTS = readFileSync(new URL('../../docs/analysts.md', import.meta.url), 'utf8');

/** The Python code in docs/analysts.md, which opens `data/warehouse.db`. */
export const PYTHON = /```python\n([\s\S]*?)```/.exec(ANALYSTS)?.[1] ?? '';

/**
 * The queries in docs/analysts.md, in order. A comment at a query's end names the engine if only one can run the query. At
 * its beginning, `sqlite3 FILE QUERY` would take it for an option.
 */
export const QUESTIONS: readonly Question[] = [...ANALYSTS.matchAll(/```sql\n([\s\S]*?)```/g)].map(
  ([, sql = '']) => {
    const [, only] = /; -- (SQLite|DuckDB)$/m.exec(sql) ?? [];
    return { sql: sql.trim(), only: (only as Question['only'] | undefined) ?? null };
  },
);

export function questionsFor(engine: 'SQLite' | 'DuckDB'): readonly string[] {
  return QUESTIONS.filter(({ only }) => only === null || only === engine).map(({ sql }) => sql);
}
