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
  if (search === null) return [{ about: 'example', text: EXAMPLE }];
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

function summaryOf({ status, json, text }: Exchange): string {
  if (status === null) return 'no response';
  const title = /<title>\s*([^<]{1,60})/i.exec(text)?.[1]?.trim();
  const body =
    json !== undefined ? 'JSON' : text.trim() === '' ? 'an empty body' : /^\s*</.test(text) ? 'HTML' : 'text';
  return `HTTP ${status} with ${body}${title === undefined ? '' : ` titled "${title}"`}`;
}

function paramQuestion({ query: { searches, listing } }: Conclusions): string {
  const tried = [...new Set(searches.flatMap(({ request }) => request.params.map(([name]) => name)))];
  const rows =
    listing === null
      ? []
      : searches.map((search) => rowsAt(search, listing.results)).filter((some) => some.length > 0);
  const isIgnored =
    rows.length > 1 && new Set(rows.map((some) => JSON.stringify(some, bigintAsText))).size === 1;
  const why = isIgnored ? 'The search returns the same results for every query. ' : '';
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
