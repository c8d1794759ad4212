// npm run accept questions
// Runs the queries in docs/analysts.md on the demo's warehouse with each SQLite version on this machine, and on a
// Parquet export with DuckDB. Prints how many rows each query returns.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { questionsFor } from '../docs/questions.ts';
import { openDemoMirror } from '../support/demo_mirror.ts';
import { openDuckDb } from '../support/duckdb.ts';
import { sqliteTools } from '../support/sqlite_tools.ts';

const demo = openDemoMirror();
try {
  const counts: [engine: string, rows: number[]][] = sqliteTools().map(({ name, version, rows }) => [
    `${name}, SQLite ${version}`,
    rows(demo.warehouse, questionsFor('SQLite')).map(({ length }) => length),
  ]);
  const folder = join(demo.folder, 'lake');
  demo.run('export', '--format', 'parquet', '--out', folder);
  const duckDb = await openDuckDb(
    folder,
    readdirSync(folder).filter((name) => name.endsWith('.parquet')),
  );
  const inDuckDb: number[] = [];
  for (const sql of questionsFor('DuckDB')) inDuckDb.push((await duckDb.rows(sql)).length);
  duckDb.close();
  counts.push(['DuckDB', inDuckDb]);
  for (const [engine, rows] of counts)
    process.stdout.write(`${engine.padEnd(24)} rows for each question: ${rows.join(' ')}\n`);
  process.exitCode = counts.every(([, rows]) => rows.every((n) => n > 0)) ? 0 : 1;
} finally {
  demo.remove();
}
