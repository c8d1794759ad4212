import type { Pointer } from '../../dialect/dialect.ts';
import { entityUrl, UnwritableUrl } from '../../dialect/request.ts';
import { isJsonObject, type Json, scalarText } from '../../json/json.ts';
import type { Conclusions, ProbeInput, RecordPaths, ResultList, SearchConclusions } from '../conclusions.ts';
import { type Exchange, type Finding, likely, open, type ProbeRequest, sure } from '../evidence.ts';
import { arraysOutside, currentLeavesOf, leavesOf, wordsOfKey } from '../json_leaves.ts';
import { ENVELOPE_WORDS, NAME_WORDS, NOT_NAME_WORDS } from '../word_lists.ts';
import { itemOf, textAt } from './result_list.ts';
import { innermost, relativeTo } from './row_paths.ts';

/** A listed company whose record was requested. */
export interface ListedCompany {
  readonly id: string;
  readonly name: string | null;
  /** The path to the id, relative to the list item. */
  readonly idInList: Pointer;
  readonly nameInList: Pointer | null;
}

/** Finds the path to the record in the body, and the paths to the id and the name in the record. */
export function findRecord(response: Exchange, company: ListedCompany): Finding<RecordPaths | null> {
  const body = response.json;
  if (body === undefined) return open(null, 'the response is not JSON');
  const found = recordIn(body, company);
  if (found.value !== null) return found;
  for (const { pointer, list } of arraysOutside(body)) {
    const [element, ...others] = list;
    const inList = element === undefined || others.length > 0 ? found : recordIn(element, company);
    const { value } = inList;
    if (value !== null) return { ...inList, value: { ...value, root: `${pointer}/0${value.root}` } };
  }
  return found;
}

function recordIn(body: Json, company: ListedCompany): Finding<RecordPaths | null> {
  if (!isJsonObject(body)) return open(null, 'the response is not an object');
  const leaves = leavesOf(body);
  const ids = leaves.filter(({ value }) => isSameId(value, company.id)).map(({ pointer }) => pointer);
  if (ids.length === 0) return open(null, `the response does not contain the id ${company.id}`);
  const names = [...leaves, ...currentLeavesOf(body)]
    .filter(({ value }) => company.name !== null && value === company.name)
    .map(({ pointer }) => pointer);
  const pairs = ids.flatMap((id) => (names.length === 0 ? [null] : names).map((name) => ({ id, name })));
  const [best] = pairs
    .map((pair) => ({ ...pair, score: pairScore(pair, company) }))
    .sort((a, b) => b.score - a.score);
  if (best === undefined) return open(null, 'the response contains neither the id nor the name');
  const root = innermost([body], best.name === null ? [best.id] : [best.id, best.name], isEnvelope);
  const paths = {
    root,
    id: relativeTo(root, best.id),
    name: best.name === null ? null : relativeTo(root, best.name),
  };
  return best.name === null
    ? likely(paths, `it contains the id ${company.id}, but not the name`)
    : sure(paths, `it contains the id ${company.id} and the name ${JSON.stringify(company.name)}`);
}

interface Pair {
  readonly id: Pointer;
  readonly name: Pointer | null;
}

/**
 * Scores a pair of paths to the id and the name. Keys that are also in the list, paths near each other, words for
 * names, and short paths score best.
 */
function pairScore({ id, name }: Pair, { idInList, nameInList }: ListedCompany): number {
  const depth = id.split('/').length + (name?.split('/').length ?? 0);
  const sameId = id.endsWith(idInList) ? 3 : 0;
  const sameName = name !== null && nameInList !== null && name.endsWith(nameInList) ? 3 : 0;
  const together = name === null ? 0 : sharedDepth(id, name);
  return sameId + sameName + together + nameScore(name) - depth / 4;
}

function nameScore(name: Pointer | null): number {
  const words = wordsOfKey(name ?? '');
  const good = words.some((word) => NAME_WORDS.has(word)) ? 2 : 0;
  return good - (words.some((word) => NOT_NAME_WORDS.has(word)) ? 3 : 0);
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

function isSameId(value: Json, id: string): boolean {
  return typeof value !== 'boolean' && scalarText(value) === id;
}

/** A fetched record, and the path to the row value that was used as the id in the request. */
export interface OpenedRecord {
  /** The path to the value, relative to a row. */
  readonly idPath: Pointer;
  readonly record: Finding<RecordPaths | null>;
}

/**
 * Finds the path in the rows to ids that can be used to fetch records. Each record must belong to the same company as
 * its row.
 */
export function findOpenedRecord(
  listing: ResultList,
  entities: readonly Exchange[],
  template: string,
  namePath: Pointer | null,
): OpenedRecord | null {
  const responses = entities.filter(({ reading }) => reading === 'ok');
  const opened = listing.ids.flatMap(({ pointer }) =>
    responses.flatMap((response) => openedBy(listing, response, template, pointer, namePath) ?? []),
  );
  return opened.find(({ record }) => record.certainty === 'sure') ?? opened[0] ?? null;
}

function openedBy(
  { rows }: ResultList,
  response: Exchange,
  template: string,
  idPath: Pointer,
  namePath: Pointer | null,
): OpenedRecord | null {
  const row = rows.find((one) => entityPath(template, textAt(one, idPath) ?? '') === response.request.path);
  if (row === undefined) return null;
  const item = itemOf(rows, idPath, namePath);
  const record = findRecord(response, {
    id: textAt(row, idPath) ?? '',
    name: namePath === null ? null : textAt(row, namePath),
    idInList: relativeTo(item, idPath),
    nameInList: namePath === null ? null : relativeTo(item, namePath),
  });
  return record.value === null ? null : { idPath, record };
}

/** Returns the finding if no record was recognised. */
export function noRecord(entities: readonly Exchange[]): Finding<RecordPaths | null> {
  return open(
    null,
    entities.length === 0 ? 'no record was requested yet' : 'no response contained the requested record',
  );
}

/** Returns a record's URL path, or null if the id cannot be part of a path. */
export function entityPath(template: string, id: string): string | null {
  const url = entityUrl({ entity: template } as Parameters<typeof entityUrl>[0], id);
  return url instanceof UnwritableUrl ? null : url.pathname + url.search;
}

/** Requests a record. The id is the row value at the most likely path for ids. */
export function probeRecord(
  { upstream, exchanges }: ProbeInput,
  { addresses }: Conclusions,
  search: SearchConclusions,
): ProbeRequest | null {
  const entities = exchanges.filter(({ request }) => request.kind === 'entity');
  const { certainty } = search.record;
  if (addresses.value === null || certainty === 'sure' || (certainty === 'likely' && entities.length > 1))
    return null;
  if (entities.length >= MAX_TRIES) return null;
  const template = `${new URL(upstream.base_url).origin}${addresses.value.entity}`;
  const tried = new Set(entities.map(({ request }) => request.path));
  const { rows, ids } = search.listing;
  for (const position of [2, 0]) {
    for (const { pointer } of ids.slice(0, 3)) {
      const values = rows.map((row) => textAt(row, pointer)).filter((text) => text !== null);
      const id = values[Math.min(position, values.length - 1)] ?? null;
      const path = id === null ? null : entityPath(template, id);
      if (path !== null && !tried.has(path))
        return { kind: 'entity', path, params: [], why: `can the value at ${pointer} fetch a record?` };
    }
  }
  return null;
}

const MAX_TRIES = 5;
