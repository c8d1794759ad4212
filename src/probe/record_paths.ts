import { scalarText } from '../dialect/decode.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { entityUrl, UnwritableUrl } from '../dialect/request.ts';
import { isJsonObject, type Json } from '../json/json.ts';
import { type Exchange, type Finding, likely, open, sure } from './evidence.ts';
import { leavesOf, wordsOfKey } from './json_leaves.ts';
import { itemOf, type ResultList, textAt } from './result_list.ts';
import { innermost, relativeTo } from './row_paths.ts';
import { ENVELOPE_WORDS, NAME_WORDS, NOT_NAME_WORDS } from './word_lists.ts';

export interface RecordPaths {
  readonly root: Pointer;
  readonly id: Pointer;
  readonly name: Pointer | null;
}

/** What is known of the company that a record was asked for. */
export interface AskedCompany {
  readonly id: string;
  readonly name: string | null;
  /** Where the list shows them, inside of the company. */
  readonly idInList: Pointer;
  readonly nameInList: Pointer | null;
}

/** Where a record stands in its body, and its id and name in the record. */
export function findRecord(answer: Exchange, company: AskedCompany): Finding<RecordPaths | null> {
  const body = answer.json;
  if (!isJsonObject(body)) return open(null, 'the answer is no object');
  const leaves = leavesOf(body);
  const ids = leaves.filter(({ value }) => isSameId(value, company.id)).map(({ pointer }) => pointer);
  if (ids.length === 0) return open(null, `the answer does not hold the id ${company.id}`);
  const names = leaves
    .filter(({ value }) => company.name !== null && value === company.name)
    .map(({ pointer }) => pointer);
  const pairs = ids.flatMap((id) => (names.length === 0 ? [null] : names).map((name) => ({ id, name })));
  const [best] = pairs
    .map((pair) => ({ ...pair, score: pairScore(pair, company) }))
    .sort((a, b) => b.score - a.score);
  if (best === undefined) return open(null, 'the answer holds neither id nor name');
  const root = innermost([body], best.name === null ? [best.id] : [best.id, best.name], isEnvelope);
  const places = {
    root,
    id: relativeTo(root, best.id),
    name: best.name === null ? null : relativeTo(root, best.name),
  };
  return best.name === null
    ? likely(places, `it holds the id ${company.id}, but not the name`)
    : sure(places, `it holds the id ${company.id} and the name ${JSON.stringify(company.name)}`);
}

interface Pair {
  readonly id: Pointer;
  readonly name: Pointer | null;
}

/** The list's own places at their ends speak for a pair; so do near places, and keys that say "name" and "id". */
function pairScore({ id, name }: Pair, { idInList, nameInList }: AskedCompany): number {
  const depth = id.split('/').length + (name?.split('/').length ?? 0);
  const sameId = id.endsWith(idInList) ? 3 : 0;
  const sameName = name !== null && nameInList !== null && name.endsWith(nameInList) ? 3 : 0;
  const together = name === null ? 0 : sharedDepth(id, name);
  return sameId + sameName + together + namedScore(name) - depth / 4;
}

function namedScore(name: Pointer | null): number {
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

/** A record that opened, and where the rows hold the id that opened it. */
export interface OpenedRecord {
  /** Inside of a row as it stands in the list. */
  readonly idPath: Pointer;
  readonly record: Finding<RecordPaths | null>;
}

/**
 * Which place of the rows holds the ids that open records: the answer must be about the same company. A place
 * whose values open nothing, or other companies, is none.
 */
export function findOpened(
  listing: ResultList,
  entities: readonly Exchange[],
  template: string,
  namePlace: Pointer | null,
): OpenedRecord | null {
  const answered = entities.filter(({ reading }) => reading === 'answered');
  const opened = listing.ids.flatMap(({ pointer }) =>
    answered.flatMap((answer) => openedBy(listing, answer, template, pointer, namePlace) ?? []),
  );
  return opened.find(({ record }) => record.certainty === 'sure') ?? opened[0] ?? null;
}

function openedBy(
  { rows }: ResultList,
  answer: Exchange,
  template: string,
  idPlace: Pointer,
  namePlace: Pointer | null,
): OpenedRecord | null {
  const row = rows.find((one) => entityPath(template, textAt(one, idPlace) ?? '') === answer.request.path);
  if (row === undefined) return null;
  const item = itemOf(rows, idPlace, namePlace);
  const record = findRecord(answer, {
    id: textAt(row, idPlace) ?? '',
    name: namePlace === null ? null : textAt(row, namePlace),
    idInList: relativeTo(item, idPlace),
    nameInList: namePlace === null ? null : relativeTo(item, namePlace),
  });
  return record.value === null ? null : { idPath: idPlace, record };
}

/** What is known of the record while none has opened. */
export function noRecord(entities: readonly Exchange[]): Finding<RecordPaths | null> {
  return open(
    null,
    entities.length === 0 ? 'no record was asked for yet' : 'no answer held the record that was asked for',
  );
}

/** The answer to an id that is none of those seen; null: it was not asked for. */
export function unknownIdAnswer(
  entities: readonly Exchange[],
  listing: ResultList | null,
  template: string,
): Exchange | null {
  const known = new Set(listing?.ids.flatMap(({ pointer }) => idPaths(listing, pointer, template)));
  return entities.find(({ request }) => !known.has(request.path)) ?? null;
}

function idPaths({ rows }: ResultList, pointer: Pointer, template: string): string[] {
  return rows.flatMap((row) => {
    const id = textAt(row, pointer);
    return id === null ? [] : [entityPath(template, id) ?? ''];
  });
}

/** The path of one record; null where the id cannot stand in a path. */
export function entityPath(template: string, id: string): string | null {
  const url = entityUrl({ entity: template } as Parameters<typeof entityUrl>[0], id);
  return url instanceof UnwritableUrl ? null : url.pathname;
}
