import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cycles, platformImports, sourcesWith, trespasses } from './support/architecture_rules.ts';

describe('the architecture', () => {
  test('rooms import only rooms below them', () => {
    expect(trespasses()).toEqual([]);
  });

  test('plan, probe and estimate import no module of Node that acts', () => {
    expect(platformImports()).toEqual([]);
  });

  test('no file imports itself through others', () => {
    expect(cycles()).toEqual([]);
  });

  test('src holds only the engine and the shared vocabulary', () => {
    const files = readdirSync(resolve(import.meta.dirname, '../src')).filter((name) => name.endsWith('.ts'));
    expect(files.sort()).toEqual(ROOT_FILES);
  });

  test('SQL is only in the warehouse and the ledger', () => {
    const sql =
      /\b(SELECT\s+[\w*(]|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX|VIEW))\b/;
    expect(sourcesWith(sql).filter((file) => !/^src\/(warehouse|allowance)\//.test(file))).toEqual([]);
  });

  test('only the configuration reads the environment', () => {
    expect(sourcesWith(/process\.env\b/).filter((file) => !file.startsWith('src/config/'))).toEqual([]);
  });

  test('decisions about time and chance take them as arguments', () => {
    const readers = sourcesWith(/Date\.now\(|new Date\(\)|Math\.random\(/);
    const pure =
      /^src\/(plan|probe|estimate|load|dialect|names|json|change_rate)\/|^src\/allowance\/(window_table|windows|completion)\.ts$/;
    expect(readers.filter((file) => pure.test(file))).toEqual([]);
  });
});

/** The engine, and the values and interfaces that every room shares. */
const ROOT_FILES: readonly string[] = [
  'call.ts',
  'clock.ts',
  'errors.ts',
  'knowledge.ts',
  'load_result.ts',
  'mirror.ts',
  'outcome.ts',
  'planner.ts',
  'random.ts',
  'run_totals.ts',
];
