import { type Call, queryKey } from '../../call.ts';
import { isJsonObject, type Json, scalarText } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { withoutDiacritics, wordsOf } from '../../names/folding.ts';
import { plainText } from '../../names/plain_text.ts';
import { exactTotal } from '../../names/query_matching.ts';
import { trigramsOf } from '../../names/similarity.ts';
import type { Answer, Outcome, SearchRow } from '../../outcome.ts';
import type { Dialect } from '../dialect.ts';
import { readBody } from '../response_body.ts';
import {
  idsDistinct,
  idsIdentify,
  type Judgement,
  matches,
  namesAreText,
  namesMatchQuery,
  namesOfUnnamed,
  namesVary,
  pagesContinue,
  parameterChangesRows,
  totalCountsMatches,
  totalsFollowQuery,
} from './judgements.ts';

/** A response that was read with the dialect under test. */
export type Exchange = ListedPage | OpenedRecord | MissingSearch;

export interface ListedPage {
  readonly kind: 'search';
  readonly key: string;
  /** The query if it is a name; null for identifiers. */
  readonly name: string | null;
  readonly index: number;
  readonly ids: readonly string[];
  /** The first rows, at most SAMPLED_ROWS. */
  readonly rows: readonly SearchRow[];
  readonly count: number;
  readonly total: number | null;
  readonly next: string | null;
  /** The number of rows with a name that matches the query. */
  readonly named: number;
  /** The number of rows with a word of the query anywhere; null if the query has no long word with a letter. */
  readonly related: number | null;
}

interface OpenedRecord {
  readonly kind: 'record';
  readonly entityId: string;
  readonly name: string | null;
}

/** A search to which the upstream responded with a 404 that is not HTML. */
interface MissingSearch {
  readonly kind: 'missing';
  readonly key: string;
  /** The scalars in the body. */
  readonly leaves: readonly Leaf[];
}

/** A key of the dialect that responses contradict. */
interface Contradiction {
  /** The dotted key, relative to `dialect`. */
  readonly key: string;
  readonly because: string;
  /** Companies or queries that show it, at most two. */
  readonly examples: readonly string[];
  /** A value that fits the responses; undefined if none is known. */
  readonly to?: string | null | undefined;
}

/** Converts a response to an exchange; null if it says nothing about the dialect. */
export function exchangeOf(dialect: Dialect, call: Call, answer: Answer): Exchange | null {
  if (answer.kind === 'record') return { kind: 'record', entityId: answer.entityId, name: answer.name };
  if (answer.kind !== 'search' || call.kind !== 'search') return null;
  const { resultCount: count, total, next } = answer;
  const rows = answer.rows.slice(0, SAMPLED_ROWS);
  const query = call.query.by === 'name' ? call.query.text : null;
  return {
    kind: 'search',
    key: queryKey(call.query),
    name: query,
    index: call.page.index,
    ids: answer.rows.slice(0, COMPARED_IDS).map(({ entityId }) => entityId),
    rows,
    count,
    total,
    next,
    named: rows.filter(({ name }) => matches(dialect.search.matches, query ?? '', name)).length,
    related: relatedRows(query ?? '', rows),
  };
}

/** Converts an outcome to an exchange if it is a search that the upstream did not find; null for any other. */
export function missingSearchOf({
  call,
  status,
  headers = {},
  body,
  verdict,
}: Pick<Outcome, 'call' | 'status' | 'headers' | 'body' | 'verdict'>): MissingSearch | null {
  if (call.kind !== 'search' || status !== 404 || body === null || verdict.is !== 'broken') return null;
  const { json, isMarkup } = readBody(body, headers['content-type'] ?? '');
  const leaves = json === undefined ? [] : leavesOf(json);
  return isMarkup ? null : { kind: 'missing', key: queryKey(call.query), leaves };
}

/** Returns the number of rows that contain a word of the query anywhere; null if the query has no long word with a letter. */
function relatedRows(query: string, rows: readonly SearchRow[]): number | null {
  // A number can be an identifier that the summary does not contain.
  const words = query.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word.length >= 3 && /\p{L}/u.test(word));
  if (words.length === 0) return null;
  return rows.filter(({ summary }) =>
    leavesOf(summary).some(({ text }) => words.some((word) => matches('substring', word, text))),
  ).length;
}

/** Returns the keys of the dialect that these exchanges contradict. This function is pure. */
export function contradictionsIn(dialect: Dialect, exchanges: readonly Exchange[]): Contradiction[] {
  const pages = exchanges.filter((exchange) => exchange.kind === 'search');
  const records = exchanges.filter((exchange) => exchange.kind === 'record');
  const missing = exchanges.filter((exchange) => exchange.kind === 'missing');
  return CHECKS.flatMap(({ key, judge }) => {
    const found = judge({ dialect, pages, records, missing });
    return found === null || found.holds !== false ? [] : [{ key, ...found }];
  }).map(({ key, because, examples, to }) => ({
    key,
    because,
    examples: examples.slice(0, 2),
    ...(to === undefined ? {} : { to }),
  }));
}

/** Describes a contradiction in one sentence. */
export function describeContradiction({ key, because, examples, to }: Contradiction): string {
  const shown = examples.length === 0 ? '' : ` (${examples.join('; ')})`;
  const remedy = to === undefined ? '' : `; ${to === null ? 'null' : to === '' ? "''" : to} fits`;
  return `dialect.${key} does not fit the responses: ${because}${shown}${remedy}`;
}

interface Subject {
  readonly dialect: Dialect;
  readonly pages: readonly ListedPage[];
  readonly records: readonly OpenedRecord[];
  readonly missing: readonly MissingSearch[];
}

type Finding = Judgement & Pick<Contradiction, 'examples' | 'to'>;

interface Check {
  readonly key: string;
  /** Null if the dialect leaves the key open. */
  readonly judge: (subject: Subject) => Finding | null;
}

/** The checks, most fundamental first: a wrong list also makes names and totals wrong. */
const CHECKS: readonly Check[] = [
  { key: 'search.query_param', judge: judgeQueryParam },
  { key: 'search.id', judge: judgeIds },
  { key: 'search.name', judge: judgeNames },
  { key: 'search.name_fallbacks', judge: judgeUnnamed },
  { key: 'search.total', judge: judgeTotal },
  { key: 'search.paging', judge: judgePaging },
  { key: 'entity.name', judge: judgeRecordNames },
  { key: 'responses', judge: judgeMissing },
];

/**
 * The query parameter has no effect if all queries return the same rows, although the names do not explain it. Names
 * explain it in a tiny registry in which every name matches every query.
 */
function judgeQueryParam({ pages }: Subject): Finding | null {
  const first = distinctQueries(pages).filter(({ name }) => name !== null && name !== '');
  const judged = parameterChangesRows(first.map(({ ids }) => ids));
  const unexplained = first.filter(({ named, rows }) => named < rows.length / 2);
  const isEnough = first.length >= SAME_QUERIES && unexplained.length >= UNEXPLAINED_QUERIES;
  if (judged.holds === false && isEnough)
    return { ...judged, examples: unexplained.map(exampleOf), holds: false };
  return judgeUnrelated(pages) ?? { ...judged, holds: judged.holds === true ? true : null, examples: [] };
}

/**
 * The parameter is not the one for names if most rows contain no word of their query anywhere, unless the search returns
 * the names that are nearest to the query.
 */
function judgeUnrelated(pages: readonly ListedPage[]): Finding | null {
  const judged = distinctQueries(pages).filter(({ related, rows }) => related !== null && rows.length > 0);
  const rows = sum(judged.map((page) => page.rows.length));
  const related = sum(judged.map((page) => page.related ?? 0));
  if (judged.length < UNEXPLAINED_QUERIES || rows < ENOUGH_ROWS || related > 0.2 * rows) return null;
  if (areNearest(judged)) return null;
  const examples = judged.filter((page) => page.related === 0).map(exampleOf);
  return {
    holds: false,
    because: `${rows - related} of ${rows} rows contain no word of their query`,
    examples,
  };
}

/** Returns whether the rows of most queries share more trigrams with their own query than with the other queries. */
function areNearest(pages: readonly ListedPage[]): boolean {
  const queries = pages.map(({ name }) => [...trigramsOf(withoutDiacritics(name ?? ''))]);
  const nearer = pages.filter(({ rows }, at) => {
    const text = rows
      .flatMap(({ summary }) => leavesOf(summary).map((leaf) => ` ${withoutDiacritics(leaf.text)} `))
      .join('');
    const shares = queries.map((query) => query.filter((one) => text.includes(one)).length / query.length);
    const own = shares[at] ?? 0;
    return own > sum(shares) / shares.length;
  });
  return nearer.length >= NEARER_SHARE * pages.length;
}

function judgeIds({ dialect, pages }: Subject): Finding | null {
  const rows = pages.flatMap((page) => page.rows);
  const examples = rows.map(({ entityId, name }) => `${entityId}: ${JSON.stringify(name)}`);
  if (dialect.search.group_as === null)
    for (const { ids } of pages) {
      const judged = idsDistinct(ids);
      if (judged.holds === false) return { ...judged, examples, to: distinctLeaf(pages) };
    }
  const judged = idsIdentify(rows.map(({ entityId, name }) => ({ id: entityId, name })));
  return { ...judged, examples, to: judged.holds === false ? distinctLeaf(pages) : undefined };
}

function judgeNames({ dialect, pages }: Subject): Finding | null {
  if (dialect.search.name === null) return null;
  const all = pages.flatMap((page) => page.rows);
  const rows = [...new Map(all.map((row) => [row.entityId, row])).values()];
  const examples = rows.map(({ entityId, name }) => `${entityId}: ${JSON.stringify(name)}`);
  const to = () => matchingLeaf(dialect, pages);
  // In a small registry, the same companies are listed again and again.
  const missing = namesVary(all.map(({ name }) => name));
  const areMissing = all.filter(({ name }) => name === null).length > all.length / 2;
  if (missing.holds === false && areMissing) return { ...missing, examples, to: to() };
  const varied = namesVary(rows.map(({ name }) => name));
  // One query can find many companies with the same name.
  const isBroad =
    distinctQueries(pages).length >= UNEXPLAINED_QUERIES || pages.some(({ name }) => name === '');
  if (varied.holds === false && isBroad) return { ...varied, examples, to: to() };
  const text = namesAreText(rows.map(({ entityId, name }) => ({ id: entityId, name })));
  if (text.holds === false) return { ...text, examples, to: to() };
  const sampled = namedQueries(pages).flatMap(({ name: query, rows: listed }) =>
    foundByName(query, listed).map(({ name }) => ({ query, name })),
  );
  const judged = namesMatchQuery(sampled, dialect.search.matches);
  if (judged.holds !== false) return { ...judged, examples };
  // Some APIs also compare other fields. The name is wrong only if one other field explains the rows.
  const better = to();
  return { ...judged, holds: better === undefined ? null : false, examples, to: better };
}

/** Companies without a name have it in another field if that field alone explains why their queries found them. */
function judgeUnnamed({ dialect, pages }: Subject): Finding | null {
  if (dialect.search.name === null) return null;
  const listed = pages.flatMap(({ name: query, rows }) =>
    rows.map((row) => ({ query: query ?? '', ...row })),
  );
  const distinct = [...new Map(listed.map((row) => [row.entityId, row])).values()];
  const [unnamed, named] = [distinct.filter(isUnnamed), distinct.filter((row) => !isUnnamed(row))];
  const found = unnamed.filter(
    ({ query, entityId }) => /\p{L}{2}/u.test(query) && !matches('substring', query, entityId),
  );
  if (found.length < FEW_UNNAMED || named.length < ENOUGH_ROWS) return null;
  const textsOf = ({ summary }: SearchRow) =>
    new Map(leavesOf(summary).map(({ pointer, text }) => [pointer, text]));
  const texts = found.map((row) => ({ query: row.query, texts: textsOf(row) }));
  const to = namesOfUnnamed(texts, named.map(textsOf)).find(
    (pointer) => new Set(texts.map((row) => row.texts.get(pointer))).size > found.length / 2,
  );
  return {
    holds: to === undefined ? null : false,
    because: `${found.length} companies have no name, but another text that matches their query`,
    examples: texts.map(
      ({ texts: own }, at) => `${found[at]?.entityId}: ${JSON.stringify(own.get(to ?? ''))}`,
    ),
    to: to === undefined ? undefined : `[${to}]`,
  };
}

/** Returns whether a row has no name, although its company can have one at another path. */
export function isUnnamed({ name }: SearchRow): boolean {
  return name === null || name.trim() === '';
}

function judgeTotal({ dialect, pages }: Subject): Finding | null {
  const { search } = dialect;
  if (search.total === null) return null;
  // A total at its stated cap means "at least", so a next page does not contradict it.
  const counted = pages
    .filter(({ index, total }) => index === 0 && (total === null || total !== search.total_clamped_at))
    .map((page) => {
      const next = pages.find(({ key, index }) => key === page.key && index === 1);
      const hasNext = next === undefined ? null : next.ids.some((id) => !page.ids.includes(id));
      return { page, rows: page.count, total: page.total, hasNext };
    });
  const judged = search.group_as === null ? totalCountsMatches(counted) : null;
  const examples = counted
    .filter(({ rows, total }) => rows > 0 && total !== null && total <= rows)
    .map(({ page }) => exampleOf(page));
  if (judged?.holds === false) return { ...judged, examples, to: null };
  const ended = endedListings(pages, search.paging.size).filter(
    ({ first: { total } }) => total === null || exactTotal(total, dialect) !== null,
  );
  const follows = totalsFollowQuery(
    ended.map(({ first, rows }) => ({ query: first.key, rows, total: first.total })),
  );
  // If the page size is wrong, pages that look short can be full. Then they all have the same number of rows.
  const isCut = ended.every(({ isSure }) => !isSure) && new Set(ended.map(({ rows }) => rows)).size === 1;
  if (follows.holds === false && !isCut)
    return { ...follows, examples: ended.map(({ first }) => exampleOf(first)), to: null };
  return judged === null ? null : { ...judged, examples };
}

/** Returns the listings that were read to their end: their last page is empty, or has fewer rows than a full page. */
function endedListings(pages: readonly ListedPage[], size: number) {
  return namedQueries(pages).flatMap((first) => {
    const own = pages.filter(({ key }) => key === first.key);
    const rows = sum(own.map(({ count }) => count));
    const last = own.reduce((latest, page) => (page.index > latest.index ? page : latest));
    const isRead = new Set(own.map(({ index }) => index)).size === last.index + 1;
    const hasEnded = isRead && rows > 0 && last.count < size && last.next === null;
    return hasEnded ? [{ first, rows, isSure: last.count === 0 }] : [];
  });
}

function judgePaging({ dialect: { search }, pages }: Subject): Finding | null {
  const { style } = search.paging;
  if (style !== 'page' && style !== 'offset') return null;
  const pairs = pages.flatMap((page) => {
    const second = pages.find(({ key, index }) => key === page.key && index === 1);
    return page.index === 0 && second !== undefined ? [[page, second] as const] : [];
  });
  const judged = pagesContinue(
    pairs.map(([one, two]) => ({
      first: one.ids,
      second: two.ids,
      hasMore: one.total !== null && one.total > one.count,
    })),
  );
  return { ...judged, examples: pairs.map(([page]) => exampleOf(page)) };
}

function judgeRecordNames({ dialect, pages, records }: Subject): Finding | null {
  if (dialect.entity.name === null) return null;
  const opened = [...new Map(records.map((record) => [record.entityId, record])).values()];
  const examples = opened.map(({ entityId, name }) => `${entityId}: ${JSON.stringify(name)}`);
  const judged = namesVary(opened.map(({ name }) => name));
  if (judged.holds === false || dialect.search.name === null) return { ...judged, examples };
  const listed = new Map(pages.flatMap(({ rows }) => rows.map(({ entityId, name }) => [entityId, name])));
  const pairs = opened.flatMap(({ entityId, name }) => {
    const other = listed.get(entityId) ?? null;
    return other === null || name === null ? [] : [{ entityId, name, other }];
  });
  const words = (text: string) => wordsOf(withoutDiacritics(text));
  const isUnlike = ({ name, other }: { name: string; other: string }) =>
    name !== other && !words(name).some((word) => words(other).includes(word));
  if (pairs.length < COMPARED_RECORDS || !pairs.every(isUnlike)) return { ...judged, examples };
  return {
    holds: false,
    because: `none of ${pairs.length} records has a word of the name in the search result`,
    examples: pairs.map(
      ({ entityId, name, other }) =>
        `${entityId}: ${JSON.stringify(name)}, listed as ${JSON.stringify(other)}`,
    ),
  };
}

/** If many searches are not found although others are, a 404 means that nothing was found. A person has to confirm it. */
function judgeMissing({ pages, missing }: Subject): Finding | null {
  const queries = [...new Map(missing.map((one) => [one.key, one])).values()];
  if (queries.length < MISSING_QUERIES || pages.every(({ count }) => count === 0)) return null;
  const isIn = (leaves: readonly Leaf[], { pointer, text }: Leaf) =>
    leaves.some((leaf) => leaf.pointer === pointer && leaf.text === text);
  const mark = queries[0]?.leaves.find(
    (leaf) => /\p{L}/u.test(leaf.text) && queries.every(({ leaves }) => isIn(leaves, leaf)),
  );
  const condition = mark === undefined ? '' : `at: ${mark.pointer}, is: ${JSON.stringify(mark.text)}, `;
  return {
    holds: false,
    because: `${queries.length} searches returned HTTP 404, although others found companies`,
    examples: queries.map(({ key }) => key),
    to: `[{ status: 404, kind: search, ${condition}means: absent }]`,
  };
}

/** Returns the first page of each query. */
function distinctQueries(pages: readonly ListedPage[]): ListedPage[] {
  return [...new Map(pages.filter(({ index }) => index === 0).map((page) => [page.key, page])).values()];
}

function namedQueries(pages: readonly ListedPage[]): (ListedPage & { readonly name: string })[] {
  return distinctQueries(pages).filter(
    (page): page is ListedPage & { name: string } => page.name !== null && page.name !== '',
  );
}

/** Returns the rows that a query did not find by their ids, because a parameter for names can find identifiers too. */
function foundByName(query: string, rows: readonly SearchRow[]): readonly SearchRow[] {
  return rows.filter(({ entityId }) => !matches('substring', query, entityId));
}

/**
 * Returns the path of the text that matches the queries in nearly all rows and differs from row to row. A text in which
 * HTML marks the words of the query is an extract of what was found, and no name.
 */
function matchingLeaf(dialect: Dialect, pages: readonly ListedPage[]): string | undefined {
  const matching = new Map<string, { matched: number; repeated: number; readonly values: Set<string> }>();
  let rowCount = 0;
  for (const { name: query, rows } of namedQueries(pages))
    for (const { summary } of foundByName(query, rows)) {
      rowCount += 1;
      for (const { pointer, text, isMarked } of leavesOf(summary)) {
        const found = matching.get(pointer) ?? { matched: 0, repeated: 0, values: new Set() };
        if (text === query) found.repeated += 1;
        if (!isMarked && matches(dialect.search.matches, query, text)) found.matched += 1;
        matching.set(pointer, { ...found, values: found.values.add(text) });
      }
    }
  const [best] = [...matching]
    .filter(([pointer, { matched, repeated, values }]) => {
      const isVaried = values.size >= Math.min(rowCount, ENOUGH_ROWS) / 2;
      // A field can repeat the query.
      const isOwn = pointer !== dialect.search.name && repeated < 0.5 * rowCount;
      return isOwn && matched >= 0.9 * rowCount && isVaried;
    })
    .sort(([, a], [, b]) => b.matched - a.matched);
  return rowCount < FEW_ROWS ? undefined : best?.[0];
}

/**
 * Returns the path of the first scalar that differs in all rows. A scalar in which alone the rows of two queries differ,
 * such as a score, can change with the query and identifies nothing.
 */
function distinctLeaf(pages: readonly ListedPage[]): string | undefined {
  const rows = pages.flatMap(({ key, rows: listed }) =>
    listed.map(({ summary }) => ({ key, leaves: leavesOf(summary) })),
  );
  const unlike = [...new Map(rows.map((row) => [JSON.stringify(row.leaves), row])).values()];
  const changesWithQuery = (pointer: string) => {
    const queries = new Map<string, string>();
    return unlike.some(({ key, leaves }) => {
      const others = JSON.stringify(leaves.filter((leaf) => leaf.pointer !== pointer));
      const first = queries.get(others) ?? key;
      queries.set(others, first);
      return first !== key;
    });
  };
  const values = new Map<string, Set<string>>();
  for (const { leaves } of unlike)
    for (const { pointer, text } of leaves) values.set(pointer, (values.get(pointer) ?? new Set()).add(text));
  return [...values].find(
    ([pointer, distinct]) => distinct.size === unlike.length && !changesWithQuery(pointer),
  )?.[0];
}

interface Leaf {
  readonly pointer: string;
  readonly text: string;
  /** Whether the text has HTML, which is removed. */
  readonly isMarked: boolean;
}

/** Returns the scalars in a summary. Elements of longer lists are selected by position. */
function leavesOf(value: Json, path: readonly string[] = []): Leaf[] {
  if (Array.isArray(value)) {
    const [only] = value;
    if (only !== undefined && value.length === 1) return leavesOf(only, path);
    const last = value.length - 1;
    return value
      .slice(0, MAX_ELEMENTS)
      .flatMap((element, at) => leavesOf(element, [...path, at === last ? '[last]' : String(at)]));
  }
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  const text = scalarText(value);
  if (text === null) return [];
  return [{ pointer: pointerOf(path), text: plainText(text), isMarked: /<\/\w+>/.test(text) }];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function exampleOf({ key, rows, total }: ListedPage): string {
  const first = rows.slice(0, 2).map(({ name, entityId }) => JSON.stringify(name ?? entityId));
  return `${key} found ${first.join(', ')}${total === null ? '' : `, total ${total}`}`;
}

const SAMPLED_ROWS = 20;
const COMPARED_IDS = 1_000;
const MAX_ELEMENTS = 20;
const ENOUGH_ROWS = 20;
const FEW_ROWS = 10;
const FEW_UNNAMED = 5;
const SAME_QUERIES = 5;
const UNEXPLAINED_QUERIES = 3;
const NEARER_SHARE = 0.9;
const COMPARED_RECORDS = 10;
const MISSING_QUERIES = 6;
