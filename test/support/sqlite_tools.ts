import { execFileSync, spawnSync } from 'node:child_process';

/** A program on this machine that reads SQLite files with its own SQLite library. */
export interface SqliteTool {
  readonly name: string;
  /** For example, 3.40.1. */
  readonly version: string;
  /** Runs the queries in one process, and returns each query's rows. */
  rows(path: string, queries: readonly string[]): Record<string, unknown>[][];
}

/**
 * Returns the sqlite3 command and Python, if they are installed. With REQUIRE_SQLITE_TOOLS=1, a missing program is an
 * error.
 */
export function sqliteTools(): SqliteTool[] {
  const found = [commandLine(), python()].filter((tool) => tool !== null);
  if (found.length < 2 && process.env.REQUIRE_SQLITE_TOOLS === '1')
    throw new Error('sqlite3 or python3 is missing. Install both: apt-get install sqlite3 python3');
  return found;
}

function commandLine(): SqliteTool | null {
  const { status, stdout } = spawnSync('sqlite3', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return null;
  return {
    name: 'sqlite3',
    version: stdout.split(' ')[0] ?? '',
    rows: (path, queries) =>
      queries.map((sql) => {
        // A query without rows prints nothing.
        const json = execFileSync('sqlite3', ['-readonly', '-json', path], { ...OUTPUT, input: sql }).trim();
        return json === '' ? [] : JSON.parse(json);
      }),
  };
}

function python(): SqliteTool | null {
  const { status, stdout } = spawnSync('python3', ['-c', PYTHON_VERSION], OUTPUT);
  if (status !== 0) return null;
  return {
    name: 'python3',
    version: stdout.trim(),
    rows: (path, queries) =>
      JSON.parse(
        execFileSync('python3', ['-c', PYTHON, path], { ...OUTPUT, input: JSON.stringify(queries) }),
      ),
  };
}

const OUTPUT = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
const PYTHON_VERSION = 'import sqlite3; print(sqlite3.sqlite_version)';
const PYTHON = `
import json, sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db.row_factory = sqlite3.Row
rows = lambda sql: [dict(row) for row in db.execute(sql)]
print(json.dumps([rows(sql) for sql in json.load(sys.stdin)], default=str))
`;
