import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { SCHEMA } from '../src/warehouse/migrate.ts';

const root = resolve(import.meta.dirname, '..');

/** A word in test/deprecated_words.md. */
interface Deprecated {
  /** A term such as `turn design` means these two words next to each other. */
  readonly word: string;
  readonly use: string;
  /** Folders in which names must not contain the word. If there are no folders, reviewers decide. */
  readonly folders: readonly string[];
}

/** A file name or an exported identifier. */
interface Name {
  readonly file: string;
  readonly name: string;
}

const deprecated = readDeprecated();
const checked = deprecated.filter(({ folders }) => folders.length > 0);
const names = namesOf(['src', 'jobs'].flatMap(filesUnder));
const tableWords = readTableWords();

describe('deprecated words', () => {
  test('most deprecated words are checked', () => {
    expect(checked.length).toBeGreaterThan(40);
    expect(deprecated.filter(({ use }) => use === '')).toEqual([]);
  });

  test.each(checked)('no name contains "$word" (use: $use)', (one) => {
    expect(offenders(one, names)).toEqual([]);
  });
});

describe('a deprecated word', () => {
  const lane: Deprecated = { word: 'lane', use: 'connection', folders: ['src'] };
  const flight: Deprecated = { word: 'flight', use: 'in-flight calls', folders: ['src'] };
  const turnDesign: Deprecated = { word: 'turn design', use: 'paging probe', folders: ['src'] };

  it.each([
    [lane, 'openLanes', true],
    [lane, 'LANE_COUNT', true],
    [lane, 'planet', false],
    [flight, 'openFlight', true],
    [flight, 'InFlightCalls', false],
    [turnDesign, 'TurnDesign', true],
    [turnDesign, 'designTurn', false],
  ])('a deprecated word is found as a whole word: %o in %s: %s', (one, name, isFound) => {
    expect(offenders(one, [{ file: 'src/fetch/some_file.ts', name }]).length > 0).toBe(isFound);
  });

  it('a deprecated word is found in file names and folder names', () => {
    const file = 'src/fetch/lanes/open.ts';
    expect(offenders(lane, [{ file, name: file }])).toEqual([file]);
  });

  it('a deprecated word is ignored outside its folders', () => {
    expect(offenders(lane, [{ file: 'jobs/lane.ts', name: 'Lane' }])).toEqual([]);
  });

  it('a deprecated word is permitted in the warehouse folder if a table has that name', () => {
    const totals: Deprecated = { word: 'tally', use: 'run totals', folders: ['src'] };
    const name = 'tallyTable';
    expect(offenders(totals, [{ file: 'src/warehouse/tally.ts', name }])).toEqual([]);
    expect(offenders(totals, [{ file: 'src/load/tally.ts', name }])).not.toEqual([]);
  });
});

function offenders({ word, use, folders }: Deprecated, among: readonly Name[]): string[] {
  return among
    .filter(({ file }) => folders.some((folder) => file.startsWith(`${folder}/`)))
    .filter(({ file }) => !(file.startsWith('src/warehouse/') && tableWords.has(word)))
    .filter(({ name }) => contains(wordsOf(name), wordsOf(word), wordsOf(use)))
    .map(({ file, name }) => (file === name ? file : `${name} in ${file}`));
}

/** Returns whether the words are adjacent in the name, unless they belong to the preferred term ("in-flight calls"). */
function contains(name: readonly string[], words: readonly string[], use: readonly string[]): boolean {
  const isPermitted = (at: number) => {
    const inUse = use.indexOf(words[0] ?? '');
    return inUse > 0 && name[at - 1] === use[inUse - 1];
  };
  return name.some((_, at) => words.every((word, i) => isForm(name[at + i], word)) && !isPermitted(at));
}

function isForm(found: string | undefined, word: string): boolean {
  return found === word || found === `${word}s` || found === `${word}es`;
}

/** Splits names such as `openTurnDesign`, `turn_design` and `TURN_DESIGN` into lower-case words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

function namesOf(files: readonly string[]): Name[] {
  return files.flatMap((file) => [{ file, name: file }, ...exportsOf(file).map((name) => ({ file, name }))]);
}

function exportsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const declared = text.matchAll(
    /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:class|const|enum|function\*?|interface|let|type)\s+(\w+)/gm,
  );
  const listed = text.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm);
  return [
    ...[...declared].map(([, name = '']) => name),
    ...[...listed].flatMap(([, list = '']) =>
      list.split(',').map((one) => one.trim().split(/\s+/).at(-1) ?? ''),
    ),
  ].filter((name) => name !== '');
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** A file in src/warehouse has its table's name, and table names never change. */
function readTableWords(): Set<string> {
  const tables = [...SCHEMA.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table = '']) => table);
  return new Set(tables.flatMap(wordsOf));
}

function readDeprecated(): Deprecated[] {
  return readFileSync(join(root, 'test/deprecated_words.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, words = '', use = '', folders = ''] = line.split('|').map((cell) => cell.trim());
      return inBackticks(words).map((word) => ({ word, use, folders: inBackticks(folders) }));
    });
}

function inBackticks(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}
