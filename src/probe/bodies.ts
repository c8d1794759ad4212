import type { Pointer } from '../dialect/dialect.ts';
import { ExactNumber, isJsonObject, type Json, type JsonObject, scalarText } from '../json/json.ts';
import { parsedText, pointerOf, valueAt } from '../json/pointer.ts';
import { END_WORDS, SELECTOR_WORDS, wordsOfKey } from './words.ts';

/** The values in a body and their JSON paths, from which the generators make hypotheses. */

/** A scalar in a body and its JSON path. */
interface Leaf {
  readonly pointer: Pointer;
  readonly value: Json;
}

/**
 * Returns the scalars in a body that are not inside a list, except a tuple or a list with one element. It reads at most
 * 2,000 values and 16 levels.
 */
export function leavesOf(json: Json): Leaf[] {
  const leaves: Leaf[] = [];
  walk(json, (all, path) => {
    const value = Array.isArray(all) && all.length === 1 ? (all[0] as Json) : all;
    if (!Array.isArray(value) && !isJsonObject(value)) leaves.push({ pointer: pointerOf(path), value });
  });
  return leaves;
}

/** Returns the lists in a body that are not inside another list. */
export function listsIn(json: Json): { readonly pointer: Pointer; readonly list: readonly Json[] }[] {
  const lists: { pointer: Pointer; list: Json[] }[] = [];
  walk(json, (value, path) => {
    if (Array.isArray(value)) lists.push({ pointer: pointerOf(path), list: value });
  });
  return lists;
}

/** Returns the objects in a body that are not inside a list. */
export function objectsIn(json: Json): { readonly pointer: Pointer; readonly object: JsonObject }[] {
  const objects: { pointer: Pointer; object: JsonObject }[] = [];
  walk(json, (value, path) => {
    if (isJsonObject(value)) objects.push({ pointer: pointerOf(path), object: value });
  });
  return objects;
}

/** Returns all texts and numbers in a row, those in lists included. */
export function textsIn(json: Json): string[] {
  if (Array.isArray(json)) return json.flatMap(textsIn);
  if (isJsonObject(json)) return Object.keys(json).flatMap((key) => textsIn(json[key] as Json));
  return typeof json === 'boolean' ? [] : [scalarText(json) ?? ''];
}

/**
 * Returns the scalars in lists of links that name their relation. For `{"links": [{"rel": "next", "href": "…"}]}`, the
 * path is `/links/[rel=next]/href`.
 */
export function linkLeavesOf(json: Json): Leaf[] {
  return listsIn(json).flatMap(({ pointer, list }) =>
    list.filter(isJsonObject).flatMap((link) => {
      const relation = RELATION_KEYS.find((key) => typeof link[key] === 'string');
      const name = relation === undefined ? '' : String(link[relation]);
      return /^[\w-]{1,40}$/.test(name) ? under(pointer + pointerOf([`[${relation}=${name}]`]), link) : [];
    }),
  );
}

const RELATION_KEYS = ['rel', 'relation', 'relationship'];

/** A way to select one element of a list, such as `[until=null]`, `[type=1][until=null]` or `0`. */
interface Selector {
  readonly segment: string;
  /** A selector that looks like a rule of the API comes before one that may fit by chance. */
  readonly rank: number;
  /** Selects the most recent element in lists in which every element has ended. */
  readonly ended?: string | undefined;
}

/** The path to a selected element. */
export interface SelectorPath {
  readonly pointer: Pointer;
  readonly rank: number;
  /** The path to the element if every element of the list has ended. */
  readonly ended?: Pointer | undefined;
}

/**
 * Returns the paths to the selected elements of the lists in these rows. A selector must select exactly one element in
 * nearly all lists, apart from those in which every element has ended. It can be a condition on a key, two conditions,
 * or the position of the only element.
 */
export function selectorsIn(rows: readonly JsonObject[], depth = 0): SelectorPath[] {
  const lists = new Map<Pointer, JsonObject[][]>();
  for (const row of rows)
    for (const { pointer, list } of listsIn(row)) {
      const objects = list.filter(isJsonObject);
      if (objects.length === 0 || objects.length < list.length || attributesIn(list).length > 0) continue;
      lists.set(pointer, [...(lists.get(pointer) ?? []), objects]);
    }
  return [...lists].flatMap(([pointer, all]) => {
    const own = selectorsOf(all).map(({ segment, rank, ended }): SelectorPath => {
      const endedPath = ended === undefined ? undefined : `${pointer}/${ended}`;
      return { pointer: `${pointer}/${segment}`, rank, ended: endedPath };
    });
    const [best] = own;
    if (depth > 0 || best === undefined) return own;
    const elements = rows.map((row) => valueAt(row, best.pointer)).filter((element) => isJsonObject(element));
    const inner = selectorsIn(elements, depth + 1);
    return [
      ...own,
      ...inner.map(({ pointer: inside, rank }) => ({
        pointer: best.pointer + inside,
        rank: Math.min(rank, best.rank),
      })),
    ];
  });
}

function selectorsOf(lists: readonly (readonly JsonObject[])[]): Selector[] {
  const conditions = conditionsOf(lists);
  const selected = (some: readonly Condition[]) => selectingShare(lists, some);
  const isPerfect = (some: readonly Condition[]) => selected(some) === 1;
  const alone = conditions.filter((one) => selected([one]) >= NEARLY_ALL);
  const isSingle = lists.every((list) => list.length === 1);
  // Pairs are needed only if no condition is enough for all lists.
  const pairs = alone.some((one) => isPerfect([one]))
    ? []
    : conditions.flatMap((one, index) =>
        conditions.slice(index + 1).flatMap((other) => {
          const pair = [one, other].sort((a, b) => Number(a.value === null) - Number(b.value === null));
          return one.key !== other.key && selected(pair) >= NEARLY_ALL ? [pair] : [];
        }),
      );
  const all = [...alone.map((one) => [one]), ...pairs];
  const perfect = all.filter(isPerfect);
  const found = (perfect.length > 0 ? perfect : all).map((some) => ({
    segment: segmentFor(some),
    rank: some.reduce((sum, { rank }) => sum + rank, 0) / some.length,
    ended: endedSegment(lists, some),
  }));
  const positions = [
    { segment: '[0]', rank: isSingle ? 3 : -4 },
    { segment: '[last]', rank: -5 },
  ];
  return [...found, ...positions].sort((a, b) => b.rank - a.rank).slice(0, MAX_SELECTORS);
}

interface Condition {
  readonly key: string;
  readonly value: string | null;
  readonly rank: number;
  /** Whether the elements that meet the condition have not ended. */
  readonly isUnended: boolean;
}

function segmentFor(conditions: readonly Condition[]): string {
  return conditions.map(({ key, value }) => `[${key}=${value ?? 'null'}]`).join('');
}

/** The longer lists show whether an API lists the most recent element first or last. */
function endedSegment(
  lists: readonly (readonly JsonObject[])[],
  conditions: readonly Condition[],
): string | undefined {
  const others = conditions.filter(({ isUnended }) => !isUnended);
  if (others.length === conditions.length) return undefined;
  const long = lists.map((list) => list.filter((element) => meets(element, others)));
  const isMet = (element: JsonObject | undefined) => element !== undefined && meets(element, conditions);
  const histories = long.filter((list) => list.length > 1 && list.some(isMet));
  if (histories.length === 0) return undefined;
  const atEnd = histories.filter((list) => isMet(list.at(-1))).length;
  if (atEnd * 2 > histories.length) return `${segmentFor(others)}[last]`;
  return others.length === 0 ? '[0]' : segmentFor(others);
}

/** Returns the conditions that distinguish elements: values that occur in most lists, and keys without a value. */
function conditionsOf(lists: readonly (readonly JsonObject[])[]): Condition[] {
  const keys = new Set(
    lists
      .flat()
      .flatMap((element) => [
        ...leavesOf(element).map(({ pointer }) => pointer.slice(1)),
        ...listsIn(element).map(({ pointer }) => pointer.slice(1)),
      ]),
  );
  const all = [...keys].flatMap((key): Condition[] => {
    if (!/^[^[\]=/~]+(\/[^[\]=/~]+)?$/.test(key)) return [];
    const own = wordsOfKey(key);
    const isEnd = own.some((word) => END_WORDS.has(word));
    const isKind = own.some((word) => SELECTOR_WORDS.has(word));
    const counts = new Map<string | null, number>();
    let isScalar = true;
    for (const list of lists)
      for (const value of new Set(list.flatMap((element) => valuesOf(element, key)))) {
        if (value === undefined) isScalar = false;
        else counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    if (!isScalar) return [];
    const distinct = counts.size / lists.length;
    return [...counts].flatMap(([value, count]): Condition[] => {
      const isUnended = isEnd && value === null;
      if (
        count < lists.length * (isUnended ? MIN_UNENDED : NEARLY_ALL) ||
        (value !== null && !/^[\p{L}\p{M}\p{N}_. -]{1,40}$/u.test(value))
      )
        return [];
      if (isUnended) return [{ key, value, isUnended, rank: count < lists.length ? 3.5 : 6 }];
      if (value === null) return [{ key, value, isUnended, rank: isKind ? 1 : 0 }];
      // In few lists, any value seems to be in all of them. Elements can begin on the same day.
      const isByChance =
        /^\d{4}-\d\d-\d\d/.test(value) ||
        (!isKind && (lists.length < 3 || !/^[\p{L}\p{M}\p{N}_.-]{1,24}$/u.test(value)));
      return isEnd || isByChance
        ? []
        : [
            {
              key,
              value,
              isUnended,
              // A flag marks the current element. A type can have several elements.
              rank: (isKind ? (value === 'true' ? 5 : 4) : 1) - (distinct > 0.5 && counts.size > 3 ? 3 : 0),
            },
          ];
    });
  });
  return all.sort((a, b) => b.rank - a.rank).slice(0, MAX_CONDITIONS);
}

const MAX_CONDITIONS = 20;

/** Returns a key's value, or the values of its list, as texts; null if the element has none, undefined if not a scalar. */
function valuesOf(element: JsonObject, key: string): (string | null | undefined)[] {
  const value = valueAt(element, `/${key}`) ?? null;
  const all = Array.isArray(value) ? value : [value];
  return all.length === 0
    ? [null]
    : all.map((one) => (one !== null && typeof one === 'object' ? undefined : scalarText(one)));
}

function meets(element: JsonObject, conditions: readonly Condition[]): boolean {
  return conditions.every(({ key, value }) => valuesOf(element, key).includes(value));
}

/** Returns the share of lists in which the conditions select one element, apart from lists whose elements have ended. */
function selectingShare(lists: readonly (readonly JsonObject[])[], conditions: readonly Condition[]): number {
  const all = lists.map((list) => list.filter((element) => meets(element, conditions)).length);
  const counts = conditions.some(({ isUnended }) => isUnended) ? all.filter((count) => count > 0) : all;
  if (counts.length < lists.length * MIN_UNENDED) return 0;
  return counts.filter((count) => count === 1).length / counts.length;
}

const NEARLY_ALL = 0.95;
const MIN_UNENDED = 0.5;
const MAX_SELECTORS = 6;

/** Returns the scalars of a row, attributes and those in selected elements included. */
export function rowLeaves(row: JsonObject, selectors: readonly SelectorPath[]): Leaf[] {
  const selected = selectors.flatMap(({ pointer, ended }) => {
    const element = valueAt(row, pointer) ?? (ended === undefined ? undefined : valueAt(row, ended));
    return isJsonObject(element) ? under(pointer, element) : [];
  });
  return [...leavesOf(row), ...attributesOf(row), ...selected];
}

function under(root: Pointer, json: Json): Leaf[] {
  return leavesOf(json).map(({ pointer, value }) => ({ pointer: root + pointer, value }));
}

function walk(json: Json, visit: (value: Json, path: readonly string[]) => void): void {
  let seen = 0;
  const descend = (value: Json, at: readonly string[]): void => {
    if (++seen > MAX_VALUES || at.length > MAX_DEPTH) return;
    visit(value, at);
    const parsed = parsedText(value);
    if (!isJsonObject(parsed) && !isTuple(parsed)) return;
    for (const [key, inner] of Object.entries(parsed)) descend(inner, [...at, key]);
  };
  descend(json, []);
}

/** Returns the values in lists of attributes, such as `[{"name": "title", "value": "Acme"}, …]`. */
function attributesOf(json: Json): Leaf[] {
  return listsIn(json).flatMap(({ pointer, list }) =>
    attributesIn(list).map(({ path, value }) => ({ pointer: pointer + pointerOf(path), value })),
  );
}

/** Returns the attributes in a list, or [] if it has other elements. */
function attributesIn(list: readonly Json[]): { readonly path: readonly string[]; readonly value: Json }[] {
  const found = list.filter(isJsonObject).flatMap((one) => {
    const key = Object.keys(one).find((own) => ATTRIBUTE_NAME.test(own)) ?? '';
    const name = one[key];
    const valueKey = 'value' in one ? 'value' : 'Value';
    const value = one[valueKey];
    if (typeof name !== 'string' || !/^[\w .:-]{1,40}$/.test(name)) return [];
    if (value === undefined || Array.isArray(value) || isJsonObject(value)) return [];
    return [{ path: [`[${key}=${name}]`, valueKey], value }];
  });
  const isList = found.length > 1 && found.length === list.length;
  return isList && new Set(found.map(({ path }) => path[0])).size === found.length ? found : [];
}

const ATTRIBUTE_NAME = /^(key|name|attribute|field|property)$/i;

/** Returns the name of the attribute that a segment such as `[name=title]` selects, or null. */
export function attributeIn(segment = ''): string | null {
  const [, key = '', name = ''] = /^\[(\w+)=([^\]]+)\]$/.exec(segment) ?? [];
  return ATTRIBUTE_NAME.test(key) ? name : null;
}

/** Returns whether a list has different things at its positions, such as `[{"total": 2}, [{…}, {…}]]`. */
function isTuple(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.some(Array.isArray) && !value.every(Array.isArray);
}

const MAX_VALUES = 2000;
const MAX_DEPTH = 16;

export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns a whole number with at most 15 digits, given as a number or a string. Returns null for any other value. */
export function wholeNumberOf(value: Json | undefined): number | null {
  if (value instanceof ExactNumber || (!isNumber(value) && typeof value !== 'string')) return null;
  const text = String(value).trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
