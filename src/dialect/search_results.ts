import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { pathInWords, segmentsOf, valueAt, valueAtKeys } from '../json/pointer.ts';
import type { SearchAnswer, SearchRow } from '../outcome.ts';
import { countOf, idIn, idText, kindOf, NotUnderstood, nameIn } from './body_values.ts';
import type { Pointer, SearchDialect } from './dialect.ts';
import { headerNameIn } from './header_or_path.ts';
import type { Headers } from './headers.ts';
import { pagingMethod } from './paging/paging.ts';
import { MAX_PAGE_ROWS, MAX_REJECTED_ROWS } from './response_limits.ts';
import { totalAt } from './total.ts';

/** The decoded result of a search without matches. */
export const NOTHING_FOUND: SearchAnswer = {
  kind: 'search',
  rows: [],
  rejected: [],
  withoutId: 0,
  resultCount: 0,
  total: 0,
  next: null,
};

/**
 * Reads a page of search results according to the dialect. `pageIndex` is 0 for the first page. This function is pure
 * and never throws.
 */
export function decodeSearch(
  search: SearchDialect,
  body: Json,
  headers: Headers,
  pageIndex: number,
): SearchAnswer | NotUnderstood {
  const isPartial = isPartialResponse(body, search.results);
  // The total of a partial response counts what was found in time.
  const total = isPartial ? null : totalAt(search.total, headers, body);
  const found = resultsIn(body, search.results);
  const listed = listedIn(found, search) ?? onlyResultIn(body, search);
  const main = mainRow(search, body);
  const hasMatches = pageIndex === 0 && main === null && total !== null && total >= CERTAIN_TOTAL;
  if (listed === null) {
    const isMissing = found === undefined || found === '';
    // A page after the last one has a total, but some APIs omit its list.
    const isPastLast = pageIndex > 0 && total !== null;
    const meansEmpty =
      // Null is an empty list.
      (found === null && !hasMatches) ||
      (isMissing &&
        (total === 0 || isPastLast || main !== null || (search.absent_when_empty && !hasMatches)));
    if (!meansEmpty)
      return new NotUnderstood(
        `no list of results at ${pathInWords(search.results)}: found ${kindOf(found)}`,
      );
    if (main === null) return { ...NOTHING_FOUND, total };
  }
  const list = listed ?? [];
  if (list.length === 0 && hasMatches)
    return new NotUnderstood(
      `the first page has no results at ${pathInWords(search.results)}, although the total is ${count(total)}`,
    );
  if (list.length > MAX_PAGE_ROWS)
    return new NotUnderstood(
      `one page has ${count(list.length)} results, but the maximum is ${count(MAX_PAGE_ROWS)}`,
    );
  const rows: SearchRow[] = [];
  const withoutId: Rejection[] = [];
  const unusable: Rejection[] = [];
  for (const [position, { item, key }] of list.entries()) {
    // `forget` replaces companies in stored responses with null, so that the other results keep their positions.
    if (item === null) continue;
    const row = rowOf(search, item, key);
    if (!(row instanceof NotUnderstood)) rows.push(row);
    else (row instanceof WithoutId ? withoutId : unusable).push({ position, why: row.why });
  }
  // An API can list companies that have no id yet. If most results have none, the dialect is wrong.
  const isUsual = withoutId.length <= rows.length;
  const rejected = isUsual ? unusable : [...withoutId, ...unusable].sort((a, b) => a.position - b.position);
  const isBeside = main !== null && !rows.some(({ entityId }) => entityId === main.entityId);
  if (isBeside) rows.unshift(main);
  if (rows.length === 0 && rejected.length > 0)
    return new NotUnderstood(`none of ${count(rejected.length)} results is usable: ${rejected[0]?.why}`);
  return {
    kind: 'search',
    rows: search.group_as === null ? rows : grouped(rows, search.group_as),
    rejected: rejected.length <= MAX_REJECTED_ROWS ? rejected : [summarize(rejected, list.length)],
    withoutId: isUsual ? withoutId.length : 0,
    // A later page may repeat the result that is outside the list. Counting that result again could end the listing too
    // early.
    resultCount: list.length + (isBeside && pageIndex === 0 ? 1 : 0),
    total,
    next: pagingMethod(search.paging.style).nextPage(search.paging, body, headers),
    ...(isPartial && { isPartial }),
  };
}

interface Rejection {
  readonly position: number;
  readonly why: string;
}

/** A result with nothing in place of the id. */
class WithoutId extends NotUnderstood {}

// Smaller totals may count companies that the upstream does not show.
const CERTAIN_TOTAL = 10;

/** A result and, in an object with a key for each result, its key. */
interface Listed {
  readonly item: Json;
  readonly key: string | null;
}

/** Returns the results, or null if the value is no list of results. */
function listedIn(found: Json | undefined, search: SearchDialect): Listed[] | null {
  const all = elementsAt(found, search.results);
  if (all === null || Array.isArray(found) || search.results.endsWith(KEYED)) return all;
  // An object is the only result if it has an id. Otherwise it may be an error.
  return all.every(({ item, key }) => !(rowOf(search, item, key) instanceof NotUnderstood)) ? all : null;
}

/** Some APIs return the only match itself, without a list. A body with an id but no name may be an error. */
function onlyResultIn(body: Json, search: SearchDialect): Listed[] | null {
  if (search.main !== null) return null;
  const row = rowOf(search, body);
  return row instanceof NotUnderstood || row.name === null ? null : [{ item: body, key: null }];
}

/**
 * Returns the elements of a list. With a path such as `/records/{id}`, they are the values of an object. APIs that
 * convert XML write a list with one element as that element, except at the top of the body. Returns null for any other
 * value.
 */
export function elementsAt(found: Json | undefined, results: Pointer): Listed[] | null {
  if (Array.isArray(found)) return found.map((item) => ({ item, key: null }));
  if (!isJsonObject(found)) return null;
  if (results.endsWith(KEYED)) return keyedResults(found);
  return results === '' ? null : [{ item: found, key: null }];
}

/** Returns the results in an object that has one for each key. A list or an empty object beside them is no company. */
export function keyedResults(object: JsonObject): { readonly item: Json; readonly key: string }[] {
  const isResult = (item: Json) =>
    !Array.isArray(item) && !(isJsonObject(item) && Object.keys(item).length === 0);
  return Object.entries(object).flatMap(([key, item]) => (isResult(item) ? [{ item, key }] : []));
}

/** Returns the list or object that has the results. A key `*` stands for all elements of a list, whose lists are joined. */
export function resultsIn(body: Json | undefined, results: Pointer): Json | undefined {
  return joinedAt(body, segmentsOf(listPointer(results)));
}

function joinedAt(value: Json | undefined, keys: readonly string[]): Json | undefined {
  const at = keys.indexOf('*');
  const found = valueAtKeys(value, at === -1 ? keys : keys.slice(0, at));
  if (at === -1 || !Array.isArray(found)) return at === -1 ? found : undefined;
  return found.flatMap((element) => joinedAt(element, keys.slice(at + 1)) ?? []);
}

/** Returns the path of the list or object that has the results. */
export function listPointer(results: Pointer): Pointer {
  return results.endsWith(KEYED) ? results.slice(0, -KEYED.length) : results;
}

const KEYED = '/{id}';

function rowOf(
  search: SearchDialect,
  item: Json | undefined,
  key: string | null = null,
): SearchRow | NotUnderstood {
  const summary = companyIn(search, item);
  if (!isJsonObject(summary))
    return new NotUnderstood(`no company at ${pathInWords(search.item)}: found ${kindOf(summary)}`);
  const found = idIn(summary, search);
  const isText = idText(valueAt(item, search.item)) !== null;
  // Texts by key can be those of an error.
  const entityId = idText(found) ?? (isText ? null : key);
  if (entityId === null && isText)
    return new NotUnderstood(
      `no id at ${pathInWords(search.id)}: the result is ${kindOf(item)}, which is at /value`,
    );
  if (entityId === null) {
    const why = `no id at ${pathInWords(search.id)}: found ${kindOf(found)}`;
    return found === undefined || found === null || found === ''
      ? new WithoutId(why)
      : new NotUnderstood(why);
  }
  return { entityId, name: nameIn(summary, search), summary };
}

/**
 * Returns the company in a result as an object. A text or a number becomes an object with the key `value`. A list of
 * cells becomes an object with the keys `cell_1`, `cell_2` and so on.
 */
export function companyIn({ item }: Pick<SearchDialect, 'item'>, result: Json | undefined): Json | undefined {
  const company = valueAt(result, item);
  if (Array.isArray(company))
    return Object.fromEntries(company.map((cell, at) => [`cell_${at + 1}`, cell] as const));
  return idText(company) === null ? company : { value: company as Json };
}

/**
 * Returns the result that is outside the list, or null if there is none. The list, total and next-page link are removed
 * from it.
 */
function mainRow(search: SearchDialect, body: Json): SearchRow | null {
  if (search.main === null) return null;
  const { paging, results, total } = search;
  const inBody = headerNameIn(total) === null ? total : null;
  const others = [listPointer(results), inBody, 'next' in paging ? paging.next : null].filter(
    (path) => path !== null,
  );
  const bare = others.reduce((rest, path) => withoutPath(rest, segmentsOf(path)), body);
  const row = rowOf(search, valueAt(bare, search.main));
  return row instanceof NotUnderstood ? null : row;
}

function withoutPath(value: Json, [key, ...deeper]: readonly string[]): Json {
  if (key === undefined || !isJsonObject(value) || !Object.hasOwn(value, key)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    deeper.length === 0
      ? members.filter(([name]) => name !== key)
      : members.map(([name, inner]) => [name, name === key ? withoutPath(inner, deeper) : inner]),
  );
}

/** Groups the rows by company. A company's row is its first result, with a list of all its results. */
function grouped(rows: readonly SearchRow[], key: string): SearchRow[] {
  return [...Map.groupBy(rows, ({ entityId }) => entityId).values()].flatMap((ofCompany) => {
    const [row] = ofCompany;
    if (row === undefined) return [];
    return [{ ...row, summary: { ...row.summary, [key]: ofCompany.map(({ summary }) => summary) } }];
  });
}

/** Summarizes many rejected results in one entry that lists the first few positions. */
function summarize(rejected: readonly Rejection[], resultCount: number): { position: null; why: string } {
  const positions = rejected.slice(0, SHOWN_POSITIONS).map(({ position }) => position);
  return {
    position: null,
    why: `${count(rejected.length)} of ${count(resultCount)} results are not usable (positions ${positions.join(', ')}, …): ${rejected[0]?.why}`,
  };
}

function count(rows: number): string {
  return rows.toLocaleString('en');
}

const SHOWN_POSITIONS = 5;

/**
 * Returns whether a search response states beside its results that some are missing, such as `{"timed_out": true}` or
 * `{"_shards": {"failed": 1}}`. A listing does not end with such a response.
 */
function isPartialResponse(body: Json, results: Pointer): boolean {
  const [list] = segmentsOf(results);
  if (!isJsonObject(body) || list === '{id}') return false;
  return Object.entries(body).some(
    ([key, value]) =>
      states(key, value) ||
      (key !== list &&
        isJsonObject(value) &&
        Object.entries(value).some(
          ([inner, one]) =>
            states(inner, one) || (SHARDS.test(key) && inner === 'failed' && countOf(one) !== 0),
        )),
  );
}

function states(key: string, value: Json): boolean {
  return (value === true || value === 'true') && PARTIAL.test(key.replace(/[^a-z]/gi, ''));
}

const PARTIAL = /^(timedout|terminatedearly|(is|results?)?(partial|incomplete|truncated)(results?)?)$/i;
const SHARDS = /^_?shards$/;
