import { Dialect, type Paging, type Pointer, type ResponseRule } from '../dialect/dialect.ts';
import { elementsAt, resultsIn } from '../dialect/search_results.ts';
import { isJsonObject } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import type { Beliefs, SearchBeliefs } from './beliefs.ts';
import type { Certainty, ProbeExchange } from './exchange.ts';
import { reportFindings } from './fields.ts';
import { withGiven } from './given.ts';
import { minLengthWithEmptyQuery } from './lengths.ts';
import { isEmptyQuery, isFirstPage } from './pages.ts';
import { CAPITALS, PLAIN } from './query.ts';
import { relativeTo } from './rows.ts';
import { softRulesOf } from './soft_errors.ts';
import { partsOfName } from './whole_name.ts';

/** A proposed dialect, with notes on keys with uncertain values. */
export interface DialectDraft {
  readonly dialect: Dialect;
  /** The notes by dotted key, relative to `dialect`. */
  readonly notes: ReadonlyMap<string, Note>;
  /** The dotted keys for which no value was found. */
  readonly open: ReadonlySet<string>;
}

interface Note {
  readonly certainty: Exclude<Certainty, 'sure'>;
  readonly text: string;
}

/** Converts the leading hypotheses into a dialect. Returns null if the search, the record or the name is open. */
export function draftDialect(beliefs: Beliefs): DialectDraft | null {
  const { query, search } = beliefs;
  if (search === null || (query.value === null && !listsAll(beliefs)) || search.record.value === null)
    return null;
  return isNamed(search) ? unfinishedDraft(beliefs) : null;
}

/**
 * Like `draftDialect`, but an open value is only a guess, which the user has to correct. Returns null if no search has
 * returned a list.
 */
export function unfinishedDraft(beliefs: Beliefs): DialectDraft | null {
  const { query, search, fullListing, registryTotal, constants, addresses, given } = beliefs;
  if (search === null) return null;
  const template = query.value?.template ?? PLAIN;
  const isPlain = template === PLAIN || template === CAPITALS;
  const { listing, total, rule, item, minLength } = search;
  const paging = pagingOf(search);
  const ofPages = new Set([paging.size_param, 'param' in paging ? paging.param : null]);
  const inPath = new Set(addresses.value?.constants.map(([name]) => name));
  const learned = {
    search: {
      query_param: query.value?.param ?? null,
      query_template: template,
      identifier_param: beliefs.identifierParam,
      // The template is for names. An identifier in another parameter is sent as it is.
      ...(isPlain || beliefs.identifierParam !== null ? {} : { identifier_template: template }),
      extra: Object.fromEntries(constants.filter(([name]) => !inPath.has(name) && !ofPages.has(name))),
      paging,
      results: listing.results,
      item,
      group_as: search.hasSeveralRows ? groupKeyFor(search) : null,
      id: search.id.value,
      name: search.name.value,
      name_fallbacks: fallbacksFor(search, search.name.value),
      total: total.value,
      matches: rule.value ?? 'unknown',
      min_length:
        // Without a query parameter, a search can only list all companies.
        query.value === null
          ? 0
          : minLengthWithEmptyQuery(
              { ...minLength, value: Math.max(minLength.value, beliefs.minQueryChars) },
              fullListing,
            ).value,
      absent_when_empty: isAbsentWhenEmpty(search),
    },
    entity: {
      ...(search.record.value ?? { id: search.id.value, name: search.name.value }),
      name_fallbacks: fallbacksFor(search, search.record.value?.name ?? null),
    },
    stats: { total: registryTotal.value },
    responses: rulesOf(beliefs, search),
  };
  const dialect = Dialect.parse(withGiven(learned, given));
  const notes = new Map(
    reportFindings(beliefs).flatMap(({ key, certainty, because }): [string, Note][] =>
      key === null || certainty === 'sure' ? [] : [[key, { certainty, text: because }]],
    ),
  );
  return {
    dialect,
    notes,
    open: new Set([...notes].filter(([, { certainty }]) => certainty === 'open').map(([key]) => key)),
  };
}

/** Returns whether the name is known. If the results have none, it can be in the record only. */
export function isNamed({ name, record }: SearchBeliefs): boolean {
  return name.value === null ? record.value?.name != null : name.certainty !== 'open';
}

/** Returns whether the pages of a search without a query reach all companies. */
export function listsAll({ search, fullListing, registrySize, onlyLists }: Beliefs): boolean {
  if (onlyLists) return true;
  if (search === null || !fullListing.value || fullListing.certainty === 'open') return false;
  return search.paging.value !== null || search.size.maxSize.value.rows >= (registrySize ?? Infinity);
}

function pagingOf({ paging, size, areUneven: uneven }: SearchBeliefs): Paging {
  const sized = { size_param: size.param.value, size: size.maxSize.value.rows, window: null, uneven };
  const style = paging.value ?? { style: 'none' as const };
  return style.style === 'cursor' ? { first: null, ...style, ...sized } : { ...style, ...sized };
}

/** Returns a key for the list of a company's results that no row has. */
function groupKeyFor({ listing: { rows }, item }: SearchBeliefs): string {
  const keys = new Set(
    rows.flatMap((row) => {
      const summary = valueAt(row, item);
      return isJsonObject(summary) ? Object.keys(summary) : [];
    }),
  );
  return ['results', 'entries', 'all_results'].find((key) => !keys.has(key)) ?? 'grouped_results';
}

/** Returns the fallbacks for a name at this path, if it is the path in the results. Records have the same fields. */
function fallbacksFor({ namePath, nameFallbacks, item }: SearchBeliefs, name: Pointer | null) {
  const parts = name === null ? [] : partsOfName(name);
  if (parts.length > 0) return [parts];
  if (namePath === null || name !== relativeTo(item, namePath)) return [];
  return nameFallbacks.map((pointers) => {
    const paths = pointers.map((pointer) => relativeTo(item, pointer));
    return paths.length === 1 ? paths[0] : paths;
  });
}

/** A missing list means that nothing was found. This matters only if no total could be 0. */
function isAbsentWhenEmpty({ pages, listing, total }: SearchBeliefs): boolean {
  return (
    total.value === null &&
    pages.some(({ exchange: { json }, rows }) => {
      if (rows.length > 0) return false;
      const found = resultsIn(json, listing.results);
      return found !== '' && elementsAt(found, listing.results) === null;
    })
  );
}

function rulesOf({ evidence: { searches } }: Beliefs, { pages }: SearchBeliefs): ResponseRule[] {
  const good = pages.map(({ exchange }) => exchange);
  return [...notFoundRules(searches), ...softRulesOf(searches, good)];
}

/** A 404 for a query is a search without matches, because others found companies there. So is an empty body. */
function notFoundRules(searches: readonly ProbeExchange[]): ResponseRule[] {
  const absent = searches.filter(({ reading }) => reading === 'absent');
  // The default rules read a 204, and a 404 for a page after the first.
  const isEmptyResult = (search: ProbeExchange) =>
    search.status === 404 && !isEmptyQuery(search) && isFirstPage(search);
  const isEmptyBody = ({ status, text }: ProbeExchange) => status === 200 && text === '';
  return [
    ...(absent.some(isEmptyResult) ? [{ kind: 'search', status: 404, means: 'absent' } as const] : []),
    ...(absent.some(isEmptyBody) ? [{ kind: 'search', matches: '^$', means: 'absent' } as const] : []),
  ];
}
