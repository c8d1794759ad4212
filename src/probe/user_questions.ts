import type { Conclusions, SearchConclusions } from './conclusions.ts';
import type { Exchange } from './evidence.ts';
import { rowsAt } from './findings/result_list.ts';
import { isTruncated } from './search_pages.ts';

/** A question that the user can answer better than the API. */
export interface Question {
  readonly about: 'query_param' | 'example' | 'record' | 'paging' | 'stats_total' | 'address';
  readonly text: string;
}

/** Returns the questions for the user, most important first. */
export function questionsFor(conclusions: Conclusions, exchanges: readonly Exchange[]): Question[] {
  const { addresses, queryParam, search, registryTotal } = conclusions;
  if (addresses.value === null) return [{ about: 'address', text: addressQuestion(exchanges) }];
  if (queryParam.certainty === 'open') return [{ about: 'query_param', text: paramQuestion(conclusions) }];
  if (search === null) return [{ about: 'example', text: searchFlaw(conclusions.query.searches) + EXAMPLE }];
  const questions: Question[] = [];
  if (search.record.value === null) questions.push({ about: 'record', text: recordQuestion(search) });
  if (search.paging.value === null && search.pages.some((page) => isTruncated(page, search.pages) === 'yes'))
    questions.push({ about: 'paging', text: PAGING });
  if (registryTotal.certainty === 'likely' && registryTotal.value !== null)
    questions.push({
      about: 'stats_total',
      text: `Is the number ${registryTotal.value} in the statistics the total number of companies? (${registryTotal.because})`,
    });
  return questions;
}

function addressQuestion(exchanges: readonly Exchange[]): string {
  const responses = exchanges
    .slice(0, 4)
    .map((exchange) => `${exchange.request.path}: ${summaryOf(exchange)}`);
  const tried = responses.length === 0 ? '' : ` (${responses.join('; ')})`;
  return `No address returns JSON${tried}. Is base_url correct? It must end before the paths begin. If the API uses other paths, set upstream.paths.`;
}

function summaryOf({ status, json, text, flaw }: Exchange): string {
  if (status === null) return 'no response';
  if (json !== undefined) return `HTTP ${status} with JSON`;
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
function searchFlaw(searches: readonly Exchange[]): string {
  const broken = searches.find(({ status, json }) => status === 200 && json === undefined);
  return broken === undefined ? '' : `The search does not return JSON (${summaryOf(broken)}). `;
}

function paramQuestion({ query: { searches, listing } }: Conclusions): string {
  const tried = [...new Set(searches.flatMap(({ request }) => request.params.map(([name]) => name)))];
  const rows =
    listing === null
      ? []
      : searches.map((search) => rowsAt(search, listing.results)).filter((some) => some.length > 0);
  const isIgnored =
    rows.length > 1 && new Set(rows.map((some) => JSON.stringify(some, bigintAsText))).size === 1;
  const why = isIgnored ? 'The search returns the same results for every query. ' : searchFlaw(searches);
  return `${why}Which search parameter takes a company name? Pass it with --query-param NAME. Tried: ${tried.slice(0, 8).join(', ')}${tried.length > 8 ? ' …' : ''}.`;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

const EXAMPLE =
  'No search found a company. Pass the name of a registered company with --example "NAME", or the parameter with --query-param NAME.';

const PAGING =
  'How is the next page requested? No likely parameter had an effect. If you know it, set dialect.search.paging. Without it, only first pages are read.';

function recordQuestion({ listing }: SearchConclusions): string {
  const paths = listing.ids.slice(0, 3).map(({ pointer }) => pointer);
  return `Which field in a search result is the id for requesting its record? Tried: ${paths.join(', ')}.`;
}
