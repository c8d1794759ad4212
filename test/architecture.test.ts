import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const sources = [...filesUnder('src'), ...filesUnder('jobs')];

/** Who may import whom, by room. A room that is not listed here may be imported by all. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  root: ['dialect/json'],
  dialect: ['root'],
  allowance: ['root'],
  config: ['root', 'dialect'],
  warehouse: ['root', 'dialect', 'plan/knowledge', 'plan/texts_in_order', 'plan/words_in_order'],
  plan: ['root', 'dialect'],
  fetch: ['root', 'dialect', 'allowance'],
  load: ['root', 'dialect', 'warehouse', 'plan/knowledge'],
  engine: ['root', 'dialect', 'allowance', 'config', 'warehouse', 'plan', 'fetch', 'load'],
  server: ['root', 'dialect', 'allowance', 'config', 'warehouse', 'data'],
  page: ['root', 'dialect', 'allowance', 'warehouse', 'server', 'config'],
  cli: [
    'root',
    'dialect',
    'allowance',
    'config',
    'warehouse',
    'plan',
    'load',
    'engine',
    'server',
    'page',
    'jobs',
    'data',
  ],
  jobs: ['root', 'dialect', 'allowance', 'config', 'warehouse', 'plan', 'engine', 'cli/output'],
};

/** Files of src itself that are more than vocabulary. */
const ENGINE = new Set([
  'mirror',
  'run',
  'backfill',
  'price_sync',
  'backfill_wishes',
  'probe',
  'probe_check',
  'assemble',
  'tally',
]);

describe('the architecture', () => {
  test('rooms import only what lies below them', () => {
    const trespasses = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => !isAllowed(roomOf(file), target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(trespasses).toEqual([]);
  });

  test('no file imports itself through others', () => {
    const graph = new Map(sources.map((file) => [file, importsOf(file)]));
    expect(cyclesIn(graph)).toEqual([]);
  });

  test('SQL stands only in the warehouse and the ledger', () => {
    const sql =
      /\b(SELECT\s+[\w*(]|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX|VIEW))\b/;
    const elsewhere = sources.filter(
      (file) => !/^src\/(warehouse|allowance)\//.test(file) && sql.test(withoutComments(file)),
    );
    expect(elsewhere).toEqual([]);
  });

  test('only the configuration reads the environment', () => {
    const readers = sources.filter((file) => /process\.env\b/.test(withoutComments(file)));
    expect(readers).toEqual(['src/config.ts']);
  });

  test('decisions about time take it as an argument', () => {
    const pure = sources.filter((file) => /^src\/(plan|dialect|load|allowance\/windows)/.test(file));
    expect(
      pure.filter((file) => /Date\.now\(|new Date\(\)|Math\.random\(/.test(withoutComments(file))),
    ).toEqual([]);
  });
});

function isAllowed(room: string, target: string): boolean {
  const targetRoom = roomOf(target);
  if (room === targetRoom) return true;
  const allowed = MAY_IMPORT[room];
  if (allowed === undefined) return false;
  const place = target.replace(/^src\//, '').replace(/\.ts$/, '');
  return allowed.some((permitted) => permitted === targetRoom || permitted === place);
}

function roomOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  if (top !== 'src') return top;
  if (!second.endsWith('.ts') && !second.endsWith('.js')) return second;
  const name = second.replace(/\.\w+$/, '');
  if (name === 'config') return 'config';
  return ENGINE.has(name) ? 'engine' : 'root';
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    relative(root, resolve(root, dirname(file), target)),
  );
}

function withoutComments(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}

function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file]);
    if (finished.has(file) || path.includes(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
