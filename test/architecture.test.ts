import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cycles, platformImports, sourcesWith, trespasses } from './support/architecture_rules.ts';

describe('the architecture', () => {
  test('each folder imports only from lower layers', () => {
    expect(trespasses()).toEqual([]);
  });

  test('plan, probe and estimate import no Node module that performs I/O', () => {
    expect(platformImports()).toEqual([]);
  });

  test('no file imports itself, directly or through other files', () => {
    expect(cycles()).toEqual([]);
  });

  test('src holds only the engine and the shared vocabulary', () => {
    const files = readdirSync(resolve(import.meta.dirname, '../src')).filter((name) => name.endsWith('.ts'));
    expect(files.sort()).toEqual(ROOT_FILES);
  });

  test('SQL is only in the warehouse and the ledger', () => {
    const sql =
      /\b(SELECT\s+[\w*("@:?]|(INSERT|REPLACE)\s+(OR\s+\w+\s+)?INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b|(CREATE|DROP|ALTER)\s+(\w+\s+)?(TABLE|INDEX|VIEW|TRIGGER)\b)/;
    const owners = /^src\/(warehouse|allowance)\//;
    expect(sourcesWith(sql).filter((file) => !owners.test(file) && !SHOWS_SQL.has(file))).toEqual([]);
  });

  test('only the configuration reads environment variables', () => {
    expect(sourcesWith(/process\.env\b/).filter((file) => !file.startsWith('src/config/'))).toEqual([]);
  });

  test('pure code takes time and randomness as arguments', () => {
    const readers = sourcesWith(/Date\.now\(|new Date\(\)|Math\.random\(/);
    const pure =
      /^src\/(plan|probe|estimate|load|dialect|names|json|change_rate)\/|^src\/allowance\/(window_table|windows|completion)\.ts$/;
    expect(readers.filter((file) => pure.test(file))).toEqual([]);
  });
});

/**
 * These files may contain SQL: one shows the user a query to run, one sends a similar language to APIs, and one completes
 * older files of both the warehouse and the ledger.
 */
const SHOWS_SQL: ReadonlySet<string> = new Set([
  'src/cli/demo.ts',
  'src/probe/languages.ts',
  'src/sqlite/later_columns.ts',
]);

/** The engine, and the values and interfaces that all folders share. */
const ROOT_FILES: readonly string[] = [
  'call.ts',
  'clock.ts',
  'durations.ts',
  'ending.ts',
  'errors.ts',
  'knowledge.ts',
  'load_result.ts',
  'mirror.ts',
  'outcome.ts',
  'planner.ts',
  'printable.ts',
  'random.ts',
  'run_totals.ts',
  'whole_listing.ts',
];
