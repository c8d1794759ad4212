import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { folded, isAscii, withoutDiacritics } from '../names/folding.ts';
import { queriesFinding, semanticsOf } from '../names/query_matching.ts';

/** The assumptions of one simulation about properties that no response has shown. */
export interface Scenario {
  readonly seed: number;
  /** The share of names in a language that no search has shown. */
  readonly otherLanguages: number;
  /** The share of names in a script that no search has shown. */
  readonly otherScripts: number;
  /** The share of identifiers in a form that no search has shown. */
  readonly otherForms: number;
  /** The share of missing companies that match an open query without a total. */
  readonly openShare: number;
  /** Do searches ignore diacritics, so that `as` finds `Åsbygg`? */
  readonly ignoresDiacritics: boolean;
  /** Can no search find the missing companies? */
  readonly isOutOfReach: boolean;
  /** Does the order of results depend on the query? */
  readonly ranksByQuery: boolean;
}

/**
 * The scenarios of a cost estimate. Each mixes likely assumptions differently, so that the estimate covers what is
 * unknown. `inVain`: the number of latest searches without a new company.
 */
export function scenariosFor(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
  inVain: number,
): Scenario[] {
  const canIgnoreDiacritics = ignoresDiacritics(known, queries, dialect);
  // Companies found by identifier are a fair sample of names. Totals of identifier prefixes bound further forms.
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
 * A factor, at most 1, for the share of foreign names. Searches by single letters find names of every language in that
 * script. The rarer diacritics are among those names, the rarer are other languages and scripts.
 */
function foreignness(known: readonly KnownCompany[], queries: readonly QueryState[]): number {
  const isByLetters = queries.every(({ query }) => query.by === 'name' && [...query.text].length <= 1);
  if (!isByLetters) return 1;
  const withDiacritics = known.filter(({ name }) => LETTER_BEYOND_ASCII.test(name ?? '')).length;
  return Math.min(1, (withDiacritics + 0.5) / (known.length + 1) / USUAL_DIACRITICS_SHARE);
}

type Mixture = Omit<Scenario, 'seed'>;

/** Only the languages, scripts and identifier forms seen so far. */
const UNIFORM: Mixture = {
  ...{ otherLanguages: 0, otherScripts: 0, otherForms: 0, openShare: 0.8 },
  ...{ ignoresDiacritics: true, ranksByQuery: false, isOutOfReach: false },
};
const MANIFOLD: Mixture = {
  ...{ otherLanguages: 0.1, otherScripts: 0.15, otherForms: 0.15, openShare: 0.2 },
  ...{ ignoresDiacritics: false, ranksByQuery: true, isOutOfReach: false },
};
// A small budget permits only the first two.
const MIXTURES: readonly Mixture[] = [
  UNIFORM,
  MANIFOLD,
  { ...UNIFORM, otherLanguages: 0.05, otherScripts: 0.08, otherForms: 0.15, openShare: 0.4 },
  { ...MANIFOLD, otherForms: 0, ranksByQuery: false },
  { ...UNIFORM, otherLanguages: 0.05, openShare: 0.6, ranksByQuery: true },
  MANIFOLD,
];
const OUT_OF_REACH: Mixture = { ...UNIFORM, isOutOfReach: true };
// Single searches often find nothing. This number in a row suggests that the missing companies are out of reach.
const MANY_IN_VAIN = 40;
const LETTER_BEYOND_ASCII = /[^\P{L}A-Za-z]/u;
const USUAL_DIACRITICS_SHARE = 0.05;

/** Is there a known company that a search can only have found by ignoring diacritics? */
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
