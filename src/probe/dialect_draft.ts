import { Dialect, type Paging, type Pointer, type ResponseRule } from '../dialect/dialect.ts';
import { isJsonObject } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import type { Certainty } from './evidence.ts';
import { minLengthWithEmptyQuery } from './findings/empty_query.ts';
import { isAbsentWhenEmpty, notFoundRules } from './findings/empty_result.ts';
import { relativeTo } from './findings/row_paths.ts';
import { broadQueryRules } from './findings/total_in_rejection.ts';
import { softRule } from './refusals.ts';

/** A proposed dialect, with notes on keys with uncertain values. */
export interface DialectDraft {
  readonly dialect: Dialect;
  /** The notes by dotted key, relative to `dialect`. */
  readonly notes: ReadonlyMap<string, Note>;
  /** The dotted keys for which no value was found. */
  readonly open: ReadonlySet<string>;
}

export interface Note {
  readonly certainty: Exclude<Certainty, 'sure'>;
  readonly text: string;
}

/** Converts the conclusions into a dialect. Returns null if the probe did not recognise the search or the record. */
export function draftDialect(conclusions: Conclusions): DialectDraft | null {
  const { queryParam, search, minQueryChars, fullListing, registryTotal } = conclusions;
  if (search === null || queryParam.value === null || search.record.value === null) return null;
  const { listing, total, clamp, queryRule, identifiers, item } = search;
  const dialect = Dialect.parse({
    search: {
      query_param: queryParam.value,
      identifier_param: identifiers.param.value,
      extra: Object.fromEntries(conclusions.companions),
      paging: pagingOf(search),
      results: listing.results,
      item,
      main: search.main.value,
      group_as: search.hasSeveralRows ? groupKeyFor(search) : null,
      id_fallbacks: search.idFallback === null ? [] : [relativeTo(item, search.idFallback)],
      id: relativeTo(item, search.idPath),
      name: search.namePath === null ? null : relativeTo(item, search.namePath),
      total: total.value,
      total_clamped_at: clamp.value,
      matches: queryRule.value ?? 'unknown',
      identifiers: identifiers.matches.value,
      min_length: fullListing.value && minQueryChars === 1 ? 0 : minQueryChars,
      absent_when_empty: isAbsentWhenEmpty(search),
    },
    entity: { ...search.record.value, id_fallbacks: recordFallbacks(search) },
    stats: { total: registryTotal.value },
    responses: rulesOf(conclusions, search),
  });
  const notes = notesOf(conclusions, search);
  const open = [...notes].filter(([, { certainty }]) => certainty === 'open').map(([key]) => key);
  return { dialect, notes, open: new Set(open) };
}

function pagingOf({ paging, size }: SearchConclusions): Paging {
  const sized = { size_param: size.param.value, size: size.maxSize.value.rows, window: null };
  const style = paging.value ?? { style: 'none' as const };
  return style.style === 'cursor' ? { first: null, ...style, ...sized } : { ...style, ...sized };
}

/** Returns a key for the list of a company's results that no row has. */
function groupKeyFor({ listing: { rows }, item }: SearchConclusions): string {
  const keys = new Set(
    rows.flatMap((row) => {
      const summary = valueAt(row, item);
      return isJsonObject(summary) ? Object.keys(summary) : [];
    }),
  );
  return ['results', 'entries', 'all_results'].find((key) => !keys.has(key)) ?? 'grouped_results';
}

/**
 * Returns the path to the fallback id in records. If records and summaries have the main id at the same path, they also
 * have the fallback id at the same path.
 */
function recordFallbacks({ idPath, idFallback, item, record }: SearchConclusions): Pointer[] {
  if (idFallback === null || record.value?.id !== relativeTo(item, idPath)) return [];
  return [relativeTo(item, idFallback)];
}

function rulesOf(
  { query: { searches }, absence }: Conclusions,
  { pages }: SearchConclusions,
): ResponseRule[] {
  const soft = softRule(
    searches.filter(({ reading }) => reading === 'refused'),
    pages.map(({ exchange }) => exchange),
  );
  return [
    ...notFoundRules(searches),
    ...broadQueryRules(searches),
    ...(soft === null ? [] : [soft]),
    ...(absence.value === null ? [] : [absence.value]),
  ];
}

function notesOf(conclusions: Conclusions, search: SearchConclusions): Map<string, Note> {
  const { queryParam, registryTotal } = conclusions;
  const { id, name, total, clamp, size, paging, record, queryRule, identifiers } = search;
  const findings = [
    ['search.query_param', queryParam],
    ['search.identifier_param', identifiers.param],
    ['search.paging', paging],
    ['search.paging.size_param', size.param],
    ['search.paging.size', size.maxSize],
    ['search.id', id],
    ...(search.main.value === null ? [] : ([['search.main', search.main]] as const)),
    ['search.name', name],
    ['search.total', total],
    ['search.total_clamped_at', clamp],
    ['search.matches', queryRule],
    ['search.identifiers', identifiers.matches],
    ['search.min_length', minLengthWithEmptyQuery(search.minQueryLength, conclusions.fullListing)],
    ['entity', record],
    ['stats.total', registryTotal],
  ] as const;
  return new Map(
    findings.flatMap(([key, { certainty, because }]): [string, Note][] =>
      certainty === 'sure' ? [] : [[key, { certainty, text: because }]],
    ),
  );
}
