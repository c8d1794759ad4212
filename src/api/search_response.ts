import { randomUUID } from 'node:crypto';
import { headerNameIn } from '../dialect/header_or_path.ts';
import { isJsonObject, type Json, parseJson, stringifyJson } from '../json/json.ts';
import { placedAt } from '../json/json_template.ts';
import { type Pointer, valueAt } from '../json/pointer.ts';
import type { ApiProfile, Echo } from './api_profile.ts';
import type { Catalogue } from './catalogue.ts';
import { firstPageNumber, type PageLink, type QueryParameters, servicePaging } from './paging.ts';
import type { Problem } from './problems.ts';
import { type ApiResponse, jsonResponse } from './request_context.ts';
import { readSearchRequest, type SearchRequest } from './search_request.ts';

/** Builds the response to a search, in an API profile's format. */
type SearchResponder = (parameters: QueryParameters, facts: RequestFacts) => ApiResponse | Problem;

export interface RequestFacts {
  /** The scheme and host that the client uses. */
  readonly origin: string;
  readonly path: string;
  readonly id: string;
  readonly nowMs: number;
  /** The id of the account that sent the request. */
  readonly account: string;
}

export function searchResponder(catalogue: Catalogue, profile: ApiProfile): SearchResponder {
  const { dialect, search } = profile;
  const { main } = dialect.search;

  return (parameters, facts) => {
    const request = readSearchRequest(profile, parameters);
    if ('code' in request) return request;
    const tooShort = tooShortProblem(profile, request);
    if (tooShort !== null && search.too_short === 'refuse') return tooShort;
    const matches = catalogue.search(request.query, { account: facts.account, from: request.offset });
    const total = tooShort === null ? matches.total : 0;
    if (search.broad_above !== null && total > search.broad_above)
      return {
        code: 'query_too_broad',
        detail: `The query matches too many companies (${total.toLocaleString('en')}).`,
      };
    if (total === 0 && search.empty === 'not_found') return { code: 'nothing_found' };
    const reach = reachOf(profile, request, total);
    if ('code' in reach) return reach;
    const all = reach.rows === 0 ? [] : matches.items(request.offset, reach.rows);
    const [first, items] = main !== null && request.offset === 0 ? [all[0], all.slice(1)] : [undefined, all];
    const link = reach.hasNext ? linkOf(profile, request, parameters, facts) : null;
    const next = link?.value ?? repeatedCursor(profile, parameters);
    const values = valuesOf(profile, request, { total, rows: items.length, next }, facts);
    const body = withValues(profile, values, items.length);
    const complete = first === undefined ? body : withResultBeside(body, main ?? '', first);
    const text = stringifyJson(complete).replace(`"${ITEMS}"`, () => `[${items.join(',')}]`);
    return jsonResponse(text, headersOf(profile, String(values.total), link));
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
  const linkPath = servicePaging(paging).linkPath(paging);
  if (linkPath !== null && (values.next !== null || search.last_page === 'null'))
    body = placedAt(body, linkPath, values.next);
  if (rows > 0 || search.empty === 'list' || search.empty === 'not_found')
    return placedAt(body, results, ITEMS);
  return search.empty === 'null' ? placedAt(body, results, null) : body;
}

function tooShortProblem({ dialect }: ApiProfile, { query }: SearchRequest): Problem | null {
  const { min_length } = dialect.search;
  if ([...query.text].length >= min_length) return null;
  return { code: 'query_too_short', detail: `The query must have at least ${min_length} characters.` };
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
): Reach | Problem {
  const cap = dialect.search.paging.window ?? Number.POSITIVE_INFINITY;
  const end = window.counts === 'start' ? offset + 1 : offset + size;
  if (window.beyond !== 'empty' && offset > 0 && end > cap)
    return { code: 'window_exceeded', status: window.beyond };
  const reachable = Math.min(total, cap);
  return { rows: Math.max(0, Math.min(size, reachable - offset)), hasNext: offset + size < reachable };
}

/** Returns the link to the next page, or null if the paging style has no links. */
function linkOf(
  { dialect: { search }, search: { absolute_urls } }: ApiProfile,
  { offset, size }: SearchRequest,
  parameters: QueryParameters,
  { origin, path }: RequestFacts,
): PageLink | null {
  const urlWith = (parameter: string, value: string) => {
    const url = new URL(path, origin);
    for (const [name, given] of Object.entries(parameters)) url.searchParams.set(name, String(given));
    url.searchParams.set(parameter, value);
    return absolute_urls ? url.href : `${url.pathname}${url.search}`;
  };
  return servicePaging(search.paging).linkTo(offset + size, search.paging, { urlWith });
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
  facts: RequestFacts,
): Values {
  const total = Math.min(found.total, search.total_clamped_at ?? Number.POSITIVE_INFINITY);
  return {
    total,
    next: found.next,
    query: query.text,
    page: firstPageNumber(search.paging) + Math.floor(offset / size),
    offset,
    size,
    rows: found.rows,
    pages: Math.ceil(total / size),
    time: new Date(facts.nowMs).toISOString(),
    request_id: facts.id,
  };
}

function headersOf(
  { dialect, search }: ApiProfile,
  total: string,
  link: PageLink | null,
): Record<string, string> {
  const header = headerNameIn(dialect.search.total) ?? search.total_header;
  return {
    ...(header === null ? {} : { [header]: total }),
    ...link?.headers,
  };
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
