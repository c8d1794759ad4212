import { isLimitHeader } from '../dialect/headers.ts';
import type { Conclusions, PagingStyle, SearchConclusions } from './conclusions.ts';
import type { Certainty, Exchange, Finding } from './evidence.ts';
import { minLengthWithEmptyQuery } from './findings/empty_query.ts';

/** A finding in readable form. */
export interface ReportedFinding {
  readonly topic: string;
  /** Null if the property was not found or the upstream does not have it. */
  readonly value: string | number | null;
  readonly certainty: Certainty;
  readonly because: string;
}

/** Returns all findings in the report's order. */
export function reportFindings(conclusions: Conclusions): ReportedFinding[] {
  const { addresses, registryTotal, queryParam, search, absence, fullListing } = conclusions;
  return [
    reported('address', addresses, (found) => found?.search ?? null),
    reported('registry total', registryTotal, plain),
    reported('query parameter', queryParam, plain),
    ...(search === null ? [] : searchFindings(search, fullListing)),
    reported('unknown id', absence, (rule) => (rule === null ? 'HTTP status' : `${rule.status} ${rule.at}`)),
  ];
}

function searchFindings(search: SearchConclusions, fullListing: Finding<boolean>): ReportedFinding[] {
  const {
    listing,
    item,
    id,
    name,
    total,
    clamp,
    size,
    paging,
    record,
    queryRule,
    minQueryLength,
    identifiers,
  } = search;
  return [
    {
      topic: 'list of results',
      value: listing.results,
      certainty: 'sure',
      because: `it contains ${listing.rows.length} companies${item === '' ? '' : `, each inside ${item}`}`,
    },
    reported('id', id, plain),
    reported('name', name, plain),
    reported('total of a query', total, plain),
    ...(clamp.value === null ? [] : [reported('total means "at least" from', clamp, plain)]),
    reported('next page', paging, pagingInWords),
    reported('page size parameter', size.param, plain),
    reported('largest page', size.maxSize, ({ rows }) => rows),
    reported('record', record, (paths) => (paths === null ? null : paths.root || 'the whole body')),
    reported('names are found by', queryRule, plain),
    reported('shortest text', minLengthWithEmptyQuery(minQueryLength, fullListing), plain),
    reported('identifier parameter', identifiers.param, plain),
    reported('identifiers are found', identifiers.matches, plain),
  ];
}

function reported<T>(
  topic: string,
  { value, certainty, because }: Finding<T>,
  show: (value: T) => string | number | null,
): ReportedFinding {
  return { topic, value: show(value), certainty, because };
}

const plain = (value: string | number | null): string | number | null => value;

export function pagingInWords(paging: PagingStyle | null): string | null {
  if (paging === null) return null;
  switch (paging.style) {
    case 'page':
    case 'offset':
      return `${paging.style} ${paging.param}, from ${paging.first}`;
    case 'cursor':
      return `cursor ${paging.param}, from ${paging.next}`;
    case 'next_url':
      return `URL at ${paging.next}`;
    default:
      return paging.style;
  }
}

/** Returns the response headers that report limits, each with its value in the last response that has it. */
export function limitHeaders(
  exchanges: readonly Exchange[],
): { readonly name: string; readonly value: string }[] {
  const last = new Map<string, string>();
  for (const { headers } of exchanges)
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && isLimitHeader(name)) last.set(name, value.slice(0, 120));
  return [...last].map(([name, value]) => ({ name, value }));
}
