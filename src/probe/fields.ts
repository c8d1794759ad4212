import { textAt } from '../dialect/body_values.ts';
import type { Beliefs, SearchBeliefs } from './beliefs.ts';
import { type Certainty, type Finding, likely } from './exchange.ts';
import { minLengthWithEmptyQuery } from './lengths.ts';
import type { PagingStyle } from './paging.ts';
import { PLAIN } from './query.ts';
import { relativeTo } from './rows.ts';

/** The fields of the dialect: one row each, from which the report and the notes in the configuration are written. */

/** A field with its leading value and the checks that it has passed. */
export interface ReportedFinding {
  readonly topic: string;
  /** The dotted key, relative to `dialect`. Null if the value is not in the dialect. */
  readonly key: string | null;
  /** Null if the property was not found or the upstream does not have it. */
  readonly value: string | number | null;
  readonly certainty: Certainty;
  readonly because: string;
}

/** Returns all fields in the report's order. Those that need rows are missing until a search has returned some. */
export function reportFindings(beliefs: Beliefs): ReportedFinding[] {
  const { addresses, registryTotal, query, search } = beliefs;
  return [
    reported('address', null, addresses, (found) => found?.search ?? null),
    reported('registry total', 'stats.total', registryTotal, plain),
    reported('query parameter', 'search.query_param', query, (found) =>
      found === null ? null : found.template === PLAIN ? found.param : `${found.param}=${found.template}`,
    ),
    ...(search === null ? [] : fieldsOfRows(search, beliefs)),
  ];
}

function fieldsOfRows(search: SearchBeliefs, { fullListing }: Beliefs): ReportedFinding[] {
  const { listing, item, id, size, record } = search;
  const wrapped = item === '' ? '' : `, each inside ${item}`;
  const opened = id.certainty === 'sure' ? ', one of which opens its record' : '';
  const list = { ...id, because: `${listing.rows.length} companies${wrapped}${opened}` };
  const minLength = minLengthWithEmptyQuery(search.minLength, fullListing);
  return [
    reported('list of results', null, list, () => listing.results),
    reported('id', 'search.id', id, plain),
    reported('name', 'search.name', search.name, plain),
    ...namesElsewhere(search),
    reported('total of a query', 'search.total', search.total, plain),
    reported('next page', 'search.paging', search.paging, pagingInWords),
    reported('page size parameter', 'search.paging.size_param', size.param, plain),
    reported('largest page', 'search.paging.size', size.maxSize, ({ rows }) => rows),
    reported('record', 'entity', record, (paths) => (paths === null ? null : paths.root || 'the whole body')),
    reported('query rule for names', 'search.matches', search.rule, plain),
    reported('shortest query', 'search.min_length', minLength, plain),
  ];
}

function namesElsewhere({ nameFallbacks, namePath, item, listing }: SearchBeliefs): ReportedFinding[] {
  if (nameFallbacks.length === 0 || namePath === null) return [];
  const unnamed = listing.rows.filter((row) => (textAt(row, namePath) ?? '').trim() === '').length;
  const because = `${unnamed} of ${listing.rows.length} results have no name at ${relativeTo(item, namePath)}`;
  const pathsInWords = (paths: typeof nameFallbacks) =>
    paths.map((parts) => parts.map((pointer) => relativeTo(item, pointer)).join(' + ')).join(', ');
  return [
    reported('name in other results', 'search.name_fallbacks', likely(nameFallbacks, because), pathsInWords),
  ];
}

export function reported<T>(
  topic: string,
  key: string | null,
  { value, certainty, because }: Finding<T>,
  show: (value: T) => string | number | null,
): ReportedFinding {
  return { topic, key, value: show(value), certainty, because };
}

export const plain = (value: string | number | null): string | number | null => value;

function pagingInWords(paging: PagingStyle | null): string | null {
  if (paging === null) return null;
  switch (paging.style) {
    case 'page':
      return `${paging.param} counts pages from ${paging.first}`;
    case 'offset':
      return `${paging.param} counts rows from ${paging.first}`;
    case 'cursor':
      return `${paging.param} takes the cursor at ${paging.next}`;
    case 'next_url':
      return `the URL at ${paging.next}`;
    default:
      return paging.style;
  }
}
