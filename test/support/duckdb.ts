import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** Opens DuckDB with one view for each of an export's Parquet files. */
export interface DuckDb {
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

export async function openDuckDb(folder: string, files: readonly string[]): Promise<DuckDb> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const file of files) {
    const path = join(folder, file).replaceAll("'", "''");
    await connection.run(`CREATE VIEW "${file.replace(/\.parquet$/, '')}" AS FROM '${path}'`);
  }
  return {
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
