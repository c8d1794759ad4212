import type { Call } from '../call.ts';
import { ExactNumber, isJsonObject, type Json } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import type { Answer, RecordAnswer, SearchAnswer, SearchRow, StatsAnswer } from '../outcome.ts';
import type { Dialect, SearchDialect } from './dialect.ts';
import { type Headers, nextLink } from './headers.ts';
import { MAX_PAGE_ROWS, MAX_REJECTED_ROWS } from './limits.ts';

/** Why a body could not be understood: the dialect does not fit it. */
export class NotUnderstood {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Reads a successful body by the dialect. Pure; never throws on any JSON. */
export function decode(dialect: Dialect, call: Call, body: Json, headers: Headers): Answer | NotUnderstood {
  switch (call.kind) {
    case 'stats':
      return decodeStats(dialect, body);
    case 'search':
      return decodeSearch(dialect.search, body, headers);
    case 'entity':
      return decodeRecord(dialect, call.entityId, body);
  }
}

/** Does the body carry the dialect's own mark of a deleted entity? */
export function isMarkedGone(dialect: Dialect, body: Json): boolean {
  const mark = dialect.entity.gone;
  if (mark === null) return false;
  const inRecord = valueAt(valueAt(body, dialect.entity.root), mark.at);
  const value = inRecord === undefined ? valueAt(body, mark.at) : inRecord;
  if (mark.is === undefined) return value !== undefined && value !== null && value !== false;
  return value !== undefined && sameScalar(value, mark.is);
}

/**
 * The tombstone of the entity that was asked for: null where the body carries no record, and NotUnderstood
 * where it is another entity's, which proves nothing.
 */
export function decodeTombstone(
  dialect: Dialect,
  askedId: string,
  body: Json | undefined,
): RecordAnswer | NotUnderstood | null {
  const record = valueAt(body, dialect.entity.root);
  const found = valueAt(record, dialect.entity.id);
  if (body === undefined || !isJsonObject(record) || idText(found) === null) return null;
  return decodeRecord(dialect, askedId, body);
}

export function decodeRecord(dialect: Dialect, askedId: string, body: Json): RecordAnswer | NotUnderstood {
  const { root, id, name } = dialect.entity;
  const document = valueAt(body, root);
  if (!isJsonObject(document))
    return new NotUnderstood(`no record at ${place(root)}: found ${kindOf(document)}`);
  const found = valueAt(document, id);
  const foundId = idText(found);
  if (foundId === null)
    return new NotUnderstood(`the record carries no id at ${place(id)}: found ${kindOf(found)}`);
  if (!isSameId(foundId, askedId, found))
    return new NotUnderstood(`asked for ${brief(askedId)}, answered with ${brief(foundId)}`);
  return {
    kind: 'record',
    entityId: askedId,
    name: name === null ? null : scalarText(valueAt(document, name)),
    document,
  };
}

/** Equality of scalars as the response table means it: a number equals its own text. */
export function sameScalar(value: Json, wanted: string | number | boolean | null): boolean {
  if (value === wanted) return true;
  const text = scalarText(value);
  return text !== null && wanted !== null && text === String(wanted);
}

/** Scalars as text; null for null, lists and objects. */
export function scalarText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  return value instanceof ExactNumber ? value.digits : null;
}

function decodeStats(dialect: Dialect, body: Json): StatsAnswer | NotUnderstood {
  if (!isJsonObject(body)) return new NotUnderstood(`the statistics are ${kindOf(body)}, not an object`);
  const pointer = dialect.stats.total;
  if (pointer === null) return { kind: 'stats', total: null, document: body };
  const found = valueAt(body, pointer);
  const total = countOf(found);
  // null means unknown, never 0.
  if (total === null && found !== null)
    return new NotUnderstood(`the statistics carry no count at ${place(pointer)}: found ${kindOf(found)}`);
  return { kind: 'stats', total, document: body };
}

/** What a search means that the upstream answers by "not found". */
export const NOTHING_FOUND: SearchAnswer = {
  kind: 'search',
  rows: [],
  rejected: [],
  rejectedCount: 0,
  total: 0,
  next: null,
};

function decodeSearch(search: SearchDialect, body: Json, headers: Headers): SearchAnswer | NotUnderstood {
  const total = search.total === null ? null : countOf(valueAt(body, search.total));
  const list = valueAt(body, search.results);
  if (!Array.isArray(list)) {
    const meansEmpty = (list === undefined || list === null) && (total === 0 || search.absent_when_empty);
    if (!meansEmpty)
      return new NotUnderstood(`no list of results at ${place(search.results)}: found ${kindOf(list)}`);
    return { ...NOTHING_FOUND, total };
  }
  if (list.length > MAX_PAGE_ROWS)
    return new NotUnderstood(
      `one page has ${count(list.length)} results: at most ${count(MAX_PAGE_ROWS)} are read`,
    );
  const rows: SearchRow[] = [];
  const first: { position: number; why: string }[] = [];
  let rejectedCount = 0;
  for (const [position, item] of list.entries()) {
    const row = rowOf(search, item);
    if (!(row instanceof NotUnderstood)) rows.push(row);
    else if (++rejectedCount <= MAX_REJECTED_ROWS) first.push({ position, why: row.why });
  }
  if (rows.length === 0 && rejectedCount > 0)
    return new NotUnderstood(`none of ${count(rejectedCount)} results is usable: ${first[0]?.why}`);
  const rejected =
    rejectedCount <= MAX_REJECTED_ROWS ? first : [summaryOf(first, rejectedCount, list.length)];
  return { kind: 'search', rows, rejected, rejectedCount, total, next: nextPage(search, body, headers) };
}

/** Many rejected results in one reason, with the positions of the first. */
function summaryOf(
  first: readonly { readonly position: number; readonly why: string }[],
  rejectedCount: number,
  resultCount: number,
): { position: null; why: string } {
  const positions = first.slice(0, SHOWN_POSITIONS).map(({ position }) => position);
  return {
    position: null,
    why: `${count(rejectedCount)} of ${count(resultCount)} results are not usable (positions ${positions.join(', ')}, …): ${first[0]?.why}`,
  };
}

function rowOf(search: SearchDialect, item: Json): SearchRow | NotUnderstood {
  const summary = valueAt(item, search.item);
  if (!isJsonObject(summary))
    return new NotUnderstood(`no company at ${place(search.item)}: found ${kindOf(summary)}`);
  const found = valueAt(summary, search.id);
  const entityId = idText(found);
  if (entityId === null) return new NotUnderstood(`no id at ${place(search.id)}: found ${kindOf(found)}`);
  const name = search.name === null ? null : scalarText(valueAt(summary, search.name));
  return { entityId, name, summary };
}

function nextPage(search: SearchDialect, body: Json, headers: Headers): string | null {
  switch (search.paging.style) {
    case 'link_header':
      return nextLink(headers);
    case 'cursor':
    case 'next_url': {
      const next = scalarText(valueAt(body, search.paging.next));
      return next === null || next === '' || next === 'false' ? null : next;
    }
    default:
      return null;
  }
}

function idText(value: Json | undefined): string | null {
  if (typeof value === 'boolean') return null;
  const text = scalarText(value);
  return text === null || text === '' ? null : text;
}

/** Ids agree when their texts do; where JSON wrote a number, leading zeros and case cannot tell them apart. */
function isSameId(found: string, asked: string, raw: Json | undefined): boolean {
  if (found === asked) return true;
  if (typeof raw !== 'string') return found === asked.replace(/^0+(?=\d)/, '');
  return found.trim().toLowerCase() === asked.trim().toLowerCase();
}

function count(value: number): string {
  return value.toLocaleString('en');
}

/** A count of companies: a whole number that is not negative, also where it is written as text. */
function countOf(value: Json | undefined): number | null {
  const text = scalarText(value);
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'a boolean' : 'a number';
}

function place(pointer: string): string {
  return pointer === '' ? 'the top of the body' : pointer;
}

function brief(id: string): string {
  return JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
}

const SHOWN_POSITIONS = 5;
