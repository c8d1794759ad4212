import type { Conclusions, QueryEvidence, ResultList } from '../conclusions.ts';
import { type Exchange, type Param, paramOf, type SearchDraft, wasSent } from '../evidence.ts';
import { queriesInLanguage } from '../language_queries.ts';
import { ignoresUnknownParams, minLengthByRefusals, refusesUnknownParams, textOf } from '../refusals.ts';
import {
  DISTINCTIVE_SIZES,
  LEGAL_FORMS,
  LETTERS,
  LONG_SEED_QUERIES,
  NON_LATIN_QUERIES,
  PREFIXES,
  QUERY_PARAMS,
  SEED_QUERIES,
  SIZE_PARAMS,
} from '../word_lists.ts';
import { possibleParams } from './query_match.ts';
import { findQueryParam } from './query_parameter.ts';
import { probeRequiredParam } from './required_parameter.ts';
import { textAt } from './result_list.ts';

/** Drafts searches that find the query parameter. `query_parameter.ts` draws the conclusions. */

/** Drafts searches until a search with the query parameter has returned rows. */
export function probeRows({ query, queryParam, search }: Conclusions): SearchDraft | null {
  const hasRows =
    search !== null &&
    queryParam.certainty !== 'open' &&
    search.pages.some((page) => page.rows.length > 0 && page.query !== null);
  return hasRows ? null : probeQueryParam(query);
}

/**
 * Drafts a request with all candidate parameters, each with its own query, then requests with fewer candidates, then
 * requests with only one candidate.
 */
function probeQueryParam(evidence: QueryEvidence): SearchDraft | null {
  const { searches, listing, examples, mayGuess } = evidence;
  const found = findQueryParam(evidence).value;
  if (found !== null) return firstQuery(evidence, found);
  if (!mayGuess) return null;
  const drafts = [
    ...(examples.length > 0 ? QUERY_PARAMS.slice(0, 6).map((param) => single(param, examples[0] ?? '')) : []),
    together(evidence, SEED_QUERIES, 'which parameter takes the query? (each has its own query)'),
    ...(refusesUnknownParams(searches) && mayExplain(searches) ? [NO_PARAMS] : []),
    ...(listing === null ? [] : [withSeenNames(evidence, listing), ...oneByOne(evidence, listing)]),
    ...(minLengthByRefusals(searches, null) === 3
      ? [together(evidence, PREFIXES, 'which parameter takes the query? (three letters)')]
      : []),
    together(evidence, LONG_SEED_QUERIES, 'which parameter takes the query? (longer queries)'),
    alike(evidence),
    isTooShortForAll(searches, SEED_QUERIES)
      ? null
      : together(evidence, LETTERS, 'which parameter takes the query? (single letters)'),
    ...(mayExplain(searches) ? [NO_PARAMS] : []),
    probeRequiredParam(searches),
    together(evidence, rotated(LONG_SEED_QUERIES, 7), 'which parameter takes the query? (other queries)'),
    ...QUERY_PARAMS.slice(0, refusesUnknownParams(searches) ? 14 : 4).map((param) =>
      single(param, 'limited'),
    ),
  ];
  return drafts.find((draft) => draft !== null && !wasSent(searches, draft.params)) ?? null;
}

const NO_PARAMS: SearchDraft = { params: [], why: 'what does a search without parameters return?' };

/** Drafts the next query for a known query parameter, until a query has returned rows. */
function firstQuery(evidence: QueryEvidence, param: string): SearchDraft | null {
  const { searches, examples } = evidence;
  const tries = searches.filter(
    ({ request }) => request.params.length === 1 && request.params[0]?.[0] === param,
  );
  const lengthsOf = (reading: Exchange['reading']) =>
    tries.flatMap((search) => (search.reading === reading ? [paramOf(search, param)?.length ?? 0] : []));
  const longestRefused = Math.max(0, ...lengthsOf('refused'));
  const isLengthRefused = lengthsOf('ok').some((length) => length > longestRefused);
  const minLength = Math.max(
    evidence.minLength,
    minLengthByRefusals(searches, param),
    isLengthRefused ? longestRefused + 1 : 1,
  );
  const isLongEnough = (query: string) => query.length >= minLength;
  const latin = alternating(SEED_QUERIES, LONG_SEED_QUERIES.slice(0, MAX_WORDS), LETTERS, PREFIXES).filter(
    isLongEnough,
  );
  // A registry with Latin names can also have a few names in other scripts, which show little about the API.
  const inLanguage = queriesInLanguage(searches, param);
  const others = inLanguage.length > 0 ? [] : [...LEGAL_FORMS, ...NON_LATIN_QUERIES];
  const queries = [
    ...[...examples, ...latin.slice(0, 1), ...inLanguage],
    ...[...latin.slice(1, LATIN_FIRST), ...others, ...latin],
  ];
  if (tries.length >= MAX_QUERIES + examples.length) return null;
  return (
    queries
      .filter(isLongEnough)
      .map((query) => single(param, query))
      .find((draft) => !wasSent(searches, draft.params)) ?? null
  );
}

const MAX_QUERIES = 12;
const LATIN_FIRST = 4;
// Only this many frequent words are tried. If none of them has matches, queries probably match only the start of a
// name.
const MAX_WORDS = 3;

function alternating(...lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

function single(param: string, query: string): SearchDraft {
  return { params: [[param, query]], why: `does ${param} take the query?` };
}

function together({ searches }: QueryEvidence, queries: readonly string[], why: string): SearchDraft | null {
  if (refusesUnknownParams(searches) || minLengthByRefusals(searches, null) > (queries[0]?.length ?? 0))
    return null;
  const params = QUERY_PARAMS.map((param, index): Param => [param, queries[index % queries.length] ?? '']);
  // Size parameters in the same request save a call. If the page has as many rows as one of the sizes, the response
  // also identifies the size parameter.
  const sizes = SIZE_PARAMS.map((param, index): Param => [param, String(DISTINCTIVE_SIZES[index] ?? 11)]);
  return { params: [...params, ...sizes], why };
}

/**
 * Drafts a request in which every candidate has the same frequent word. If names match by whole words, a registry may
 * have no match for most words. The known names then show which candidate takes the query.
 */
function alike({ searches }: QueryEvidence): SearchDraft | null {
  if (!ignoresUnknownParams(searches)) return null;
  const [word = ''] = LONG_SEED_QUERIES;
  return {
    params: QUERY_PARAMS.map((param): Param => [param, word]),
    why: `which parameter takes the query? (each has "${word}")`,
  };
}

/** Returns whether the upstream refused a request with these queries, but accepted one with longer queries. */
function isTooShortForAll(searches: readonly Exchange[], queries: readonly string[]): boolean {
  const [param = ''] = QUERY_PARAMS;
  const isRefused = searches.some(
    (search) => search.reading === 'refused' && paramOf(search, param) === queries[0],
  );
  return isRefused && ignoresUnknownParams(searches);
}

/** If several candidates match the rows, drafts a request in which each candidate gets a different known name. */
function withSeenNames({ searches }: QueryEvidence, listing: ResultList): SearchDraft | null {
  const { rows, names } = listing;
  const [path] = names;
  if (path === undefined || refusesUnknownParams(searches)) return null;
  const seen = [...new Set(rows.flatMap((row) => textAt(row, path.pointer) ?? []))].filter(
    (name) => name.length >= 4,
  );
  const possible = possibleParams(searches, listing);
  if (seen.length < 2 || possible.length === 0) return null;
  const params = possible.map((param, index): Param => [param, seen[index % seen.length] ?? '']);
  return { params, why: 'which parameter finds a known name? (each has a different name)' };
}

/**
 * Drafts one request for each candidate, with a known name as its value. This is needed if too few names are known to
 * try all candidates in one request.
 */
function oneByOne({ searches }: QueryEvidence, listing: ResultList): SearchDraft[] {
  const [path] = listing.names;
  const name =
    path === undefined
      ? null
      : listing.rows.map((row) => textAt(row, path.pointer)).find((text) => text !== null);
  const possible = possibleParams(searches, listing);
  return name == null || possible.length > 6 ? [] : possible.map((param) => single(param, name));
}

/**
 * Returns whether a search without parameters might make the upstream name its parameters. This is likely if the last
 * search returned results or a long message.
 */
function mayExplain(searches: readonly Exchange[]): boolean {
  const last = searches.at(-1);
  return last !== undefined && (last.reading === 'ok' || textOf(last).trim().length > 20);
}

function rotated<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
