import { scalarText } from '../dialect/decode.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { pointerOf, segmentsOf, valueAt } from '../json/pointer.ts';
import { isNumber, leavesOf, wordsOfKey } from './json_leaves.ts';
import { ID_WORDS, NAME_WORDS, NOT_ID_WORDS, NOT_NAME_WORDS } from './word_lists.ts';

/** A place inside of the rows of a list that may hold what is looked for; the likeliest first. */
export interface Candidate {
  readonly pointer: Pointer;
  readonly score: number;
}

/** Where the rows may hold a company's name. */
export function nameCandidates(all: readonly JsonObject[]): Candidate[] {
  const rows = all.slice(0, MOST_ROWS);
  return ranked(pathsIn(rows), (pointer, values) => {
    const texts = values.filter((value) => typeof value === 'string');
    const share = texts.filter(isNameLike).length / rows.length;
    if (share < 0.7) return null;
    const spaced = texts.filter((text) => /\s/.test(text.trim())).length / rows.length;
    const distinct = new Set(texts).size / texts.length;
    const repeats = rows.length >= 4 && distinct < 0.5 ? -8 : 0;
    return wordScore(pointer, NAME_WORDS, NOT_NAME_WORDS) + 4 * share + 3 * spaced + 2 * distinct + repeats;
  });
}

/** Where the rows of one list may hold the entity id: it differs from row to row. */
export function idCandidates(all: readonly JsonObject[]): Candidate[] {
  const rows = all.slice(0, MOST_ROWS);
  const tails = rows.map(urlTails);
  return ranked(pathsIn(rows), (pointer, values) => {
    if (values.length < rows.length || !values.every(isIdLike)) return null;
    const texts = values.map((value) => scalarText(value) ?? '');
    if (new Set(texts).size < texts.length || isCounting(values)) return null;
    const linked = texts.every((text, index) => tails[index]?.has(text)) ? 6 : 0;
    const depth = segmentsOf(pointer).length - 1;
    return wordScore(pointer, ID_WORDS, NOT_ID_WORDS) + linked - depth / 2;
  });
}

/**
 * The part of a row that is the company: as deep as id and name share it, and as long as nothing of the
 * company is left beside it.
 */
export function innermost(
  documents: readonly Json[],
  places: readonly Pointer[],
  isWrapping: (key: string, value: Json) => boolean,
): Pointer {
  const shared = sharedPath(places.map((place) => segmentsOf(place).slice(0, -1)));
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

/** `/a/b/c` seen from `/a` is `/b/c`. */
export function relativeTo(root: Pointer, place: Pointer): Pointer {
  return place.slice(root.length);
}

function pathsIn(rows: readonly JsonObject[]): Map<Pointer, Json[]> {
  const places = new Map<Pointer, Json[]>();
  for (const row of rows)
    for (const { pointer, value } of leavesOf(row)) {
      const values = places.get(pointer);
      if (values === undefined) places.set(pointer, [value]);
      else values.push(value);
    }
  return places;
}

const MOST_ROWS = 60;

function ranked(
  places: ReadonlyMap<Pointer, Json[]>,
  scoreOf: (pointer: Pointer, values: readonly Json[]) => number | null,
): Candidate[] {
  return [...places]
    .flatMap(([pointer, values]) => {
      const score = scoreOf(pointer, values);
      return score === null ? [] : [{ pointer, score }];
    })
    .sort((a, b) => b.score - a.score);
}

/** The last key counts whole, what leads to it half. */
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

/** `organisasjonsnummer` ends in a word that counts. */
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

/** 0, 1, 2, … or 1, 2, 3, …: a position in the list. */
function isCounting(values: readonly Json[]): boolean {
  const first = values[0];
  if (values.length < 3 || (first !== 0 && first !== 1)) return false;
  return values.every((value, index) => value === first + index);
}

/** The last segments of the addresses in a row: `/company/00185647` names its id. */
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
