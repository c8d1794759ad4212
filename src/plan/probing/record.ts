import { scalarText } from '../../dialect/decode.ts';
import type { Pointer } from '../../dialect/dialect.ts';
import { isJsonObject, type Json } from '../../dialect/json.ts';
import type { Exchange } from './exchange.ts';
import { innermost, relativeTo } from './fields.ts';
import { type Finding, likely, open, sure } from './finding.ts';
import { ENVELOPE_WORDS, NAME_WORDS, NOT_NAME_WORDS } from './vocabulary.ts';
import { leavesOf, wordsOfKey } from './walk.ts';

export interface RecordPlaces {
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
export function findRecord(answer: Exchange, company: AskedCompany): Finding<RecordPlaces | null> {
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
