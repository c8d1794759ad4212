import type { Specification } from '../conclusions.ts';
import type { Finding } from '../evidence.ts';
import { pagingInWords, type ReportedFinding } from '../findings_report.ts';

/** Returns an OpenAPI document's statements in readable form, in the report's order. */
export function reportStatements(specification: Specification): ReportedFinding[] {
  const { addresses, recordPath, keyHeader, queryParam, identifierParam, results, id, name } = specification;
  const { total, paging, sizeParam, maxSize, record, minLength, registryTotal } = specification;
  return [
    reported('search path', addresses, (paths) => paths?.search ?? null),
    reported('record path', recordPath, plain),
    reported('key header', keyHeader, plain),
    reported('registry total', registryTotal, plain),
    reported('query parameter', queryParam, plain),
    reported('list of results', results, plain),
    reported('id', id, plain),
    reported('name', name, plain),
    reported('total of a query', total, plain),
    reported('next page', paging, pagingInWords),
    reported('page size parameter', sizeParam, plain),
    reported('largest page', maxSize, plain),
    reported('record', record, (paths) => (paths === null ? null : paths.root || 'the whole body')),
    reported('shortest text', minLength, plain),
    reported('identifier parameter', identifierParam, plain),
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
