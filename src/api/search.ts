import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { headerNameIn } from '../dialect/header_or_path.ts';
import { valuesIn } from '../dialect/template.ts';
import { isJsonObject, type Json, parseJson, stringifyJson } from '../json/json.ts';
import { placedAt } from '../json/json_template.ts';
import { type Pointer, valueAt } from '../json/pointer.ts';
import type { CompanyQuery } from '../names/query_matching.ts';
import type { ApiProfile, Echo } from './api_profile.ts';
import type { Catalogue } from './catalogue.ts';
import { pathOf } from './http_server.ts';
import { cursorAt, firstNumber, nextPath, offsetOf, pageParam, type QueryParameters } from './paging.ts';
import { RejectedRequest } from './problems.ts';

/** Builds the response to a search, in an API profile's format. Throws RejectedRequest if there is none. */
type SearchResponder = (catalogue: Catalogue, request: FastifyRequest, nowMs: number) => SearchResponse;

interface SearchResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function searchResponder(profile: ApiProfile): SearchResponder {
  const { dialect, search } = profile;
  const { main } = dialect.search;

  return (catalogue, request, nowMs) => {
    const parameters = request.query as QueryParameters;
    const asked = readSearchRequest(profile, parameters);
    const { query, offset } = asked;
    const isTooShort = [...query.text].length < dialect.search.min_length;
    if (isTooShort && search.too_short === 'refuse') throw tooShort(profile);
    const matches = catalogue.search(query, { account: request.account ?? '', from: offset });
    const total = isTooShort ? 0 : matches.total;
    if (search.broad_above !== null && total > search.broad_above) throw tooBroad(total);
    if (total === 0 && search.empty === 'not_found') throw new RejectedRequest({ code: 'nothing_found' });
    const reach = reachOf(profile, asked, total);
    const all = reach.rows === 0 ? [] : matches.items(offset, reach.rows);
    const [first, items] = main !== null && offset === 0 ? [all[0], all.slice(1)] : [undefined, all];
    const link = reach.hasNext ? linkOf(profile, asked, request) : null;
    const next = link ?? repeatedCursor(profile, parameters);
    const facts = { id: request.id, nowMs };
    const values = valuesOf(profile, asked, { total, rows: items.length, next }, facts);
    const body = withValues(profile, values, items.length);
    const complete = first === undefined ? body : withResultBeside(body, main ?? '', first);
    const text = stringifyJson(complete).replace(`"${ITEMS}"`, () => `[${items.join(',')}]`);
    return { body: text, headers: headersOf(profile, String(values.total), link) };
  };
}

/** A placeholder for the list in a body. It is replaced with the items' text, as the catalogue returns it. */
const ITEMS = randomUUID();

type Values = Readonly<Record<'total' | 'next' | Echo, Json>>;

/** Returns the body with all values and with `ITEMS` in place of the list. */
function withValues({ dialect, search }: ApiProfile, values: Values, rows: number): Json {
  const { results, total, paging } = dialect.search;
  let body: Json = {};
  for (const [at, value] of Object.entries(search.fixed)) body = placedAt(body, at, value);
  for (const [at, name] of Object.entries(search.echo)) body = placedAt(body, at, values[name]);
  if (total !== null && headerNameIn(total) === null) body = placedAt(body, total, values.total);
  const linkPath = nextPath(paging);
  if (linkPath !== null && (values.next !== null || search.last_page === 'null'))
    body = placedAt(body, linkPath, values.next);
  if (rows > 0 || search.empty === 'list' || search.empty === 'not_found')
    return placedAt(body, results, ITEMS);
  return search.empty === 'null' ? placedAt(body, results, null) : body;
}

function tooShort({ dialect }: ApiProfile): RejectedRequest {
  const detail = `The query must have at least ${dialect.search.min_length} characters.`;
  return new RejectedRequest({ code: 'query_too_short', detail });
}

function tooBroad(total: number): RejectedRequest {
  const detail = `The query matches too many companies (${total.toLocaleString('en')}).`;
  return new RejectedRequest({ code: 'query_too_broad', detail });
}

/** The number of rows on this page, and whether the client can request another page after it. */
interface Reach {
  readonly rows: number;
  readonly hasNext: boolean;
}

function reachOf(
  { dialect, search: { window } }: ApiProfile,
  { offset, size }: SearchRequest,
  total: number,
): Reach {
  const cap = dialect.search.paging.window ?? Number.POSITIVE_INFINITY;
  const end = window.counts === 'start' ? offset + 1 : offset + size;
  if (window.beyond !== 'empty' && offset > 0 && end > cap)
    throw new RejectedRequest({ code: 'window_exceeded', status: window.beyond });
  const reachable = Math.min(total, cap);
  return { rows: Math.max(0, Math.min(size, reachable - offset)), hasNext: offset + size < reachable };
}

/** Returns the cursor or URL of the next page, or null if the paging style has neither. */
function linkOf(
  { dialect: { search }, search: { absolute_urls } }: ApiProfile,
  { offset, size }: SearchRequest,
  request: FastifyRequest,
): string | null {
  const { paging } = search;
  const param = pageParam(paging);
  if (param === null || firstNumber(paging) !== null) return null;
  const cursor = cursorAt(offset + size);
  if (paging.style === 'cursor') return cursor;
  const url = new URL(pathOf(request), `${request.protocol}://${request.host}`);
  for (const [name, given] of Object.entries(request.query as QueryParameters))
    url.searchParams.set(name, String(given));
  url.searchParams.set(param, cursor);
  return absolute_urls ? url.href : `${url.pathname}${url.search}`;
}

/** Returns the request's cursor if the profile repeats it on the last page, otherwise null. */
function repeatedCursor({ dialect, search }: ApiProfile, parameters: QueryParameters): string | null {
  const { paging } = dialect.search;
  if (search.last_page !== 'repeat' || paging.style !== 'cursor') return null;
  return String(parameters[paging.param] ?? paging.first);
}

interface PageContent {
  readonly total: number;
  readonly rows: number;
  readonly next: string | null;
}

function valuesOf(
  { dialect: { search } }: ApiProfile,
  { offset, size, query }: SearchRequest,
  found: PageContent,
  facts: { readonly id: string; readonly nowMs: number },
): Values {
  const total = Math.min(found.total, search.total_clamped_at ?? Number.POSITIVE_INFINITY);
  return {
    total,
    next: found.next,
    query: query.text,
    page: (search.paging.style === 'page' ? search.paging.first : 1) + Math.floor(offset / size),
    offset,
    size,
    rows: found.rows,
    pages: Math.ceil(total / size),
    time: new Date(facts.nowMs).toISOString(),
    request_id: facts.id,
  };
}

function headersOf({ dialect, search }: ApiProfile, total: string, link: string | null) {
  const header = headerNameIn(dialect.search.total) ?? search.total_header;
  const headers: Record<string, string> = {};
  if (header !== null) headers[header] = total;
  if (link !== null && dialect.search.paging.style === 'link_header') headers.link = `<${link}>; rel="next"`;
  return headers;
}

/**
 * Adds a result to the body at `at`, outside its list. If `at` is '', the result's fields are added to the body itself.
 */
function withResultBeside(body: Json, at: Pointer, result: string): Json {
  const beside = parseJson(result);
  const holder = valueAt(body, at);
  const merged = isJsonObject(holder) && isJsonObject(beside) ? { ...beside, ...holder } : beside;
  return placedAt(body, at, merged);
}

/** A search request: the query and the requested rows. */
interface SearchRequest {
  readonly query: CompanyQuery;
  /** The position of the page's first row, counted from 0. */
  readonly offset: number;
  readonly size: number;
}

/**
 * Converts the query parameters into a search request, following the profile's rules. The route's schema has already
 * validated the parameters.
 *
 * @throws RejectedRequest if they do not form a search.
 */
function readSearchRequest(profile: ApiProfile, parameters: QueryParameters): SearchRequest {
  const query = queryOf(profile, parameters);
  const size = sizeOf(profile, parameters);
  const { paging } = profile.dialect.search;
  const offset = offsetOf(paging, parameters, size);
  if (offset === null)
    throw invalid('The cursor is invalid. Use the cursor that the previous page returned.');
  return { query, size, offset };
}

function queryOf(
  { dialect: { search }, search: { plain_param } }: ApiProfile,
  parameters: QueryParameters,
): CompanyQuery {
  const rules = { names: search.matches, identifiers: search.identifiers };
  const sent = (param: string | null) => (param === null ? null : textOf(parameters[param]));
  const name = sent(search.query_param);
  const identifier = sent(search.identifier_param);
  if (name !== null && identifier !== null)
    throw invalid(`Send either ${search.query_param} or ${search.identifier_param}, not both.`);
  if (identifier !== null) return { by: 'identifier', text: identifier, ...rules };
  const plain = sent(plain_param);
  if (plain !== null && name === null) return { by: 'any', text: plain, ...rules };
  const byTemplate = name === null ? null : fieldIn(name, search.identifier_template);
  if (byTemplate !== null) return { by: 'identifier', text: byTemplate, ...rules };
  if (name === null && search.min_length > 0)
    throw invalid(`The parameter ${search.query_param} is missing.`);
  const text = name === null || name === '' ? '' : fieldIn(name, search.query_template);
  if (text === null) throw invalid(`The query must have the form ${search.query_template}.`);
  const isEither = search.identifier_param === null && search.identifier_template === null && text !== '';
  return { by: isEither ? 'any' : 'name', text, ...rules };
}

function invalid(detail: string): RejectedRequest {
  return new RejectedRequest({ code: 'parameter_invalid', detail });
}

/**
 * Extracts the query from a text that follows a template such as `name:{query}*`. Returns null if the text does not
 * match the template.
 */
function fieldIn(text: string, template: string | null): string | null {
  return template === null ? null : (valuesIn(template, text)?.query?.trim() ?? null);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.trim() : null;
}

function sizeOf({ dialect, search }: ApiProfile, parameters: QueryParameters): number {
  const { size_param, size } = dialect.search.paging;
  if (size_param === null) return size;
  const sent = parameters[size_param];
  return Math.min(typeof sent === 'number' ? sent : search.default_size, size);
}
