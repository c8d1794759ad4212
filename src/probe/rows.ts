import { pointersIn, type TextPath, textAt, withPointers } from '../dialect/body_values.ts';
import type { Pointer, StatedDialect } from '../dialect/dialect.ts';
import { namesOfUnnamed } from '../dialect/evidence/judgements.ts';
import { companyIn, elementsAt, keyedResults, resultsIn } from '../dialect/search_results.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../json/json.ts';
import { onlyValueAt, parsedText, pointerOf, segmentsOf, valueAt } from '../json/pointer.ts';
import { mayFind } from '../names/loose_matching.ts';
import { attributeIn, isNumber, leavesOf, listsIn, objectsIn, rowLeaves, selectorsIn } from './bodies.ts';
import type { ProbeExchange } from './exchange.ts';
import { idKeyOf, isRecordLink } from './record_path.ts';
import { inOrderOfName, isGivenName, isPartOfName, wholeName } from './whole_name.ts';
import {
  ELEMENT_WORDS,
  ID_WORDS,
  NAME_WORDS,
  NOT_ID_WORDS,
  NOT_NAME_WORDS,
  PERSON_NAME_WORDS,
  pointerScore,
  wordsOfKey,
} from './words.ts';

/** Hypotheses about the list of results, the id and the name in a row. */

/** A path that may lead to the wanted value. */
export interface PathCandidate {
  readonly pointer: TextPath;
  readonly score: number;
}

/** The list of rows in search responses, with candidate paths for the id and the name. */
export interface ResultList {
  readonly results: Pointer;
  /** Whether the list has bare ids. Each of them is a row with the key `value`. */
  readonly hasBareIds: boolean;
  /** All distinct rows that the searches have returned so far. */
  readonly rows: readonly JsonObject[];
  /** The candidates, most likely first. Their paths are relative to a row. */
  readonly ids: readonly PathCandidate[];
  readonly names: readonly PathCandidate[];
}

/**
 * Finds the list of results in the successful searches, or null if no search had rows. Rows have ids and names and
 * change with the query. A list that is the same for every query holds facets, columns or links. If there are no rows, a
 * body's only list can have the ids of the companies.
 */
export function findResultList(
  searches: readonly ProbeExchange[],
  recordPath: string | null,
  given: StatedDialect['search'] = {},
): ResultList | null {
  const lists = new Map<Pointer, { score: number; contents: Set<string> }>();
  for (const { json } of searches)
    if (json !== undefined)
      for (const { pointer, list } of [
        ...listsIn(json),
        ...keyedListsIn(json),
        ...groupedListsIn(json, recordPath),
        ...onlyResultIn(json, recordPath),
      ]) {
        const known = lists.get(pointer) ?? { score: 0, contents: new Set() };
        known.score = Math.max(known.score, companyScore(list, recordPath));
        known.contents.add(`${list.length} ${JSON.stringify(list.slice(0, 20), numbersAsText)}`);
        lists.set(pointer, known);
      }
  for (const search of searches)
    for (const [pointer, { contents }] of lists)
      if (search.json !== undefined && rowsAt(search, pointer).length === 0) contents.add('[]');
  const isVarying = [...lists.values()].some(({ contents, score }) => contents.size > 1 && score > 0);
  const [best] = [...lists]
    .filter(([, { score, contents }]) => score > 0 && (!isVarying || contents.size > 1))
    .sort((a, b) => b[1].score - a[1].score);
  const results = given.results ?? best?.[0] ?? findIdList(searches);
  if (results === null) return null;
  const rowsBySearch = searches.map((search) => rowsAt(search, results));
  const rows = [
    ...new Map(rowsBySearch.flat().map((row) => [JSON.stringify(row, numbersAsText), row])).values(),
  ];
  const longest = rowsBySearch.reduce((most, some) => (some.length > most.length ? some : most), []);
  if (rows.length === 0) return null;
  const hasBareIds = given.results === undefined ? best === undefined : rows.every(isBareId);
  const only = (path: TextPath): PathCandidate[] => [
    { pointer: pathInRows(rows, path, given.item), score: CERTAIN },
  ];
  const names = given.name ? only(given.name) : hasBareIds || given.name === null ? [] : nameCandidates(rows);
  const ids =
    given.id === undefined ? idCandidates(longest, names[0]?.pointer ?? null, recordPath) : only(given.id);
  return { results, hasBareIds, rows, ids, names };
}

/**
 * Returns the path in a row for a path that the user has set. It is relative to the company in the row, so the path in
 * the row may only end with it.
 */
function pathInRows(rows: readonly JsonObject[], path: TextPath, item: Pointer | undefined): TextPath {
  const inItem = withPointers(path, (pointer) => (item ?? '') + pointer);
  if (item !== undefined || rows.some((row) => textAt(row, inItem) !== null)) return inItem;
  return withPointers(path, (pointer) => {
    const longer = rows.flatMap(leavesOf).filter((leaf) => leaf.pointer.endsWith(pointer));
    return longer.sort((a, b) => a.pointer.length - b.pointer.length)[0]?.pointer ?? pointer;
  });
}

const isBareId = (row: JsonObject): boolean => Object.keys(row).join() === 'value';

/** More than the score of any other candidate. */
const CERTAIN = 1000;

function findIdList(searches: readonly ProbeExchange[]): Pointer | null {
  const only = searches.flatMap(({ json }) => {
    const lists = json === undefined ? [] : listsIn(json);
    return lists.length === 1 ? lists : [];
  });
  const isOfIds = (list: readonly Json[]) =>
    list.length >= MIN_BARE_IDS &&
    new Set(list).size === list.length &&
    list.every((value) => isIdLike(value) && !/\s/.test(String(value)));
  return only.find(({ list }) => isOfIds(list))?.pointer ?? null;
}

/** A shorter list of texts or numbers may be a detail of an error. */
const MIN_BARE_IDS = 3;

/**
 * Returns the objects that have a result for each id or position. They contain at least two objects, each with its own key
 * in it, or several objects with a key in common.
 */
function keyedListsIn(json: Json): { readonly pointer: Pointer; readonly list: readonly JsonObject[] }[] {
  return objectsIn(json).flatMap(({ pointer, object }) => {
    const elements = keyedResults(object);
    const list = elements.map(({ item }) => item).filter(isJsonObject);
    if (list.length < Math.max(2, elements.length)) return [];
    const hasOwnKeys = elements.every(({ item, key }) => isJsonObject(item) && hasText(item, key));
    const isSimilar =
      list.length >= MIN_KEYED &&
      Object.keys(list[0] ?? {}).some((key) => list.every((value) => Object.hasOwn(value, key)));
    return hasOwnKeys || isSimilar ? [{ pointer: `${pointer}/{id}`, list: rowsIn(elements) }] : [];
  });
}

/** Fewer objects with a key in common may be parts of one thing, such as addresses. */
const MIN_KEYED = 5;

/**
 * Returns the lists inside the elements of other lists, joined. The elements of `{"groups": [{"entries": [{…}]}]}` are
 * at `groups`, `*`, `entries`. An element with an id is a result, so the lists in it are details.
 */
function groupedListsIn(json: Json, recordPath: string | null): ReturnType<typeof listsIn> {
  return listsIn(json).flatMap(({ pointer, list }) => {
    const [id] = idCandidates(list.filter(isJsonObject), null, recordPath);
    if (id !== undefined && id.score > 0) return [];
    const inner = list.flatMap((element) => [...listsIn(element), ...groupedListsIn(element, recordPath)]);
    const joined = Map.groupBy(inner, (one) => `${pointer}/*${one.pointer}`);
    return [...joined].map(([path, some]) => ({ pointer: path, list: some.flatMap((one) => one.list) }));
  });
}

/** Returns the body if it is the best match itself: it has a name, and the id that the record's path asks for. */
function onlyResultIn(json: Json, recordPath: string | null): ReturnType<typeof listsIn> {
  const id = isNamed(json) ? json[idKeyOf(recordPath ?? '') ?? ''] : undefined;
  return id !== undefined && isIdLike(id) ? [{ pointer: '', list: [json] }] : [];
}

const isNamed = (json: Json | undefined): json is JsonObject =>
  isJsonObject(json) &&
  Object.entries(json).some(([key, value]) => typeof value === 'string' && isNameKey(pointerOf([key])));

/** Returns a response's rows, or [] if it has no list at `results`. */
export function rowsAt({ json }: ProbeExchange, results: Pointer): JsonObject[] {
  if (results === '' && isNamed(json)) return [json];
  return rowsIn(elementsAt(resultsIn(json, results), results) ?? []);
}

/** Returns results as objects. A key in an object of results that is no position and not in the row is added as `{id}`. */
function rowsIn(elements: readonly { readonly item: Json; readonly key: string | null }[]): JsonObject[] {
  const isNumbered = elements.every(
    ({ key }, at) => key === null || key === String(at) || key === `${at + 1}`,
  );
  return elements.flatMap(({ item, key }) => {
    const row = companyIn({ item: '' }, item);
    if (!isJsonObject(row)) return [];
    return [key === null || isNumbered || hasText(row, key) ? row : { ...row, '{id}': key }];
  });
}

const hasText = (row: JsonObject, text: string): boolean =>
  leavesOf(row).some(({ value }) => scalarText(value) === text);

/**
 * Scores how much a list looks like a list of companies, with 0 for any other list. Long lists of elements with many
 * fields, ids and names score best.
 */
function companyScore(list: readonly Json[], recordPath: string | null): number {
  const rows = rowsIn(list.map((item) => ({ item, key: null }))).filter((row) => !isBareId(row));
  if (rows.length === 0 || rows.length < list.length) return 0;
  const fields = rows.slice(0, 20).reduce((sum, row) => sum + Math.min(leavesOf(row).length, 10), 0);
  const [bestName] = nameCandidates(rows);
  const name = bestName?.score ?? 0;
  const id = idCandidates(rows, bestName?.pointer ?? null, recordPath)[0]?.score ?? 0;
  if (name <= 0 && id <= 0) return 0;
  return Math.sqrt(rows.length) * (fields / Math.min(rows.length, 20) + Math.max(0, name) + Math.max(0, id));
}

function numbersAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

/**
 * Returns the paths to values in the rows that may be the company's name, most likely first: texts that differ from row
 * to row, under keys that mean a name.
 */
export function nameCandidates(all: readonly JsonObject[]): PathCandidate[] {
  const rows = all.slice(0, MAX_ROWS);
  const { values: byPath, ranks } = valuesByPath(rows);
  return ranked(byPath, (pointer, values) => {
    const texts = values.filter((value) => typeof value === 'string');
    const share = texts.filter(isNameLike).length / rows.length;
    const words = pointerScore(keysOf(pointer), NAME_WORDS, NOT_NAME_WORDS);
    // Companies and persons can have their names in different fields.
    if (share < (isNameKey(pointer) ? MIN_NAMED : MIN_SHARE)) return null;
    const spaced = texts.filter((text) => /\s/.test(text.trim())).length / rows.length;
    // Many persons have the same family name.
    const whole = words > 0 && !isInList(pointer) ? wholeName(rows, pointer) : pointer;
    const compared =
      whole === pointer ? texts : rows.map((row) => textAt(row, whole) ?? textAt(row, pointer));
    const distinct = new Set(compared).size / compared.length;
    // A name varies. Equal texts in several rows are a constant, a kind or a place.
    if (rows.length >= 4 && distinct < 0.5) return null;
    const isCode = texts.every((text) => /^\S*\d\S*$/.test(text)) ? -15 : 0;
    // Addresses and descriptions have numbers.
    const isNumbered = texts.filter((text) => /\d/.test(text)).length > texts.length * 0.6 ? -4 : 0;
    const isFlag = texts.every((text) => /^\S{1,3}$/.test(text)) ? -6 : 0;
    const rank = ranks.get(pointer) ?? 3;
    return (
      words +
      4 * share +
      3 * spaced +
      2 * distinct +
      isCode +
      isNumbered +
      isFlag +
      // A field of the company itself comes before one of a part or a translation.
      (isInList(pointer) ? -1 : 0) +
      (Math.min(rank, 3) - 3) / 3
    );
  });
}

/** Returns whether a key means a name. */
export function isNameKey(pointer: Pointer): boolean {
  return pointerScore(keysOf(pointer).slice(-1), NAME_WORDS, NOT_NAME_WORDS) > 0;
}

/** Returns whether a value is in the same object as an id. Another object can be another entity, such as an owner. */
export function isBesideId(pointer: Pointer, ids: readonly PathCandidate[]): boolean {
  return ids.some((id) => pointersIn(id.pointer).some((path) => parentOf(path) === parentOf(pointer)));
}

/**
 * Returns where the name is in rows that have none at `name`. Each element is one fallback, which can have several paths
 * to the parts of a name.
 *
 * - In a list of names that have all ended, the name is the most recent one.
 * - Paths that differ only in a language, such as `/denomination/fr` and `/denomination/nl`, are the name in other
 *   languages.
 * - Otherwise, rows without a name have it in other fields (see `namesElsewhere`).
 */
export function nameFallbacks(
  rows: readonly JsonObject[],
  name: Pointer,
  pages: readonly { readonly query: string | null; readonly rows: readonly JsonObject[] }[],
): readonly (readonly Pointer[])[] {
  const own = [...endedNames(rows, name), ...translationsOf(rows, name)];
  const parts = namesElsewhere(rows, [name, ...own], pages);
  return [...own.map((pointer) => [pointer]), ...(parts.length === 0 ? [] : [parts])];
}

function endedNames(rows: readonly JsonObject[], name: Pointer): Pointer[] {
  const selector = selectorsIn(rows).find(({ pointer }) => name.startsWith(`${pointer}/`));
  return selector?.ended === undefined ? [] : [selector.ended + name.slice(selector.pointer.length)];
}

/**
 * Returns the paths to the name in other languages, the most frequent one first. If the name is in an object of
 * languages, the last path is to its first text, because other rows can have other languages.
 */
function translationsOf(rows: readonly JsonObject[], name: Pointer): Pointer[] {
  const translations = [...valuesByPath(rows).values]
    .filter(([pointer, values]) => isTranslation(pointer, name) && values.some(isNameText))
    .sort(([, one], [, other]) => other.filter(isNameText).length - one.filter(isNameText).length)
    .map(([pointer]) => pointer);
  const parent = parentOf(name);
  const keys = rows.flatMap((row) => {
    const holder = valueAt(row, parent);
    return isJsonObject(holder) ? Object.keys(holder) : [];
  });
  const isMap = parent !== '' && [...keys, ...segmentsOf(name).slice(-1)].every(isLanguage);
  return isMap ? [...translations, `${parent}/*`] : translations;
}

/**
 * Returns the fields in which rows without a name have it. Their keys mean a name, or only these rows have them and their
 * texts match all queries. Rows without a name may be persons. The parts of a person's name are next to each other.
 * If all rows have these fields and none is a part of a name, the first one is the name.
 */
function namesElsewhere(
  rows: readonly JsonObject[],
  names: readonly Pointer[],
  pages: readonly { readonly query: string | null; readonly rows: readonly JsonObject[] }[],
): Pointer[] {
  const [name = ''] = names;
  const isUnnamed = (row: JsonObject) => names.every((path) => (textAt(row, path) ?? '').trim() === '');
  const unnamed = rows.filter(isUnnamed);
  if (unnamed.length < MIN_UNNAMED) return [];
  const named = rows.filter((row) => !isUnnamed(row));
  const others = valuesBeside(named, parentOf(name));
  const textsOf = (row: JsonObject) =>
    new Map(leavesOf(row).map(({ pointer, value }) => [pointer, scalarText(value) ?? '']));
  const foundRows = pages.flatMap(({ query, rows: listed }) =>
    query !== null && /\p{L}{2}/u.test(query)
      ? listed.filter(isUnnamed).map((row) => ({ query, texts: textsOf(row) }))
      : [],
  );
  const matching = foundRows.length < MIN_UNNAMED ? [] : namesOfUnnamed(foundRows, named.map(textsOf));
  const found = [...valuesBeside(unnamed, parentOf(name))].flatMap(([pointer, values]) => {
    const shared = others.get(pointer) ?? others.get(pointer.replace(/\/0$/, '')) ?? [];
    const isShared = shared.some((value) => value !== null && value !== '');
    const texts = values.filter((value) => typeof value === 'string').filter(isNameLike);
    // All rows of a query can have the same family name, which is the query.
    const isQueried = foundRows.some(({ query, texts: own }) => mayFind(query, own.get(pointer) ?? ''));
    const isConstant = new Set(texts).size < 2;
    if (texts.length < unnamed.length * MIN_SHARE || (isConstant && !isQueried)) return [];
    const own = keysOf(pointer)
      .slice(-1)
      .map((key) => key.replace(/\d/g, ''));
    const isOfPerson = isPartOfName(own[0] ?? '');
    const all = [...texts, ...(others.get(pointer) ?? []).filter(isNameText)];
    const isVaried =
      !isConstant && (all.length < MIN_VARYING || new Set(all).size >= all.length * MIN_VARIETY);
    const isName = pointerScore(own, PERSON_NAME_WORDS, NOT_NAME_WORDS) > 0;
    return isName || matching.includes(pointer)
      ? [{ pointer, isPart: !isShared || isOfPerson, isOfPerson, isVaried }]
      : [];
  });
  // Many persons have the same first or last name. Without the other part, few different texts are a kind or a place.
  const ofPerson = found.filter(
    ({ isOfPerson, pointer }) =>
      isOfPerson ||
      found.some((one) => isGivenName(one.pointer) && parentOf(one.pointer) === parentOf(pointer)),
  );
  const hasParts = ofPerson.length > 1;
  const varied = found.filter((one) => one.isVaried || (hasParts && ofPerson.includes(one)));
  const parts = varied.filter(({ isPart }) => isPart);
  const chosen = (parts.length > 0 ? parts : varied.slice(0, 1)).map(({ pointer }) => pointer);
  const [first = ''] = chosen;
  const near = chosen.filter(
    (pointer) => parentOf(pointer) === parentOf(first) || name.startsWith(`${parentOf(pointer)}/`),
  );
  const isRepeated = (pointer: Pointer, at: number) =>
    near.slice(0, at).some((earlier) => areMostlyEqual(unnamed, earlier, pointer));
  const whole = near.filter((pointer, at) => !isRepeated(pointer, at));
  return whole.every(isGivenName) ? [] : inOrderOfName(whole);
}

/** Returns whether two fields have the same text in most rows that have both, such as a first name and a usual name. */
function areMostlyEqual(rows: readonly JsonObject[], one: Pointer, other: Pointer): boolean {
  const both = rows.flatMap((row) => {
    const texts = [one, other].map((path) => textAt(row, path)?.trim() ?? '');
    return texts.includes('') ? [] : [texts];
  });
  return both.filter(([text, again]) => text === again).length > both.length / 2;
}

/** Returns the path of the object that has the value, or the list of the value. */
const parentOf = (pointer: Pointer): Pointer => pointer.replace(/\/[^/]*(\/0)?$/, '');

/** Returns the values in rows that are not in a list, those in the list element with the name, and each list's first. */
function valuesBeside(rows: readonly JsonObject[], parent: Pointer): ReadonlyMap<Pointer, Json[]> {
  const selectors = isInList(parent) ? [{ pointer: parent, rank: 0 }] : [];
  const leaves = rows.flatMap((row) => [
    ...rowLeaves(row, selectors),
    ...listsIn(row).flatMap(({ pointer, list: [value = null, ...others] }) =>
      others.length === 0 ? [] : [{ pointer: `${pointer}/0`, value }],
    ),
  ]);
  const byPath = Map.groupBy(leaves, ({ pointer }) => pointer);
  return new Map([...byPath].map(([pointer, some]) => [pointer, some.map(({ value }) => value)]));
}

function isNameText(value: unknown): boolean {
  return typeof value === 'string' && isNameLike(value);
}

/**
 * Returns whether two paths differ only in one word that is a language, such as `/name_fi` and `/nameEnglish`. One of
 * them can be a list: `/namesEnglish`.
 */
function isTranslation(pointer: Pointer, name: Pointer): boolean {
  const [words, others] = [pointer, name].map((path) => segmentsOf(path).flatMap(wordsOfKey));
  if (words === undefined || words.length !== others?.length) return false;
  const isSame = (word: string, other: string) => word.replace(/s$/, '') === other.replace(/s$/, '');
  const differing = words.flatMap((word, at) =>
    isSame(word, others[at] ?? '') ? [] : [[word, others[at] ?? '']],
  );
  return differing.length === 1 && differing.flat().every(isLanguage);
}

/** Returns whether a text is a language: a code, such as `fr` or `zh-Hans`, or an English name, such as `French`. */
function isLanguage(text: string): boolean {
  const [language = ''] = text.toLowerCase().split(/[-_]/);
  return (
    languageNames().has(language) || (/^[a-z]{2,3}$/.test(language) && LANGUAGES.of(language) !== undefined)
  );
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
let englishNames: ReadonlySet<string> | null = null;

/** Returns the English names of the languages with a code of two letters. Reading them takes 30 ms. */
function languageNames(): ReadonlySet<string> {
  const codes = () => LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
  englishNames ??= new Set(codes().flatMap((code) => LANGUAGES.of(code)?.toLowerCase() ?? []));
  return englishNames;
}

const MIN_UNNAMED = 2;
const MIN_VARYING = 8;
const MIN_VARIETY = 0.3;

const MIN_SHARE = 0.7;
const MIN_NAMED = 0.3;

const NEARLY_ALL = 0.9;

/** Returns the keys in a pointer, without positions and conditions. An attribute's name is the key of its value. */
export function keysOf(pointer: Pointer): string[] {
  return segmentsOf(pointer).flatMap((segment, at, all) => {
    if (attributeIn(all[at - 1]) !== null || isPosition(segment)) return [];
    return [attributeIn(segment) ?? segment];
  });
}

const isPosition = (segment: string): boolean =>
  /^(\d+|\[.*\])$/.test(segment) && attributeIn(segment) === null;

/**
 * Returns the paths to values that may be the entity id, most likely first. The values at such a path differ from row
 * to row, except in rows with the same name, because those can be several results for one company. The key
 * in the record's path, such as `businessId` in `/companies?businessId={id}`, names the id, and a URL that fits the path
 * contains it.
 */
export function idCandidates(
  all: readonly JsonObject[],
  name: Pointer | null,
  recordPath: string | null,
): PathCandidate[] {
  const rows = all.slice(0, MAX_ROWS);
  const tails = rows.map(urlTails);
  const { values: byPath } = valuesByPath(rows);
  // A parameter for several ids can take one.
  const nameOf = (key: string) => wordsOfKey(key).join('').replace(/s$/, '');
  const wanted = nameOf(idKeyOf(recordPath ?? '') ?? '');
  const takesPart = /\{id:(last|path)\}/.test(recordPath ?? '');
  const isLink = (value: Json) =>
    typeof value === 'string' && (takesPart ? isUrlText(value) : isRecordLink(recordPath ?? '', value));
  const candidates = ranked(byPath, (pointer) => {
    // An id inside a list belongs to a part of the company.
    if (isInList(pointer)) return null;
    const own = rows.flatMap((row, at) => {
      const value = onlyValueAt(row, pointer);
      return value == null || value === '' ? [] : [{ value, row, tails: tails[at] }];
    });
    const values = own.map(({ value }) => value);
    const keys = keysOf(pointer);
    // The only id of some APIs is the link to the record: `/_links/self/href`.
    const isKey = wordsOfKey(keys.at(-1) ?? '').join('') === 'id' || keys.includes('self');
    if (
      values.length < rows.length * NEARLY_ALL ||
      !values.every((value) => isIdLike(value) || (isKey && isUrlText(value)) || isLink(value))
    )
      return null;
    const texts = values.map(String);
    const isNamed = wanted !== '' && keys.some((key) => nameOf(key) === wanted);
    const named = own.map(({ row }) => row);
    const share = distinctShare(texts, named, name === pointer ? null : name);
    if (share < MIN_DISTINCT) return null;
    // Opening the record shows whether a value that counts from 1 is only the position of the row.
    const isPosition = isCounting(values) && !isKey ? -6 : 0;
    // Companies without an id have no record.
    const isSparse = values.length < rows.length || share < 1 ? -4 : 0;
    const linked = own.every((one) => one.tails?.has(String(one.value))) ? 6 : 0;
    const isUrl = texts.some((text) => /^https?:/.test(text)) ? -4 : 0;
    const ofRecord = values.every(isLink) ? 6 : 0;
    return idWordScore(pointer) + linked + (isNamed ? 20 : 0) + isUrl + ofRecord + isPosition + isSparse;
  });
  const composite = compositeCandidates(byPath, rows, tails, /\{id:(path|1)\}/.test(recordPath ?? ''));
  return [...candidates, ...composite].sort((a, b) => b.score - a.score);
}

function idWordScore(pointer: Pointer): number {
  const keys = keysOf(pointer);
  return pointerScore(keys, ID_WORDS, NOT_ID_WORDS) - (keys.length - 1) / 2;
}

export function isInList(pointer: Pointer): boolean {
  return segmentsOf(pointer).some(isPosition);
}

/**
 * Returns the ids that consist of two values, such as a jurisdiction and a number: both end the URL of the company in
 * every row, the number alone has the same value in several rows, or the record's path has several parts of the id.
 */
function compositeCandidates(
  byPath: ReadonlyMap<Pointer, Json[]>,
  rows: readonly JsonObject[],
  tails: readonly ReadonlySet<string>[],
  hasParts: boolean,
): PathCandidate[] {
  const whole = [...byPath].filter(
    ([pointer, values]) => !isInList(pointer) && values.length === rows.length && values.every(isIdLike),
  );
  // The second part is a short code or, if the record's path has several parts, also a small number.
  const isCode = (value: Json) =>
    /^[a-z]{1,2}([_-]\w{2,4})?$/i.test(String(value)) || (hasParts && /^\d{1,2}$/.test(String(value)));
  const codes = whole.filter(([, values]) => values.every(isCode));
  return whole.flatMap(([number, values]) =>
    codes.flatMap(([code]): PathCandidate[] => {
      if (code === number || idWordScore(number) <= 0) return [];
      const pairs = [`{${code}}/{${number}}`, ...(hasParts ? [`{${number}}/{${code}}`] : [])];
      return pairs.flatMap((pointer) => {
        const texts = rows.map((row) => textAt(row, pointer) ?? '');
        const isLinked = texts.every((text, index) => tails[index]?.has(text));
        const isRepeated = new Set(values.map(String)).size < rows.length;
        const isNeeded = hasParts || isRepeated;
        if (new Set(texts).size < rows.length || !(isLinked || isNeeded)) return [];
        return [
          { pointer, score: idWordScore(number) + (isLinked ? 7 : hasParts ? (isRepeated ? 8 : 3) : -1) },
        ];
      });
    }),
  );
}

/**
 * Returns the number of different values, divided by the number of different pairs of a value and a name. The result is
 * 1 if every value has one name. It is 0 if all values are equal, or if many names are.
 */
function distinctShare(texts: readonly string[], rows: readonly JsonObject[], name: Pointer | null): number {
  const distinct = new Set(texts).size;
  if (distinct === texts.length) return 1;
  if (name === null || distinct < 2) return 0;
  const pairs = texts.map((text, index) => JSON.stringify([text, textAt(rows[index], name)]));
  const names = rows.map((row) => textAt(row, name));
  // Different companies can have the same name.
  return new Set(names).size < distinct * 0.8 ? 0 : distinct / new Set(pairs).size;
}

/** Values with more names each are kinds or places. */
const MIN_DISTINCT = 0.7;

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
      const holder = parsedText(valueAt(document, here));
      // A list of attributes is no company.
      if (!isJsonObject(holder) || Array.isArray(holder[shared[depth] ?? ''])) return false;
      return Object.keys(holder).every(
        (key) => key === shared[depth] || isWrapping(key, holder[key] as Json),
      );
    });
    if (!isWrapper) break;
    depth++;
  }
  // A text that is JSON is a document of its own.
  const isText = (_: string, at: number) =>
    documents.every((document) => typeof valueAt(document, pointerOf(shared.slice(0, at + 1))) === 'string');
  return pointerOf(shared.slice(0, Math.max(depth, shared.findIndex(isText) + 1)));
}

/** Returns the path to the company inside a row, given the paths to its id and name. */
export function itemOf(rows: readonly JsonObject[], id: TextPath, name: Pointer | null): Pointer {
  return innermost(rows, [...pointersIn(id), ...(name === null ? [] : [name])], isBesideCompany);
}

function isBesideCompany(key: string, value: Json): boolean {
  const isFlat = !isJsonObject(value) || Object.values(value).every((inner) => !isJsonObject(inner));
  return isFlat && wordsOfKey(key).every((word) => ELEMENT_WORDS.has(word));
}

/** Returns a path relative to a parent: `/a/b/c` relative to `/a` is `/b/c`. */
export function relativeTo(root: Pointer, path: TextPath): TextPath {
  return withPointers(path, (pointer) => pointer.slice(root.length));
}

function valuesByPath(rows: readonly JsonObject[]) {
  const values = new Map<Pointer, Json[]>();
  const selectors = selectorsIn(rows);
  for (const row of rows)
    for (const { pointer, value } of rowLeaves(row, selectors)) {
      const known = values.get(pointer);
      if (known === undefined) values.set(pointer, [value]);
      else known.push(value);
    }
  const ranks = new Map<Pointer, number>();
  for (const pointer of values.keys())
    for (const selector of selectors)
      if (pointer.startsWith(`${selector.pointer}/`)) ranks.set(pointer, selector.rank);
  return { values, ranks };
}

const MAX_ROWS = 60;

function ranked(
  byPath: ReadonlyMap<Pointer, Json[]>,
  scoreOf: (pointer: Pointer, values: readonly Json[]) => number | null,
): PathCandidate[] {
  return [...byPath]
    .flatMap(([pointer, values]) => {
      const score = scoreOf(pointer, values);
      return score === null ? [] : [{ pointer, score }];
    })
    .sort((a, b) => b.score - a.score);
}

function isNameLike(text: string): boolean {
  return (
    text.length >= 2 &&
    text.length <= 400 &&
    /\p{L}/u.test(text) &&
    !/^\d{4}-\d\d-\d\d/.test(text) &&
    !/^(https?:\/\/|\/)\S*$/.test(text) &&
    !/^[\w.-]+@[\w.-]+$/.test(text)
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

/** Returns whether a value is a URL, which some APIs use as the id. */
function isUrlText(value: Json): boolean {
  return typeof value === 'string' && /^https?:\/\/\S{4,110}$/.test(value);
}

/** Returns whether the values only number the rows: 0, 1, 2, … or 1, 2, 3, … */
function isCounting(values: readonly Json[]): boolean {
  const first = values[0];
  if (values.length < 3 || (first !== 0 && first !== 1)) return false;
  return values.every((value, index) => value === first + index);
}

/** Returns the last one and two path segments of the URLs in a row. For example, `/company/00185647` ends with the id. */
function urlTails(row: JsonObject): Set<string> {
  return new Set(
    leavesOf(row).flatMap(({ value }) => {
      if (typeof value !== 'string' || !/^(https?:\/\/|\/)\S+\/[^/]+$/.test(value)) return [];
      const segments = (value.split(/[?#]/)[0] ?? '').split('/').map(decoded);
      return [segments.at(-1) ?? '', segments.slice(-2).join('/')];
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
