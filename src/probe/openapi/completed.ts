import type { Conclusions, SearchConclusions, Specification } from '../conclusions.ts';
import type { Finding } from '../evidence.ts';

/**
 * Completes the conclusions with what an OpenAPI document states. Each finding that the responses leave open gets the
 * document's value.
 */
export function completedBy(conclusions: Conclusions, specification: Specification): Conclusions {
  const { search } = conclusions;
  const { registryTotal, minLength, queryParam } = specification;
  const isStated =
    conclusions.queryParam.certainty === 'likely' && conclusions.queryParam.value === queryParam.value;
  return {
    ...conclusions,
    queryParam: isStated ? stated(queryParam.value, queryParam) : conclusions.queryParam,
    registryTotal: completed(conclusions.registryTotal, registryTotal),
    minQueryChars: Math.max(conclusions.minQueryChars, minLength.value ?? 1),
    search: search === null ? null : completedSearch(search, specification),
  };
}

function completedSearch(search: SearchConclusions, specification: Specification): SearchConclusions {
  const { size, paging, identifiers, minQueryLength, total, record } = search;
  const param = completed(size.param, specification.sizeParam);
  const isSized = param.value !== null && param.value === specification.sizeParam.value;
  const rows = isSized && size.maxSize.certainty === 'open' ? specification.maxSize.value : null;
  const maxSize = rows === null ? size.maxSize : stated({ rows, next: null }, specification.maxSize);
  const isPaged = paging.certainty !== 'sure' && specification.paging.value !== null;
  return {
    ...search,
    total: completed(total, specification.total),
    record: completed(record, specification.record),
    size: { ...size, param, maxSize },
    paging: isPaged ? { ...paging, ...stated(specification.paging.value, specification.paging) } : paging,
    identifiers: { ...identifiers, param: completed(identifiers.param, specification.identifierParam) },
    minQueryLength: completed(minQueryLength, specification.minLength),
  };
}

function completed<T>(finding: Finding<T>, statement: Finding<T | null>): Finding<T> {
  return finding.certainty === 'open' && statement.value !== null
    ? stated(statement.value, statement)
    : finding;
}

/** A document can be outdated, so the certainty of its statements is never higher than likely. */
function stated<T>(value: T, { because }: Finding): Finding<T> {
  return { value, certainty: 'likely', because };
}
