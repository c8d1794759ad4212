import { Dialect } from '../../dialect/dialect.ts';
import type { Conclusions, Specification } from '../conclusions.ts';
import { type DialectDraft, draftDialect, type Note } from '../dialect_draft.ts';
import type { Finding } from '../evidence.ts';

/** Drafts the dialect from the responses, or from the document if the responses are not enough. */
export function draftWith(
  conclusions: Conclusions,
  specification: Specification | null,
): DialectDraft | null {
  const draft = draftDialect(conclusions);
  if (specification === null) return draft;
  if (draft === null) return specifiedDialect(specification);
  const search = { ...draft.dialect.search, extra: specification.extra };
  return { ...draft, dialect: { ...draft.dialect, search } };
}

/** Drafts the dialect from the document alone. Returns null if the document lacks a necessary part. */
function specifiedDialect(specification: Specification): DialectDraft | null {
  const { queryParam, results, id, record, paging, sizeParam, maxSize } = specification;
  if (queryParam.value === null || results.value === null || id.value === null || record.value === null)
    return null;
  const sized = {
    size_param: sizeParam.value,
    ...(sizeParam.value === null || maxSize.value === null ? {} : { size: maxSize.value }),
  };
  const dialect = Dialect.parse({
    search: {
      query_param: queryParam.value,
      identifier_param: specification.identifierParam.value,
      extra: specification.extra,
      paging: { ...(paging.value ?? { style: 'none' }), ...sized },
      results: results.value,
      item: specification.item,
      id: id.value,
      name: specification.name.value,
      total: specification.total.value,
      min_length: specification.minLength.value ?? 1,
    },
    entity: record.value,
    stats: { total: specification.registryTotal.value },
  });
  return { dialect, notes: notesOf(specification), open: new Set() };
}

function notesOf(specification: Specification): Map<string, Note> {
  const findings: [string, Finding][] = [
    ['search.query_param', specification.queryParam],
    ['search.identifier_param', specification.identifierParam],
    ['search.paging', specification.paging],
    ['search.paging.size_param', specification.sizeParam],
    ['search.paging.size', specification.maxSize],
    ['search.id', specification.id],
    ['search.name', specification.name],
    ['search.total', specification.total],
    ['search.min_length', specification.minLength],
    ['entity', specification.record],
    ['stats.total', specification.registryTotal],
  ];
  return new Map(
    findings.map(([key, { certainty, because }]) => [
      key,
      { certainty: certainty === 'open' ? 'open' : 'likely', text: because },
    ]),
  );
}
