import type { Call } from '../call.ts';
import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { pathInWords, valueAt } from '../json/pointer.ts';
import type { Answer, RecordAnswer, SearchAnswer, SearchRow, StatsAnswer } from '../outcome.ts';
import type { Dialect, SearchDialect } from './dialect.ts';
import type { Headers } from './headers.ts';
import { MAX_PAGE_ROWS, MAX_REJECTED_ROWS } from './limits.ts';
import { pagingMethod } from './paging/paging.ts';

export { scalarText } from '../json/json.ts';

/** The reason why a body does not match the dialect. */
export class NotUnderstood {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Reads the body of a successful response by the dialect. Pure; never throws. */
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

/** Does the body contain the dialect's mark of a deleted entity? */
export function isMarkedGone(dialect: Dialect, body: Json): boolean {
  const mark = dialect.entity.gone;
  if (mark === null) return false;
  const inRecord = valueAt(valueAt(body, dialect.entity.root), mark.at);
  const value = inRecord === undefined ? valueAt(body, mark.at) : inRecord;
  if (mark.is === undefined) return value !== undefined && value !== null && value !== false;
  return value !== undefined && sameScalar(value, mark.is);
}

/**
 * The tombstone of the requested entity; null if the body contains no record. The record of another entity proves
 * nothing about the requested one and is NotUnderstood.
 */
export function decodeTombstone(
  dialect: Dialect,
  requestedId: string,
  body: Json | undefined,
): RecordAnswer | NotUnderstood | null {
  const record = valueAt(body, dialect.entity.root);
  const found = valueAt(record, dialect.entity.id);
  if (body === undefined || !isJsonObject(record) || idText(found) === null) return null;
  return decodeRecord(dialect, requestedId, body);
}

export function decodeRecord(
  dialect: Dialect,
  requestedId: string,
  body: Json,
): RecordAnswer | NotUnderstood {
  const { root, id, name } = dialect.entity;
  const document = valueAt(body, root);
  if (!isJsonObject(document))
    return new NotUnderstood(`no record at ${pathInWords(root)}: found ${kindOf(document)}`);
  const found = valueAt(document, id);
  const foundId = idText(found);
  if (foundId === null)
    return new NotUnderstood(`the record has no id at ${pathInWords(id)}: found ${kindOf(found)}`);
  if (!isSameId(foundId, requestedId, found))
    return new NotUnderstood(`requested ${shortened(requestedId)}, received ${shortened(foundId)}`);
  return {
    kind: 'record',
    entityId: requestedId,
    name: name === null ? null : scalarText(valueAt(document, name)),
    document,
  };
}

/** Equality of scalars in the response table: a number equals its text. */
export function sameScalar(value: Json, wanted: string | number | boolean | null): boolean {
  if (value === wanted) return true;
  const text = scalarText(value);
  return text !== null && wanted !== null && text === String(wanted);
}

function decodeStats(dialect: Dialect, body: Json): StatsAnswer | NotUnderstood {
  if (!isJsonObject(body)) return new NotUnderstood(`the statistics are ${kindOf(body)}, not an object`);
  const pointer = dialect.stats.total;
  if (pointer === null) return { kind: 'stats', total: null, document: body };
  const found = valueAt(body, pointer);
  const total = countOf(found);
  // null means unknown, not 0.
  if (total === null && found !== null)
    return new NotUnderstood(
      `the statistics have no count at ${pathInWords(pointer)}: found ${kindOf(found)}`,
    );
  return { kind: 'stats', total, document: body };
}

/** The result of a search without matches. */
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
      return new NotUnderstood(`no list of results at ${pathInWords(search.results)}: found ${kindOf(list)}`);
    return { ...NOTHING_FOUND, total };
  }
  if (list.length > MAX_PAGE_ROWS)
    return new NotUnderstood(
      `one page has ${count(list.length)} results: the maximum is ${count(MAX_PAGE_ROWS)}`,
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
  const next = pagingMethod(search.paging.style).nextPage(search.paging, body, headers);
  const rejected =
    rejectedCount <= MAX_REJECTED_ROWS ? first : [summarize(first, rejectedCount, list.length)];
  return { kind: 'search', rows, rejected, rejectedCount, total, next };
}

/** One entry for many rejected results, with the positions of the first. */
function summarize(
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
    return new NotUnderstood(`no company at ${pathInWords(search.item)}: found ${kindOf(summary)}`);
  const found = valueAt(summary, search.id);
  const entityId = idText(found);
  if (entityId === null)
    return new NotUnderstood(`no id at ${pathInWords(search.id)}: found ${kindOf(found)}`);
  const name = search.name === null ? null : scalarText(valueAt(summary, search.name));
  return { entityId, name, summary };
}

function idText(value: Json | undefined): string | null {
  if (typeof value === 'boolean') return null;
  const text = scalarText(value);
  return text === null || text === '' ? null : text;
}

/** Compares ids as text, without case and surrounding space. A JSON number has lost the leading zeros of the id. */
function isSameId(found: string, requested: string, raw: Json | undefined): boolean {
  if (found === requested) return true;
  if (typeof raw !== 'string') return found === requested.replace(/^0+(?=\d)/, '');
  return found.trim().toLowerCase() === requested.trim().toLowerCase();
}

/** A number of companies: a whole number that is not negative, or its text. */
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

function shortened(id: string): string {
  return JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
}

function count(rows: number): string {
  return rows.toLocaleString('en');
}

const SHOWN_POSITIONS = 5;
