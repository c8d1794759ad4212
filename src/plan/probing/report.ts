import type { Conclusions, SearchConclusions } from './conclusions.ts';
import { shortestAnswered } from './everything.ts';
import type { Certainty, Finding } from './finding.ts';
import type { Turning } from './turning.ts';

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
  const { addresses, registryTotal, queryParam, search, absence, everything } = conclusions;
  return [
    reported('address', addresses, (found) => found?.search ?? null),
    reported('registry total', registryTotal, plain),
    reported('query parameter', queryParam, plain),
    ...(search === null ? [] : searchFindings(search, everything)),
    reported('unknown id', absence, (rule) => (rule === null ? 'HTTP status' : `${rule.status} ${rule.at}`)),
  ];
}

function searchFindings(search: SearchConclusions, everything: Finding<boolean>): ReportedFinding[] {
  const { listing, item, id, name, total, clamp, size, turning, record, semantics, least, identifiers } =
    search;
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
    reported('next page', turning, turningInWords),
    reported('page size parameter', size.param, plain),
    reported('largest page', size.largest, ({ rows }) => rows),
    reported('record', record, (places) => (places === null ? null : places.root || 'the whole body')),
    reported('names are found by', semantics, plain),
    reported('shortest text', shortestAnswered(least, everything), plain),
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

function turningInWords(turning: Turning | null): string | null {
  if (turning === null) return null;
  switch (turning.style) {
    case 'page':
    case 'offset':
      return `${turning.style} ${turning.param}, from ${turning.first}`;
    case 'cursor':
      return `cursor ${turning.param}, from ${turning.next}`;
    case 'next_url':
      return `address at ${turning.next}`;
    default:
      return turning.style;
  }
}
