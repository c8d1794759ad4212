import { compileTemplate, type Placement, type Template } from '../json/json_template.ts';
import type { ApiProfile } from './api_profile.ts';
import type { Catalogue } from './catalogue.ts';
import { listedResults, textOf, withResultBeside } from './listed_results.ts';
import { firstPageNumber, type PageLink, type QueryParameters, servicePaging } from './paging.ts';
import type { Problem } from './problems.ts';
import { type ApiResponse, jsonResponse } from './request_context.ts';
import type { Echo } from './search_profile.ts';
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
  const { search } = profile;
  const templates = new Map<string, Template<Hole>>();
  const item = compileTemplate<'item'>([{ at: search.item, hole: 'item' }]);

  const templateFor = (isEmpty: boolean, isLast: boolean): Template<Hole> => {
    const key = `${isEmpty} ${isLast}`;
    const known = templates.get(key);
    if (known) return known;
    const compiled = compileTemplate<Hole>(placementsOf(profile, isEmpty, isLast));
    templates.set(key, compiled);
    return compiled;
  };

  return (parameters, facts) => {
    const request = readSearchRequest(profile, parameters);
    if ('code' in request) return request;
    const tooShort = tooShortProblem(profile, request);
    if (tooShort !== null && search.too_short === 'refuse') return tooShort;
    const matches = listedResults(
      catalogue.search(search.flaws.deaf ? { ...request.query, by: 'name', text: '' } : request.query, {
        account: facts.account,
        from: request.offset,
      }),
      search.results_per_company,
    );
    const total = tooShort === null ? matches.total : 0;
    if (search.broad_above !== null && total > search.broad_above)
      return {
        code: 'query_too_broad',
        detail: `The query matches too many companies (${total.toLocaleString('en')}).`,
      };
    if (total === 0 && search.empty === 'not_found') return { code: 'nothing_found' };
    const reach = reachOf(profile, request, total);
    if ('code' in reach) return reach;
    const results = reach.rows === 0 ? [] : matches.results(firstRow(profile, request), reach.rows);
    const all = results.map((result) => item.fill({ item: textOf(result, catalogue) }));
    const isMain = search.main !== null && request.offset === 0;
    const [main, items] = isMain ? [all[0], all.slice(1)] : [undefined, all];
    const link = linkOf(profile, request, reach, parameters, facts);
    const next = link?.value ?? repeatedCursor(profile, parameters);
    const values = valuesOf(profile, request, { total: reportedTotal(profile, total), items, next }, facts);
    const headers = headersOf(profile, values.total, link);
    const body = templateFor(items.length === 0, next === null).fill(values);
    return jsonResponse(main === undefined ? body : withResultBeside(body, search.main, main), headers);
  };
}

/** Returns the request's cursor if the profile repeats it on the last page, otherwise null. */
function repeatedCursor({ search }: ApiProfile, parameters: QueryParameters): string | null {
  const { paging } = search;
  if (search.last_page !== 'repeat' || paging.style !== 'cursor') return null;
  return String(parameters[paging.param] ?? paging.first);
}

type Hole = 'items' | 'total' | 'next' | Echo;

/** The number of rows on this page, and whether the client can request another page after it. */
interface Reach {
  readonly rows: number;
  readonly hasNext: boolean;
}

function placementsOf({ search }: ApiProfile, isEmpty: boolean, isLast: boolean): Placement<Hole>[] {
  const placements: Placement<Hole>[] = [];
  for (const [at, value] of Object.entries(search.fixed)) placements.push({ at, value });
  for (const [at, hole] of Object.entries(search.echo)) placements.push({ at, hole });
  if (search.total !== null) placements.push({ at: search.total, hole: 'total' });
  const linkPath = servicePaging(search.paging).linkPath(search.paging);
  if (linkPath !== null && (!isLast || search.last_page === 'null'))
    placements.push({ at: linkPath, hole: 'next' });
  if (!isEmpty || search.empty === 'list' || search.empty === 'not_found')
    placements.push({ at: search.results, hole: 'items' });
  else if (search.empty === 'null') placements.push({ at: search.results, value: null });
  return placements;
}

function tooShortProblem({ search }: ApiProfile, { query }: SearchRequest): Problem | null {
  if ([...query.text].length >= search.min_length) return null;
  return { code: 'query_too_short', detail: `The query must have at least ${search.min_length} characters.` };
}

function reachOf(
  { search: { window, flaws } }: ApiProfile,
  { offset, size }: SearchRequest,
  total: number,
): Reach | Problem {
  const reachable = Math.min(total, window?.rows ?? total);
  if (flaws.stuck) return { rows: Math.min(size, reachable), hasNext: size < reachable };
  if (window !== null && window.beyond !== 'empty') {
    const isBeyond = window.counts === 'start' ? offset >= window.rows : offset + size > window.rows;
    if (isBeyond && offset > 0) return { code: 'window_exceeded', status: window.beyond };
  }
  return { rows: Math.max(0, Math.min(size, reachable - offset)), hasNext: offset + size < reachable };
}

/** Returns the link to the next page, or null if there is no next page or the paging style has no links. */
function linkOf(
  { search }: ApiProfile,
  { offset, size }: SearchRequest,
  reach: Reach,
  parameters: QueryParameters,
  { origin, path }: RequestFacts,
): PageLink | null {
  if (!reach.hasNext) return null;
  const urlWith = (parameter: string, value: string) => {
    const url = new URL(path, origin);
    for (const [name, given] of Object.entries(parameters)) url.searchParams.set(name, String(given));
    url.searchParams.set(parameter, value);
    return search.absolute_urls ? url.href : `${url.pathname}${url.search}`;
  };
  return servicePaging(search.paging).linkTo(offset + size, search.paging, { urlWith });
}

function reportedTotal({ search: { total_clamped_at, flaws } }: ApiProfile, total: number): number {
  return Math.min(Math.round(total * (1 + flaws.total_off)), total_clamped_at ?? Number.POSITIVE_INFINITY);
}

function firstRow({ search: { flaws } }: ApiProfile, { offset }: SearchRequest): number {
  if (offset === 0 || flaws.stuck) return 0;
  return Math.max(0, offset - flaws.drift);
}

interface PageContent {
  readonly total: number;
  readonly items: readonly string[];
  readonly next: string | null;
}

function valuesOf(
  { search: { paging } }: ApiProfile,
  request: SearchRequest,
  found: PageContent,
  facts: RequestFacts,
): Record<Hole, string> {
  const { offset, size, query } = request;
  return {
    items: `[${found.items.join(',')}]`,
    total: String(found.total),
    next: JSON.stringify(found.next),
    query: JSON.stringify(query.text),
    page: String(firstPageNumber(paging) + Math.floor(offset / size)),
    offset: String(offset),
    size: String(size),
    rows: String(found.items.length),
    pages: String(Math.ceil(found.total / size)),
    time: JSON.stringify(new Date(facts.nowMs).toISOString()),
    request_id: JSON.stringify(facts.id),
  };
}

function headersOf({ search }: ApiProfile, total: string, link: PageLink | null): Record<string, string> {
  return {
    ...(search.total_header === null ? {} : { [search.total_header]: total }),
    ...link?.headers,
  };
}
