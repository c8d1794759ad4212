import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { folded, isAscii, withoutDiacritics } from '../names/folding.ts';
import { queriesFinding, semanticsOf } from '../names/query_matching.ts';

/** What one simulation assumes about the registry, beyond what responses have shown. */
export interface Scenario {
  readonly seed: number;
  /** The share of missing companies whose names are in languages that have not been seen yet. */
  readonly otherLanguages: number;
  /** The share of missing companies whose names are in scripts that have not been seen yet. */
  readonly otherScripts: number;
  /** The share of missing companies whose identifiers have forms that have not been seen yet. */
  readonly otherForms: number;
  /** The share of missing companies that match an open query without a total. */
  readonly openShare: number;
  /** Whether searches ignore diacritics, so that `as` finds `Åsbygg`. */
  readonly ignoresDiacritics: boolean;
  /** Whether identifiers are searched by prefix, if neither the dialect nor a stored query shows it. */
  readonly searchesIdentifiers: boolean;
  /** Whether the missing companies cannot be found by searching. */
  readonly isOutOfReach: boolean;
  /** Whether the order of results depends on the query. */
  readonly ranksByQuery: boolean;
}

/**
 * Returns the scenarios for a cost estimate. Each scenario makes different assumptions, so that the estimate covers
 * what is unknown about the registry. `inVain` is the number of searches since a new company was last found.
 */
export function scenariosFor(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
  inVain: number,
): Scenario[] {
  const canIgnoreDiacritics = ignoresDiacritics(known, queries, dialect);
  // Searches by identifier find an unbiased sample of names, so no names in other languages are assumed. If identifier
  // prefixes have totals, no other identifier forms are assumed.
  const isByName = queries.some(({ query }) => query.by === 'name' && query.text !== '');
  const foreign = isByName ? foreignness(known, queries) : 0;
  const isCounted = queries.some(({ query, total }) => query.by === 'identifier' && total !== null);
  const mixtures = inVain < MANY_IN_VAIN ? MIXTURES : [OUT_OF_REACH, ...MIXTURES];
  return mixtures.map((mixture, at) => ({
    ...mixture,
    seed: at + 1,
    otherLanguages: mixture.otherLanguages * foreign,
    otherScripts: mixture.otherScripts * foreign,
    otherForms: isCounted ? 0 : mixture.otherForms,
    ignoresDiacritics: canIgnoreDiacritics || mixture.ignoresDiacritics,
  }));
}

/**
 * Returns a factor of at most 1 by which the shares of names in other languages and scripts are multiplied. Searches
 * for single letters find names in every language that uses the same script. If these names seldom have diacritics,
 * other languages and scripts are assumed to be rare too.
 */
function foreignness(known: readonly KnownCompany[], queries: readonly QueryState[]): number {
  const isByLetters = queries.every(({ query }) => query.by === 'name' && [...query.text].length <= 1);
  if (!isByLetters) return 1;
  const withDiacritics = known.filter(({ name }) => LETTER_BEYOND_ASCII.test(name ?? '')).length;
  return Math.min(1, (withDiacritics + 0.5) / (known.length + 1) / USUAL_DIACRITICS_SHARE);
}

type Mixture = Omit<Scenario, 'seed'>;

/** Assumes only the languages, scripts and identifier forms that were seen. */
const UNIFORM: Mixture = {
  ...{ otherLanguages: 0, otherScripts: 0, otherForms: 0, openShare: 0.8 },
  ...{ ignoresDiacritics: true, ranksByQuery: false, searchesIdentifiers: true, isOutOfReach: false },
};
const MANIFOLD: Mixture = {
  ...{ otherLanguages: 0.1, otherScripts: 0.15, otherForms: 0.15, openShare: 0.2 },
  ...{ ignoresDiacritics: false, ranksByQuery: true, searchesIdentifiers: false, isOutOfReach: false },
};
// The two most different mixtures come first, because a small budget permits only two simulations.
const MIXTURES: readonly Mixture[] = [
  UNIFORM,
  MANIFOLD,
  { ...UNIFORM, otherLanguages: 0.05, otherScripts: 0.08, otherForms: 0.15, openShare: 0.4 },
  { ...MANIFOLD, otherForms: 0, ranksByQuery: false },
  { ...UNIFORM, otherLanguages: 0.05, openShare: 0.6, ranksByQuery: true },
  MANIFOLD,
];
const OUT_OF_REACH: Mixture = { ...UNIFORM, isOutOfReach: true };
// After this many consecutive searches without a new company, one scenario assumes that the missing companies are out
// of reach.
const MANY_IN_VAIN = 40;
const LETTER_BEYOND_ASCII = /[^\P{L}A-Za-z]/u;
const USUAL_DIACRITICS_SHARE = 0.05;

/**
 * Returns whether searches ignore diacritics. They do if a known company's name matches a sent query only without its
 * diacritics.
 */
export function ignoresDiacritics(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
): boolean {
  if (queries.some(({ query }) => query.by === 'identifier' || query.text === '')) return false;
  const semantics = semanticsOf(dialect);
  const sent = new Set(queries.map(({ query }) => folded(query.text)));
  const isFound = (name: string) =>
    queriesFinding(semantics, name, MAX_QUERY_LENGTH).some((text) => sent.has(text));
  return known.some(({ name }) => {
    if (name === null || isAscii(name)) return false;
    return !isFound(folded(name)) && isFound(withoutDiacritics(name));
  });
}

const MAX_QUERY_LENGTH = 24;
