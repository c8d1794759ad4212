import { Dialect, type Paging, type ResponseRule } from '../dialect/dialect.ts';
import { softRule } from './absence.ts';
import { isTruncated } from './answered_searches.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import type { Certainty, Exchange } from './evidence.ts';
import { asksForAll, shortestAnswered } from './full_listing.ts';
import { rowsAt } from './result_list.ts';
import { relativeTo } from './row_paths.ts';
import { hasList } from './search_conclusions.ts';

/** A dialect as it was found, with what a reader of the file should know of each key. */
export interface DialectDraft {
  readonly dialect: Dialect;
  /** By dotted key, under `dialect`: what is not sure, and why. */
  readonly notes: ReadonlyMap<string, Note>;
  /** The keys that were not found out. */
  readonly open: ReadonlySet<string>;
}

export interface Note {
  readonly certainty: Exclude<Certainty, 'sure'>;
  readonly text: string;
}

/** What a person can answer better than the API. */
export interface Question {
  readonly about: 'query_param' | 'example' | 'record' | 'paging' | 'stats_total' | 'address';
  readonly text: string;
}

/** The dialect that the conclusions amount to; null while search or record are not understood. */
export function draftDialect(conclusions: Conclusions): DialectDraft | null {
  const { queryParam, search } = conclusions;
  if (search === null || queryParam.value === null || search.record.value === null) return null;
  const { listing, total, clamp, semantics, identifiers, item } = search;
  const record = search.record.value;
  const dialect = Dialect.parse({
    search: {
      query_param: queryParam.value,
      identifier_param: identifiers.param.value,
      paging: pagingOf(search),
      results: listing.results,
      item,
      id: relativeTo(item, search.idPath),
      name: search.namePath === null ? null : relativeTo(item, search.namePath),
      total: total.value,
      total_clamped_at: clamp.value,
      matches: semantics.value ?? 'unknown',
      identifiers: identifiers.matches.value,
      min_length:
        conclusions.fullListing.value && conclusions.minQueryText === 1 ? 0 : conclusions.minQueryText,
      absent_when_empty: isAbsentWhenEmpty(search),
    },
    entity: record,
    stats: { total: conclusions.registryTotal.value },
    responses: rulesOf(conclusions, search),
  });
  const notes = notesOf(conclusions, search);
  const open = [...notes].filter(([, { certainty }]) => certainty === 'open').map(([key]) => key);
  return { dialect, notes, open: new Set(open) };
}

function pagingOf({ paging, size }: SearchConclusions): Paging {
  const sized = { size_param: size.param.value, size: size.maxSize.value.rows, window: null };
  const way = paging.value ?? { style: 'none' as const };
  return way.style === 'cursor' ? { ...way, first: null, ...sized } : { ...way, ...sized };
}

/** Only where no total says that nothing was found. */
function isAbsentWhenEmpty({ answered, listing, total }: SearchConclusions): boolean {
  return total.value === null && answered.some(({ search }) => !hasList(search, listing.results));
}

function rulesOf({ query, absence }: Conclusions, { answered }: SearchConclusions): ResponseRule[] {
  const refusals = query.searches.filter(({ reading }) => reading === 'refused');
  const soft = softRule(
    refusals,
    answered.map(({ search }) => search),
  );
  const notFound: ResponseRule[] = query.searches.some(isNothingFound)
    ? [{ kind: 'search', status: 404, means: 'ok' }]
    : [];
  return [...notFound, ...(soft === null ? [] : [soft]), ...(absence.value === null ? [] : [absence.value])];
}

/** A search for a text that found nothing and says so with a 404 whose body is like any other. */
function isNothingFound(search: Exchange): boolean {
  return search.reading === 'absent' && search.json !== undefined && !asksForAll(search);
}

function notesOf(conclusions: Conclusions, search: SearchConclusions): Map<string, Note> {
  const { queryParam, registryTotal } = conclusions;
  const { id, name, total, clamp, size, paging, record, semantics, identifiers } = search;
  const findings = [
    ['search.query_param', queryParam],
    ['search.identifier_param', identifiers.param],
    ['search.paging', paging],
    ['search.paging.size_param', size.param],
    ['search.paging.size', size.maxSize],
    ['search.id', id],
    ['search.name', name],
    ['search.total', total],
    ['search.total_clamped_at', clamp],
    ['search.matches', semantics],
    ['search.identifiers', identifiers.matches],
    ['search.min_length', shortestAnswered(search.minQueryLength, conclusions.fullListing)],
    ['entity', record],
    ['stats.total', registryTotal],
  ] as const;
  return new Map(
    findings.flatMap(([key, { certainty, because }]): [string, Note][] =>
      certainty === 'sure' ? [] : [[key, { certainty, text: because }]],
    ),
  );
}

/** What to ask the user, the most important first. */
export function questionsFor(conclusions: Conclusions, exchanges: readonly Exchange[]): Question[] {
  const { addresses, queryParam, search, registryTotal } = conclusions;
  if (addresses.value === null) return [{ about: 'address', text: addressQuestion(exchanges) }];
  if (queryParam.certainty === 'open') return [{ about: 'query_param', text: paramQuestion(conclusions) }];
  if (search === null) return [{ about: 'example', text: EXAMPLE }];
  const questions: Question[] = [];
  if (search.record.value === null) questions.push({ about: 'record', text: recordQuestion(search) });
  if (
    search.paging.value === null &&
    search.answered.some((one) => isTruncated(one, search.answered) === 'yes')
  )
    questions.push({ about: 'paging', text: PAGING });
  if (registryTotal.certainty === 'likely' && registryTotal.value !== null)
    questions.push({
      about: 'stats_total',
      text: `Is ${registryTotal.value} in the statistics the number of all companies? (${registryTotal.because})`,
    });
  return questions;
}

function addressQuestion(exchanges: readonly Exchange[]): string {
  const answers = exchanges.slice(0, 4).map((exchange) => `${exchange.request.path}: ${briefly(exchange)}`);
  const tried = answers.length === 0 ? '' : ` (${answers.join('; ')})`;
  return `No address answers as an API${tried}. Is base_url right, and does it end where the paths begin? Where the paths are others, write them under upstream.paths.`;
}

function briefly({ status, json, text }: Exchange): string {
  if (status === null) return 'no answer';
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
  const isDeaf =
    rows.length > 1 && new Set(rows.map((some) => JSON.stringify(some, bigintAsText))).size === 1;
  const why = isDeaf ? 'The search answers the same whatever is asked. ' : '';
  return `${why}Which parameter of the search takes the name of a company? Say it with --query-param NAME. Tried: ${tried.slice(0, 8).join(', ')}${tried.length > 8 ? ' …' : ''}.`;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

const EXAMPLE =
  'No search found a company. Name one that is in the registry with --example "NAME", or the parameter with --query-param NAME.';
const PAGING =
  'How is the next page asked for? No likely parameter turned it. Write dialect.search.paging by hand if you know it; until then only first pages are read.';

function recordQuestion({ listing }: SearchConclusions): string {
  const places = listing.ids.slice(0, 3).map(({ pointer }) => pointer);
  return `Which field of a result is the id that opens a record? Tried: ${places.join(', ')}.`;
}
