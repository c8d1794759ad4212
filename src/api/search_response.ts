import { headerNameIn } from '../dialect/header_or_path.ts';
import { isJsonObject, type Json, parseJson, stringifyJson } from '../json/json.ts';
import { compileTemplate, type Placement, placedAt } from '../json/json_template.ts';
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
  const templateFor = (isEmpty: boolean, isLast: boolean) =>
    compileTemplate<Hole>(placementsOf(profile, isEmpty, isLast));
  const templates = {
    full: { last: templateFor(false, true), other: templateFor(false, false) },
    empty: { last: templateFor(true, true), other: templateFor(true, false) },
  };

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
    const values = valuesOf(profile, request, { total, items, next }, facts);
    const body =
      templates[items.length === 0 ? 'empty' : 'full'][next === null ? 'last' : 'other'].fill(values);
    const headers = headersOf(profile, values.total, link);
    return jsonResponse(first === undefined ? body : withResultBeside(body, main ?? '', first), headers);
  };
}

type Hole = 'items' | 'total' | 'next' | Echo;

function placementsOf({ dialect, search }: ApiProfile, isEmpty: boolean, isLast: boolean): Placement<Hole>[] {
  const { results, total, paging } = dialect.search;
  const placements: Placement<Hole>[] = [];
  for (const [at, value] of Object.entries(search.fixed)) placements.push({ at, value });
  for (const [at, hole] of Object.entries(search.echo)) placements.push({ at, hole });
  if (total !== null && headerNameIn(total) === null) placements.push({ at: total, hole: 'total' });
  const linkPath = servicePaging(paging).linkPath(paging);
  if (linkPath !== null && (!isLast || search.last_page === 'null'))
    placements.push({ at: linkPath, hole: 'next' });
  if (!isEmpty || search.empty === 'list' || search.empty === 'not_found')
    placements.push({ at: results, hole: 'items' });
  else if (search.empty === 'null') placements.push({ at: results, value: null });
  return placements;
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
  readonly items: readonly string[];
  readonly next: string | null;
}

function valuesOf(
  { dialect: { search } }: ApiProfile,
  { offset, size, query }: SearchRequest,
  found: PageContent,
  facts: RequestFacts,
): Record<Hole, string> {
  const total = Math.min(found.total, search.total_clamped_at ?? Number.POSITIVE_INFINITY);
  return {
    items: `[${found.items.join(',')}]`,
    total: String(total),
    next: JSON.stringify(found.next),
    query: JSON.stringify(query.text),
    page: String(firstPageNumber(search.paging) + Math.floor(offset / size)),
    offset: String(offset),
    size: String(size),
    rows: String(found.items.length),
    pages: String(Math.ceil(total / size)),
    time: JSON.stringify(new Date(facts.nowMs).toISOString()),
    request_id: JSON.stringify(facts.id),
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
function withResultBeside(body: string, at: Pointer, result: string): string {
  const [document, beside]: Json[] = [parseJson(body), parseJson(result)];
  const holder = valueAt(document, at);
  const merged = isJsonObject(holder) && isJsonObject(beside) ? { ...beside, ...holder } : (beside ?? null);
  return stringifyJson(placedAt(document ?? {}, at, merged));
}
