import { isLimitHeader } from '../dialect/headers.ts';
import type { Beliefs, SearchBeliefs } from './beliefs.ts';
import { isNamed, listsAll } from './dialect_draft.ts';
import { isSameRefusal, readError } from './errors.ts';
import type { ProbeExchange } from './exchange.ts';
import { plain, type ReportedFinding, reported } from './fields.ts';
import { oneListSize } from './lengths.ts';
import type { Specification } from './openapi/specification.ts';
import { isEmptyQuery, isTruncated } from './pages.ts';
import { isPagingParam, roleOfParam } from './words.ts';

/** Returns an OpenAPI document's statements in readable form, in the report's order. */
export function reportStatements(specification: Specification): ReportedFinding[] {
  const { addresses, recordPath, keyHeader, queryParam, minLength } = specification;
  const { identifierParam, pageParam, sizeParam, maxSize } = specification;
  return [
    reported('search path', null, addresses, (paths) => paths?.search ?? null),
    reported('record path', null, recordPath, plain),
    reported('key header', null, keyHeader, plain),
    reported('query parameter', 'search.query_param', queryParam, plain),
    reported('shortest query', 'search.min_length', minLength, plain),
    reported('identifier parameter', 'search.identifier_param', identifierParam, plain),
    reported('next page', 'search.paging', pageParam, plain),
    reported('page size parameter', 'search.paging.size_param', sizeParam, plain),
    reported('largest page', 'search.paging.size', maxSize, plain),
  ];
}

/** Returns the response headers that report limits, each with its value in the last response that has it. */
export function limitHeaders(
  exchanges: readonly ProbeExchange[],
): { readonly name: string; readonly value: string }[] {
  const last = new Map<string, string>();
  for (const { headers } of exchanges)
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && isLimitHeader(name)) last.set(name, value.slice(0, 120));
  return [...last].map(([name, value]) => ({ name, value }));
}

/** A question that the user can answer better than the API, and what the answer changes. */
export interface Question {
  readonly about: 'query_param' | 'example' | 'record' | 'paging' | 'stats_total' | 'address';
  readonly text: string;
}

/** Returns the questions for the user, most important first. */
export function questionsFor(beliefs: Beliefs, exchanges: readonly ProbeExchange[]): Question[] {
  const { addresses, query, search, registryTotal, evidence, onlyLists } = beliefs;
  const informative = exchanges.filter(({ reading }) => reading !== 'rejected');
  // If the key was refused or the quota is used up, the ending states what to do.
  if (informative.length === 0) return [];
  if (addresses.value === null) return [{ about: 'address', text: addressQuestion(informative) }];
  if (search === null && query.value !== null)
    return [{ about: 'example', text: searchFlaw(evidence.searches) + EXAMPLE }];
  if (query.value === null && !listsAll(beliefs))
    return [{ about: 'query_param', text: paramQuestion(beliefs) }];
  if (search === null) return [];
  const questions: Question[] = [];
  const oneList = query.value === null ? oneListSize(search.pages) : null;
  if (query.certainty === 'open' && oneList !== null)
    questions.push({ about: 'query_param', text: oneListQuestion(oneList) });
  if (search.record.value === null || !isNamed(search))
    questions.push({ about: 'record', text: recordQuestion(search, informative) });
  // An API that only lists has no other way to the rest.
  const isTruncatedSeen = search.pages.some((page) =>
    ['yes', ...(onlyLists ? ['maybe'] : [])].includes(isTruncated(page, search.pages)),
  );
  if (search.paging.value === null && isTruncatedSeen) questions.push({ about: 'paging', text: PAGING });
  if (registryTotal.certainty === 'likely' && registryTotal.value !== null)
    questions.push({
      about: 'stats_total',
      text: `Is the number ${registryTotal.value} in the statistics the total number of companies? (${registryTotal.because})`,
    });
  return questions;
}

function addressQuestion(exchanges: readonly ProbeExchange[]): string {
  // The latest responses belong to the paths that are configured now.
  return `No address returns companies${triedIn(exchanges)}. Is base_url correct? It must end before the paths begin. If the API uses other paths, set upstream.paths, such as { search: /v1/companies }, from the host's root.`;
}

function summaryOf({ status, json, text, flaw, headers: { location } }: ProbeExchange): string {
  if (status === null) return 'no response';
  if (status >= 300 && status < 400 && location !== undefined)
    return `HTTP ${status}, redirected to ${location}`;
  if (json !== undefined && text !== '') return `HTTP ${status} with JSON`;
  const title = /<title>\s*([^<]{1,60})/i.exec(text)?.[1]?.trim();
  if (title !== undefined) return `HTTP ${status} with HTML titled "${title}"`;
  if (/^\s*</.test(text))
    return `HTTP ${status} with ${/^\s*<(!doctype )?html/i.test(text) ? 'HTML' : 'XML'}`;
  const start = text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 40);
  if (start !== '') return `HTTP ${status} with text that is not valid JSON: ${start}`;
  return `HTTP ${status}: ${flaw ?? 'the body is empty'}`;
}

/** Describes a successful search whose body is not JSON, or returns '' if there is none. */
function searchFlaw(searches: readonly ProbeExchange[]): string {
  const broken = searches.find(({ status, json }) => status === 200 && json === undefined);
  return broken === undefined ? '' : `The search does not return JSON (${summaryOf(broken)}). `;
}

function paramQuestion(beliefs: Beliefs): string {
  const { searches } = beliefs.evidence;
  const names = searches.flatMap(({ request }) => request.params.map(([name]) => name));
  const tried = [...new Set(names)].filter((name) => roleOfParam(name) !== 'size' && !isPagingParam(name));
  const pages = beliefs.search?.pages.filter(({ rows }) => rows.length > 0) ?? [];
  const isIgnored = pages.length > 1 && new Set(pages.map(({ keys }) => keys[0])).size === 1;
  const why = isIgnored ? 'The search returns the same results for every query. ' : searchFlaw(searches);
  const bare = searches.find((search) => search.reading === 'refused' && isEmptyQuery(search));
  const isNews = (search: ProbeExchange) =>
    search.reading === 'refused' &&
    search.request.params.length === 1 &&
    !search.request.params.some(([name]) => beliefs.params.refused.has(name)) &&
    (bare === undefined || !isSameRefusal(search, bare));
  // An error that differs from the one for a search without parameters is about this parameter.
  const read = searches.findLast(isNews);
  return [
    `${why}Which search parameter takes a company name? Pass it with --query-param NAME.`,
    `If the name is part of an expression, pass the parameter and the expression: --query-param "${expressionFor(beliefs, read)}".`,
    'Then probe continues from there. If the query is part of the path, write {query} in upstream.paths.search.',
    ...(isIgnored ? ['If the API only lists all companies, set dialect.search.query_param to null.'] : []),
    ...[bare, read].flatMap((refusal) => (refusal === undefined ? [] : [errorOf(refusal)])),
    ...(tried.length === 0 ? [] : [`Tried: ${tried.slice(0, 8).join(', ')}${tried.length > 8 ? ' …' : ''}.`]),
  ].join(' ');
}

/** Returns an example of a query in an expression: a suggested one, or one for the parameter that the API has read. */
function expressionFor({ evidence, params }: Beliefs, read: ProbeExchange | undefined): string {
  const suggested = evidence.expressions.find(({ isSuggested }) => isSuggested);
  if (suggested !== undefined) return `${suggested.param}=${suggested.template}`;
  return `${read?.request.params[0]?.[0] ?? params.required[0] ?? 'search'}=name:{query}`;
}

function errorOf(refusal: ProbeExchange): string {
  const [param] = refusal.request.params;
  const text = readError(refusal).text.replace(/\s+/g, ' ').trim().slice(0, 160);
  return `The API's answer to ${param === undefined ? 'a search without parameters' : param.join('=')}: "${text}".`;
}

const oneListQuestion = (companies: number): string =>
  `Are these all companies? Each response has the same ${companies}, whatever is requested. If so, do nothing. If a parameter takes a company name, pass it with --query-param NAME.`;

const EXAMPLE =
  'No search found a company. Pass the name of a registered company with --example "NAME", or the parameter with --query-param NAME.';

const PAGING =
  'How is the next page requested? No likely parameter had an effect. If you know it, set dialect.search.paging. Without it, only first pages are read.';

function recordQuestion(
  { listing, record, name }: SearchBeliefs,
  exchanges: readonly ProbeExchange[],
): string {
  if (record.value !== null && name.value !== null)
    return `Which text is the name? ${name.because}. Pass one of the names with --example "NAME".`;
  if (record.value !== null)
    return 'Where is the name in a record? Neither the results nor the records have a text like a name. Set it as dialect.entity.name.';
  const tried = triedIn(exchanges.filter(({ request }) => request.kind === 'entity'));
  const ids = listing.ids.slice(0, 3).map(({ pointer }) => pointer);
  return `What is the address of a company's record${tried}? If records have another path, set upstream.paths.entity. If another field of a search result is the id, such as ${ids.join(' or ')}, set dialect.search.id.`;
}

/** Returns the latest requested paths with their responses, in brackets; '' if there are none. */
function triedIn(exchanges: readonly ProbeExchange[]): string {
  const byPath = new Map(exchanges.map((exchange) => [exchange.request.path, summaryOf(exchange)]));
  const responses = [...byPath].slice(-4).map(([path, summary]) => `${path}: ${summary}`);
  return responses.length === 0 ? '' : ` (${responses.join('; ')})`;
}
