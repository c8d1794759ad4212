import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Every source file's path, relative to the project's root. */
export const sources: readonly string[] = [...filesUnder('src'), ...filesUnder('jobs')];

/** The code's layers, highest first. A layer may import from every layer below it. */
const ROWS = {
  edge: ['cli', 'jobs', 'page', 'serve', 'sandbox'],
  operation: ['operations', 'report', 'api'],
  engine: ['mirror'],
  /** The estimate runs planners with simulated responses. */
  estimate: ['estimate'],
  stage: ['plan', 'probe', 'fetch', 'load', 'notify'],
  foundation: [
    'config',
    'dialect',
    'allowance',
    'warehouse',
    'names',
    'json',
    'change_rate',
    'sqlite',
    'redis',
    'cron',
  ],
  vocabulary: ['vocabulary'],
} as const;

type Row = keyof typeof ROWS;

const ORDER = Object.keys(ROWS) as Row[];

/** Folders in the same layer that may import from each other. The commands start everything else. */
const MAY_IMPORT_ITS_ROW: Readonly<Record<string, readonly string[]>> = {
  cli: ['jobs', 'page', 'serve', 'sandbox'],
};

/** Pure folders whose types, but not code, the vocabulary may import. */
const LENDS_TYPES: ReadonlySet<string> = new Set(['json', 'names', 'change_rate']);

/** The files that a stage without I/O may import in addition to the shared vocabulary. */
const WITHOUT_EFFECT =
  /^src\/(plan|dialect|names|json|change_rate)\/|^src\/allowance\/(window_table|windows|completion)\.ts$/;
const STAGES_WITHOUT_EFFECT = new Set(['plan', 'probe', 'estimate']);

/** Returns each import that breaks a rule, with that rule. */
export function trespasses(): string[] {
  return sources
    .flatMap((file) =>
      importsOf(file).flatMap(({ target, isTypeOnly }) => {
        const fault = faultOf(file, target, isTypeOnly);
        return fault === null ? [] : [`${file} imports ${target}: ${fault}`];
      }),
    )
    .sort();
}

function faultOf(file: string, target: string, isTypeOnly: boolean): string | null {
  const room = roomOf(file);
  const targetRoom = roomOf(target);
  if (room === targetRoom) return null;
  if (room === 'vocabulary' && isTypeOnly && LENDS_TYPES.has(targetRoom)) return null;
  if (targetRoom === 'data')
    return rowOf(room) === 'edge' ? null : 'only commands and servers use the sample data';
  if (rowOf(room) === null) return `the folder ${room} is in no layer`;
  if (rowOf(targetRoom) === null) return `the folder ${targetRoom} is in no layer`;
  if (room === 'fetch' && targetRoom === 'warehouse') return 'fetch never imports the warehouse';
  const [from, to] = [rowOf(room), rowOf(targetRoom)];
  if (from === 'stage' && to === 'stage') return 'stages never import each other';
  if (from === 'edge' && to === 'edge')
    return MAY_IMPORT_ITS_ROW[room]?.includes(targetRoom) ? null : `${room} and ${targetRoom} are apart`;
  if (ORDER.indexOf(from as Row) > ORDER.indexOf(to as Row)) return `${targetRoom} is above ${room}`;
  if (STAGES_WITHOUT_EFFECT.has(room) && to !== 'vocabulary' && !WITHOUT_EFFECT.test(target))
    return `${room} imports nothing that acts`;
  return null;
}

/** Returns the Node modules that a stage without I/O imports. */
export function platformImports(): string[] {
  return sources
    .filter((file) => STAGES_WITHOUT_EFFECT.has(roomOf(file)))
    .flatMap((file) =>
      [...textOf(file).matchAll(/from '(node:[^']+)'/g)].map(([, name]) => `${file} imports ${name}`),
    );
}

/** Returns the import chains that lead from a file back to itself. */
export function cycles(): string[][] {
  const graph = new Map(sources.map((file) => [file, importsOf(file).map(({ target }) => target)]));
  const finished = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file]);
    if (finished.has(file) || path.includes(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

/** Returns the files whose code, without comments, matches the pattern. */
export function sourcesWith(pattern: RegExp): string[] {
  return sources.filter((file) => pattern.test(textOf(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')));
}

function rowOf(room: string): Row | null {
  return ORDER.find((row) => (ROWS[row] as readonly string[]).includes(room)) ?? null;
}

function roomOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  if (top !== 'src') return top;
  if (!/\.[jt]s$/.test(second)) return second;
  return second === 'mirror.ts' ? 'mirror' : 'vocabulary';
}

interface Import {
  readonly target: string;
  /** Whether the target is imported only with `import type` or `export type`. */
  readonly isTypeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const isTypeOnly = new Map<string, boolean>();
  const statements = /(?:\b(?:import|export) (type )?[^;'"()]*?from|\bimport)\s*\(?\s*'(\.[^']+)'/g;
  for (const [, type, path = ''] of textOf(file).matchAll(statements)) {
    const target = relative(root, resolve(root, dirname(file), path));
    isTypeOnly.set(target, type !== undefined && (isTypeOnly.get(target) ?? true));
  }
  return [...isTypeOnly].map(([target, onlyTypes]) => ({ target, isTypeOnly: onlyTypes }));
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}
