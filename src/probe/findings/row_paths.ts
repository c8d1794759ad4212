import type { Pointer } from '../../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../../json/json.ts';
import { pointerOf, segmentsOf, valueAt } from '../../json/pointer.ts';
import type { Candidate, KnownName, RecordPaths, ResultList } from '../conclusions.ts';
import { type Finding, likely, open, sure } from '../evidence.ts';
import { currentLeavesOf, isNumber, leavesOf, wordsOfKey } from '../json_leaves.ts';
import { ID_WORDS, NAME_WORDS, NOT_ID_WORDS, NOT_NAME_WORDS } from '../word_lists.ts';

/** Finds the path to the id in an item. `opened` is a record that was fetched with the id at that path, if any. */
export function findId(
  pointer: Pointer,
  opened: Finding<RecordPaths | null> | null,
  { ids }: ResultList,
): Finding<Pointer> {
  if (opened?.certainty === 'sure') return sure(pointer, 'a value at this path fetched its record');
  if (opened !== null)
    return likely(pointer, 'a value at this path fetched a record, but the record has no name to compare');
  const others = ids.slice(1, 3).map((candidate) => candidate.pointer);
  const rivals = others.length > 0 ? `, as at ${others.join(' and ')}` : '';
  return likely(pointer, `its values differ from row to row${rivals}`);
}

/** Finds the path to the name in an item. A fetched record with the same name confirms the path. */
export function findName(
  pointer: Pointer | null,
  record: Finding<RecordPaths | null>,
): Finding<Pointer | null> {
  if (pointer === null) return open(null, 'no value in the rows looks like a name');
  return record.value?.name == null
    ? likely(pointer, 'it looks like a name')
    : sure(pointer, 'the record has the same name');
}

/** Returns the id and the name from each row that has both. */
export function knownNames({ rows }: ResultList, id: Pointer, name: Pointer | null): KnownName[] {
  return rows.flatMap((row) => {
    const idText = scalarText(valueAt(row, id));
    const nameText = name === null ? null : scalarText(valueAt(row, name));
    return idText === null || nameText === null ? [] : [{ id: idText, name: nameText }];
  });
}

/** Returns the paths to values in the rows that may be the company's name, most likely first. */
export function nameCandidates(all: readonly JsonObject[]): Candidate[] {
  const rows = all.slice(0, MAX_ROWS);
  return ranked(valuesByPath(rows), (pointer, values) => {
    const texts = values.filter((value) => typeof value === 'string');
    const share = texts.filter(isNameLike).length / rows.length;
    if (share < 0.7) return null;
    const spaced = texts.filter((text) => /\s/.test(text.trim())).length / rows.length;
    const distinct = new Set(texts).size / texts.length;
    const repeats = rows.length >= 4 && distinct < 0.5 ? -8 : 0;
    return wordScore(pointer, NAME_WORDS, NOT_NAME_WORDS) + 4 * share + 3 * spaced + 2 * distinct + repeats;
  });
}

/**
 * Returns the paths to values that may be the entity id, most likely first. The values at such a path differ from row
 * to row, except in rows with the same name, because those can be several results for one company.
 */
export function idCandidates(all: readonly JsonObject[], name: Pointer | null): Candidate[] {
  const rows = all.slice(0, MAX_ROWS);
  const tails = rows.map(urlTails);
  const byPath = valuesByPath(rows);
  const candidates = ranked(byPath, (pointer, values) => {
    if (values.length < rows.length || !values.every(isIdLike)) return null;
    const texts = values.map((value) => scalarText(value) ?? '');
    if (!isDistinct(texts, rows, name === pointer ? null : name) || isCounting(values)) return null;
    const linked = texts.every((text, index) => tails[index]?.has(text)) ? 6 : 0;
    return idWordScore(pointer) + linked;
  });
  return [...candidates, ...splitCandidates(byPath, rows)].sort((a, b) => b.score - a.score);
}

function idWordScore(pointer: Pointer): number {
  return wordScore(pointer, ID_WORDS, NOT_ID_WORDS) - (segmentsOf(pointer).length - 1) / 2;
}

/**
 * Returns the pairs of paths such that every row has exactly one of the two, for example `/number` in most rows and
 * `/foreign_number` in the rest. The first path in a pair is the more frequent one.
 */
function splitCandidates(byPath: ReadonlyMap<Pointer, Json[]>, rows: readonly JsonObject[]): Candidate[] {
  const partial = [...byPath].filter(
    ([pointer, values]) => values.length < rows.length && values.every(isIdLike) && idWordScore(pointer) > 0,
  );
  return partial.flatMap(([pointer, values]) =>
    partial.flatMap(([fallback, others]): Candidate[] => {
      if (values.length + others.length !== rows.length || others.length > values.length) return [];
      const texts = rows.map((row) => {
        const both = [pointer, fallback].map((path) => scalarText(valueAt(row, path)));
        return both[0] === null ? both[1] : both[1] === null ? both[0] : null;
      });
      const isPair = !texts.includes(null) && new Set(texts).size === rows.length;
      return isPair ? [{ pointer, fallback, score: idWordScore(pointer) - 1 }] : [];
    }),
  );
}

// Different companies can have the same name.
const MIN_NAMES = 0.8;

/**
 * Returns whether the values differ from row to row, except in rows with the same name. At least two values must
 * differ.
 */
function isDistinct(texts: readonly string[], rows: readonly JsonObject[], name: Pointer | null): boolean {
  const distinct = new Set(texts).size;
  if (distinct === texts.length) return true;
  if (name === null || distinct < 2) return false;
  const pairs = texts.map((text, index) => JSON.stringify([text, scalarText(valueAt(rows[index], name))]));
  const names = rows.map((row) => scalarText(valueAt(row, name)));
  return new Set(pairs).size === distinct && new Set(names).size >= distinct * MIN_NAMES;
}

/**
 * Returns the deepest object that includes all `paths` and the whole company. Starting at the root, a level is skipped
 * only if `isWrapping` classifies all of its other keys as part of an envelope.
 */
export function innermost(
  documents: readonly Json[],
  paths: readonly Pointer[],
  isWrapping: (key: string, value: Json) => boolean,
): Pointer {
  const shared = sharedPath(paths.map((path) => segmentsOf(path).slice(0, -1)));
  let depth = 0;
  while (depth < shared.length) {
    const here = pointerOf(shared.slice(0, depth));
    const isWrapper = documents.every((document) => {
      const holder = valueAt(document, here);
      if (!isJsonObject(holder)) return false;
      return Object.keys(holder).every(
        (key) => key === shared[depth] || isWrapping(key, holder[key] as Json),
      );
    });
    if (!isWrapper) break;
    depth++;
  }
  return pointerOf(shared.slice(0, depth));
}

/** Returns a pointer relative to a parent: `/a/b/c` relative to `/a` is `/b/c`. */
export function relativeTo(root: Pointer, pointer: Pointer): Pointer {
  return pointer.slice(root.length);
}

function valuesByPath(rows: readonly JsonObject[]): Map<Pointer, Json[]> {
  const byPath = new Map<Pointer, Json[]>();
  for (const row of rows)
    for (const { pointer, value } of [...leavesOf(row), ...currentLeavesOf(row)]) {
      const values = byPath.get(pointer);
      if (values === undefined) byPath.set(pointer, [value]);
      else values.push(value);
    }
  return byPath;
}

const MAX_ROWS = 60;

function ranked(
  byPath: ReadonlyMap<Pointer, Json[]>,
  scoreOf: (pointer: Pointer, values: readonly Json[]) => number | null,
): Candidate[] {
  return [...byPath]
    .flatMap(([pointer, values]) => {
      const score = scoreOf(pointer, values);
      return score === null ? [] : [{ pointer, score }];
    })
    .sort((a, b) => b.score - a.score);
}

/**
 * Scores the words in a pointer. Words in the last key get their full score, and words in the keys above it get half.
 */
function wordScore(pointer: Pointer, good: ReadonlyMap<string, number>, bad: ReadonlySet<string>): number {
  const keys = segmentsOf(pointer);
  return keys.reduce((score, key, index) => {
    const words = wordsOfKey(key);
    const weight = index === keys.length - 1 ? 1 : 0.5;
    const best = Math.max(0, ...words.map((word) => good.get(word) ?? endingScore(word, good)));
    const alone = words.length === 1 && best > 0 ? 1 : 0;
    return score + weight * (best + alone - (words.some((word) => bad.has(word)) ? 9 : 0));
  }, 0);
}

/** Scores a word by its ending: `organisasjonsnummer` ends in `nummer`. */
function endingScore(word: string, good: ReadonlyMap<string, number>): number {
  for (const [ending, score] of good) if (ending.length >= 4 && word.endsWith(ending)) return score - 1;
  return 0;
}

function isNameLike(text: string): boolean {
  return (
    text.length >= 2 &&
    text.length <= 400 &&
    /\p{L}/u.test(text) &&
    !/^\d{4}-\d\d-\d\d/.test(text) &&
    !/^(https?:\/\/|\/)\S*$/.test(text) &&
    !/^[\w-]+@[\w.-]+$/.test(text)
  );
}

function isIdLike(value: Json): boolean {
  if (isNumber(value)) return Number.isInteger(Number(value));
  if (typeof value !== 'string') return false;
  return (
    value !== '' &&
    value.length <= 120 &&
    !/^\d{4}-\d\d-\d\d([T ]|$)/.test(value) &&
    !/^https?:\/\//.test(value) &&
    !/^(true|false|null)$/i.test(value)
  );
}

/** Returns whether the values only number the rows: 0, 1, 2, … or 1, 2, 3, … */
function isCounting(values: readonly Json[]): boolean {
  const first = values[0];
  if (values.length < 3 || (first !== 0 && first !== 1)) return false;
  return values.every((value, index) => value === first + index);
}

/** Returns the last path segments of the URLs in a row. For example, `/company/00185647` ends with the id. */
function urlTails(row: JsonObject): Set<string> {
  return new Set(
    leavesOf(row).flatMap(({ value }) => {
      if (typeof value !== 'string' || !/^(https?:\/\/|\/)\S+\/[^/]+$/.test(value)) return [];
      return [decoded(value.split(/[?#]/)[0]?.split('/').at(-1) ?? '')];
    }),
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function sharedPath(paths: readonly (readonly string[])[]): string[] {
  const [first = [], ...rest] = paths;
  const length = first.findIndex((key, index) => rest.some((path) => path[index] !== key));
  return first.slice(0, length === -1 ? first.length : length);
}
