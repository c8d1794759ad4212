import {
  isSameId,
  plainTextAt,
  pointersIn,
  recordIn as recordAt,
  type TextPath,
  textAt,
  withPointers,
} from '../dialect/body_values.ts';
import type { Pointer, StatedDialect } from '../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../json/json.ts';
import { pointerOf, segmentsOf, valueAt } from '../json/pointer.ts';
import { plainText } from '../names/plain_text.ts';
import { leavesOf, listsIn, objectsIn, rowLeaves, selectorsIn, textsIn } from './bodies.ts';
import { type Finding, likely, open, type ProbeExchange, sure } from './exchange.ts';
import { GIVEN } from './given.ts';
import { entityPath, recordTemplates } from './record_path.ts';
import {
  innermost,
  itemOf,
  keysOf,
  nameCandidates,
  type PathCandidate,
  type ResultList,
  relativeTo,
} from './rows.ts';
import { ENVELOPE_WORDS, NAME_WORDS, NOT_NAME_WORDS, pointerScore, wordsOfKey } from './words.ts';

/** Hypotheses and evidence about records: which id opens one, and where its id and name are. */

export interface RecordPaths {
  readonly root: Pointer;
  /** Null if the records do not contain their id. */
  readonly id: TextPath | null;
  readonly name: Pointer | null;
}

/** A listed company whose record was requested. */
interface ListedCompany {
  readonly id: string;
  readonly name: string | null;
  /** The path to the id, relative to the list item. */
  readonly idInList: TextPath;
  readonly nameInList: Pointer | null;
}

/**
 * Judges a response as the record of a company.
 * For: it carries the requested id, and the name of the row.
 * Against: another id, or several companies.
 */
export function findRecord(
  response: ProbeExchange,
  company: ListedCompany,
  others: readonly Json[] = [],
): Finding<RecordPaths | null> {
  const body = response.json;
  if (body === undefined) return open(null, 'the response is not JSON');
  const found = recordIn(body, company, others);
  const inLists = listsIn(body).flatMap(({ pointer, list }) => {
    // A list can be padded with null.
    const [element, ...versions] = list.filter((one, position) => position === 0 || one !== null);
    const inList = recordIn(
      element ?? null,
      company,
      others.map((other) => valueAt(other, `${pointer}/0`) ?? null),
    );
    // A list can have the record in several languages.
    const areVersions = versions.every((version) => recordIn(version, company, []).value !== null);
    return inList.value === null || !areVersions
      ? []
      : [{ ...inList, value: { ...inList.value, root: `${pointer}/0${inList.value.root}` } }];
  });
  if (found.certainty === 'sure') return found;
  return (
    inLists.find(({ certainty }) => certainty === 'sure') ??
    (found.value === null ? inLists[0] : undefined) ??
    found
  );
}

/** Judges one company's record. A selector in it must also hold in the `others`, which are all records so far. */
function recordIn(body: Json, company: ListedCompany, others: readonly Json[]): Finding<RecordPaths | null> {
  if (!isJsonObject(body)) return open(null, 'the response is not an object');
  const own = rowLeaves(body, []);
  const known = others.filter(isJsonObject);
  const bodies = known.length === 0 ? [body] : known;
  const leaves = rowLeaves(body, selectorsIn(bodies));
  const idLeaves = own.flatMap(({ pointer, value }) => {
    const text = typeof value === 'boolean' ? null : scalarText(value);
    return text !== null && isSameId(text, company.id) ? [{ pointer, text }] : [];
  });
  const exact = idLeaves.filter(({ text }) => text === company.id);
  const otherIdKeys = pointersIn(company.idInList).slice(1);
  // An id of several values is at the same paths in an object of the record.
  const idPaths =
    otherIdKeys.length === 0
      ? (exact.length > 0 ? exact : idLeaves).map(({ pointer }) => pointer)
      : objectsIn(body)
          .filter(({ object }) => textAt(object, company.idInList) === company.id)
          .map(({ pointer }) => withPointers(company.idInList, (path) => pointer + path));
  // An object under the id as its key is the record. Otherwise, every row has the id at its path in the list, and a
  // deeper path may exist only in some records.
  const isIdKey = (key: string) =>
    key === company.id || (key.endsWith(company.id) && company.id.length >= MIN_ID);
  const keyOf = (path: Pointer) => (otherIdKeys.length > 0 ? -1 : segmentsOf(path).findIndex(isIdKey));
  const keyedIds = idPaths.filter((path) => keyOf(path) !== -1);
  const listedId = idPaths.includes(company.idInList) ? [company.idInList] : idPaths;
  const ids = keyedIds.length > 0 ? keyedIds : listedId;
  if (ids.length === 0) return open(null, `the response does not contain the id ${company.id}`);
  const atListed = company.nameInList === null ? null : endingWith(body, company.nameInList);
  const names =
    company.nameInList === null
      ? namesOf(bodies)
      : [
          ...(atListed !== null && plainTextAt(body, atListed) === company.name ? [atListed] : []),
          ...leaves
            .filter(({ value }) => typeof value === 'string' && plainText(value) === company.name)
            .map(({ pointer }) => pointer),
        ];
  // A row can add a place to the name: "Acme (Postcode: IM4 8QT)".
  const begun = leaves.filter(
    ({ pointer, value }) =>
      typeof value === 'string' &&
      value.length >= 4 &&
      company.name?.startsWith(`${value} (`) &&
      pointerScore(keysOf(pointer), NAME_WORDS, NOT_NAME_WORDS) > 0,
  );
  const paths = names.length > 0 ? names : begun.length > 0 ? begun.map(({ pointer }) => pointer) : [null];
  const all = ids.flatMap((id) => paths.map((name) => ({ id, name })));
  const isInOne = ({ id, name }: Pair) => name === null || keyOf(name) === keyOf(id);
  const pairs = all.some(isInOne) ? all.filter(isInOne) : all;
  const [best] = pairs
    .map((pair) => ({ ...pair, score: pairScore(pair, company) }))
    .sort((a, b) => b.score - a.score);
  if (best === undefined) return open(null, 'the response contains neither the id nor the name');
  const ends = [...pointersIn(best.id), ...(best.name === null ? [] : [best.name])];
  const inner = innermost([body], ends, isEnvelope);
  // No path to a record contains an id, except as the key of the record.
  const keys = otherIdKeys.length === 0 ? segmentsOf(best.id) : [];
  const keyed = pointerOf(keys.slice(0, keys.findIndex(isIdKey) + 1));
  const root = keyed.length > inner.length && best.name?.startsWith(`${keyed}/`) !== false ? keyed : inner;
  const found = {
    // A record can be the value of its own id.
    root: pointerOf(
      segmentsOf(root).map((key) => (isIdKey(key) ? `${key.slice(0, -company.id.length)}{id}` : key)),
    ),
    id: relativeTo(root, best.id),
    name: best.name === null ? null : relativeTo(root, best.name),
  };
  if (company.nameInList === null) {
    if (best.name === null) return open(found, `it contains the id ${company.id}, but no text like a name`);
    const because = `it contains the id ${company.id}, and ${bodies.length} records have different names`;
    return bodies.length < 2 ? open(found, 'only one record was read') : likely(found, because);
  }
  if (names.length === 0)
    return likely(found, `it contains the id ${company.id}, but not the name of the row`);
  return best.name !== atListed && isOneOfSeveral(best.name, bodies)
    ? likely(found, `the name of the row is one of several in a list`)
    : sure(found, `it contains the id ${company.id} and the name ${JSON.stringify(company.name)}`);
}

/** A shorter id can end another key by chance. */
const MIN_ID = 4;

/** Returns the path that has the name in all records, if the rows have no names. */
function namesOf(records: readonly JsonObject[]): Pointer[] {
  const selectors = selectorsIn(records);
  const isDistinct = ({ pointer }: PathCandidate) => {
    const texts = records.map(
      (record) => rowLeaves(record, selectors).find((leaf) => leaf.pointer === pointer)?.value,
    );
    return new Set(texts).size === records.length;
  };
  const [best] = nameCandidates(records).filter((candidate) => candidate.score > 0 && isDistinct(candidate));
  return best === undefined ? [] : [best.pointer];
}

/**
 * Returns whether a name is an element of a list with several elements, and nothing shows which of them is the company's
 * name: the path is a position, or no other record confirms its condition.
 */
function isOneOfSeveral(name: Pointer | null, bodies: readonly JsonObject[]): boolean {
  const keys = segmentsOf(name ?? '');
  return keys.some((key, depth) => {
    if (!/^(\d+|\[.*\])$/.test(key)) return false;
    const lists = bodies.map((body) => valueAt(body, pointerOf(keys.slice(0, depth))));
    const isLong = lists.some((list) => Array.isArray(list) && list.length > 1);
    return isLong && (bodies.length < 2 || /^(\d+|\[(\d+|last)\])$/.test(key));
  });
}

/** Returns the path in the record that ends like the path in the list, or null if there is none. */
function endingWith(body: JsonObject, inList: Pointer): Pointer | null {
  if (textAt(body, inList) !== null) return inList;
  for (const key of Object.keys(body))
    if (textAt(body, `/${key}${inList}`) !== null) return `/${key}${inList}`;
  return null;
}

interface Pair {
  readonly id: TextPath;
  readonly name: Pointer | null;
}

/** Keys that are also in the list, paths near each other, words for names, and short paths score best. */
function pairScore({ id, name }: Pair, { idInList, nameInList }: ListedCompany): number {
  const idKey = pointersIn(id).at(-1) ?? '';
  const depth = idKey.split('/').length + (name?.split('/').length ?? 0);
  const sameId = idKey.endsWith(pointersIn(idInList).at(-1) ?? '') ? 3 : 0;
  const sameName = name !== null && nameInList !== null && name.endsWith(nameInList) ? 3 : 0;
  const words = keysOf(name ?? '').flatMap(wordsOfKey);
  const good = words.some((word) => NAME_WORDS.has(word)) ? 2 : 0;
  const bad = words.some((word) => NOT_NAME_WORDS.has(word)) ? 3 : 0;
  return sameId + sameName + (name === null ? 0 : sharedDepth(idKey, name)) + good - bad - depth * 0.6;
}

function sharedDepth(a: Pointer, b: Pointer): number {
  const [left, right] = [a.split('/'), b.split('/')];
  return left.slice(1, -1).filter((key, index) => right[index + 1] === key && right.length - 2 > index)
    .length;
}

function isEnvelope(key: string, value: Json): boolean {
  const words = wordsOfKey(key);
  return (
    words.some((word) => ENVELOPE_WORDS.has(word)) ||
    value === null ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** A fetched record, and the path to the row value that was used as the id in the request. */
export interface OpenedRecord {
  /** The path to the value, relative to a row. */
  readonly idPath: TextPath;
  readonly record: Finding<RecordPaths | null>;
}

/** Finds the path in the rows to ids that open records. Each record must belong to the same company as its row. */
export function findOpenedRecord(
  { rows, ids, names }: ResultList,
  entities: readonly ProbeExchange[],
  template: string,
  given: StatedDialect['entity'] = {},
): OpenedRecord | null {
  const namePath = names[0]?.pointer ?? null;
  // An empty object is no record.
  const bodies = entities.flatMap(({ reading, json }) =>
    reading === 'ok' && json !== undefined && textsIn(json).length > 0 ? [json] : [],
  );
  const opened = ids.flatMap(({ pointer: idPath }): OpenedRecord[] =>
    entities.flatMap((response) => {
      if (response.reading !== 'ok') return [];
      const item = itemOf(rows, idPath, namePath);
      // A company can have a row for each of its names.
      const own = rows.filter(
        (one) => entityPath(template, textAt(one, idPath) ?? '') === response.request.path,
      );
      return own.flatMap((row) => {
        const company = {
          id: textAt(row, idPath) ?? '',
          name: plainTextAt(row, namePath),
          idInList: relativeTo(item, idPath),
          nameInList: namePath === null ? null : relativeTo(item, namePath),
        };
        const record = withGivenPaths(findRecord(response, company, bodies), response, company.id, given);
        return record.value === null ? [] : [{ idPath, record }];
      });
    }),
  );
  return (
    opened.find(({ record }) => record.certainty === 'sure') ??
    opened[0] ??
    findWithoutId({ rows, ids, names }, entities, template)
  );
}

/**
 * Finds records that do not contain their id. Several ids must have opened records with their row's name, each at the same
 * path.
 */
function findWithoutId(
  { rows, ids, names }: Pick<ResultList, 'rows' | 'ids' | 'names'>,
  entities: readonly ProbeExchange[],
  template: string,
): OpenedRecord | null {
  const [name] = names;
  if (name === undefined) return null;
  const good = entities.filter(({ reading }) => reading === 'ok');
  const found = ids.flatMap(({ pointer: idPath }) => {
    const named = rows.flatMap((row) => {
      const path = entityPath(template, textAt(row, idPath) ?? '');
      const text = plainTextAt(row, name.pointer) ?? '';
      const { json } = good.find(({ request }) => request.path === path) ?? {};
      const isName = ({ value }: { value: Json }) => typeof value === 'string' && plainText(value) === text;
      return json === undefined || text.length < MIN_NAME_CHARS
        ? []
        : leavesOf(json).flatMap((leaf) => (isName(leaf) ? [{ at: leaf.pointer, text, json }] : []));
    });
    return [...Map.groupBy(named, ({ at }) => at)].flatMap(([at, some]): OpenedRecord[] => {
      const texts = new Set(some.map(({ text }) => text));
      if (texts.size < 2) return [];
      const root = innermost(
        some.map(({ json }) => json),
        [at],
        isEnvelope,
      );
      const because = `${texts.size} records have the names of their rows, but no id`;
      return [{ idPath, record: likely({ root, id: null, name: relativeTo(root, at) }, because) }];
    });
  });
  return found[0] ?? null;
}

/** A shorter text may be equal by chance. */
const MIN_NAME_CHARS = 4;

/** Returns a record with the paths that the user has set, if the response has the id there. */
function withGivenPaths(
  found: Finding<RecordPaths | null>,
  { json }: ProbeExchange,
  entityId: string,
  given: NonNullable<StatedDialect['entity']>,
): Finding<RecordPaths | null> {
  const { root = found.value?.root ?? '', id = found.value?.id, name = found.value?.name ?? null } = given;
  if (id === null) return json === undefined ? found : sure({ root, id, name }, GIVEN);
  if (id === undefined || (given.root ?? given.id ?? given.name) === undefined) return found;
  const text = textAt(recordAt(root, json, entityId), id);
  return text !== null && isSameId(text, entityId)
    ? sure({ root, id, name }, GIVEN)
    : open(null, 'no id there');
}

/** Returns the form of a record's URL that opens records. */
export function recordTemplate(
  template: string,
  listing: ResultList | null,
  entities: readonly ProbeExchange[],
): string {
  const opened = new Set(
    entities.filter(({ reading }) => reading === 'ok').map(({ request }) => request.path),
  );
  const opens = (one: string) =>
    listing?.ids.some(({ pointer }) =>
      listing.rows.some((row) => opened.has(entityPath(one, textAt(row, pointer) ?? '') ?? '')),
    );
  return recordTemplates(template).find(opens) ?? template;
}
