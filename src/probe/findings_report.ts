import type { Conclusions, SearchConclusions } from './conclusions.ts';
import type { Certainty, Exchange, Finding } from './evidence.ts';
import { shortestAnswered } from './full_listing.ts';
import type { PagingStyle } from './paging.ts';

/** A conclusion as a person reads it. */
export interface ReportedFinding {
  readonly topic: string;
  /** null: not found, or there is none. */
  readonly value: string | number | null;
  readonly certainty: Certainty;
  readonly because: string;
}

/** Everything that was concluded, in the order in which a reader wants it. */
export function reportFindings(conclusions: Conclusions): ReportedFinding[] {
  const { addresses, registryTotal, queryParam, search, absence, fullListing: everything } = conclusions;
  return [
    reported('address', addresses, (found) => found?.search ?? null),
    reported('registry total', registryTotal, plain),
    reported('query parameter', queryParam, plain),
    ...(search === null ? [] : searchFindings(search, everything)),
    reported('unknown id', absence, (rule) => (rule === null ? 'HTTP status' : `${rule.status} ${rule.at}`)),
  ];
}

function searchFindings(search: SearchConclusions, everything: Finding<boolean>): ReportedFinding[] {
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
    semantics,
    minQueryLength,
    identifiers,
  } = search;
  return [
    {
      topic: 'list of results',
      value: listing.results,
      certainty: 'sure',
      because: `${listing.rows.length} companies were seen there${item === '' ? '' : `, each inside ${item}`}`,
    },
    reported('id', id, plain),
    reported('name', name, plain),
    reported('total of a query', total, plain),
    ...(clamp.value === null ? [] : [reported('total means "at least" from', clamp, plain)]),
    reported('next page', paging, pagingInWords),
    reported('page size parameter', size.param, plain),
    reported('largest page', size.maxSize, ({ rows }) => rows),
    reported('record', record, (places) => (places === null ? null : places.root || 'the whole body')),
    reported('names are found by', semantics, plain),
    reported('shortest text', shortestAnswered(minQueryLength, everything), plain),
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

function pagingInWords(paging: PagingStyle | null): string | null {
  if (paging === null) return null;
  switch (paging.style) {
    case 'page':
    case 'offset':
      return `${paging.style} ${paging.param}, from ${paging.first}`;
    case 'cursor':
      return `cursor ${paging.param}, from ${paging.next}`;
    case 'next_url':
      return `address at ${paging.next}`;
    default:
      return paging.style;
  }
}

/** What the headers of the answers say of limits, as they were sent: the names, and their last values. */
export function limitHeaders(
  exchanges: readonly Exchange[],
): { readonly name: string; readonly value: string }[] {
  const last = new Map<string, string>();
  for (const { headers } of exchanges)
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && /rate.?limit|quota|retry-after|calls?-remaining/i.test(name))
        last.set(name, value.slice(0, 120));
  return [...last].map(([name, value]) => ({ name, value }));
}
