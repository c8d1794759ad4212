import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { folded, isAscii, withoutDiacritics } from '../names/folding.ts';
import { queriesFinding, semanticsOf } from '../names/query_matching.ts';

/** What one rehearsal takes to be so where nothing that was seen tells it. */
export interface Scenario {
  readonly seed: number;
  /** The share of names whose words are of a language that searches have not met. */
  readonly otherLanguages: number;
  /** The share of those written in a script that searches have not met. */
  readonly otherScripts: number;
  /** The share of identifiers that begin as none of those seen. */
  readonly otherForms: number;
  /** The share of companies that a text finds which was not listed to its end, where it states no total. */
  readonly goOn: number;
  /** Does `as` find `Åsbygg`? */
  readonly ignoresDiacritics: boolean;
  /** Is none that is missing found by any search? */
  readonly isOutOfReach: boolean;
  /** Does every query put companies in an order of its own? */
  readonly ranksByQuery: boolean;
}

/** `inVain`: so many searches in a row have found nothing. So that a price says what can come of not knowing, each supposes another mixture of what is likely. */
export function scenariosFor(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
  inVain: number,
): Scenario[] {
  const areMarksOverlooked = ignoresDiacritics(known, queries, dialect);
  // Who was found by identifier is a fair sample of names; and totals of prefixes leave room for others, or none.
  const isByName = queries.some(({ query }) => query.by === 'name' && query.text !== '');
  const foreign = isByName ? foreignness(known, queries) : 0;
  const isCounted = queries.some(({ query, total }) => query.by === 'identifier' && total !== null);
  const mixtures = inVain < LONG_IN_VAIN ? MIXTURES : [OUT_OF_REACH, ...MIXTURES];
  return mixtures.map((mixture, at) => ({
    ...mixture,
    seed: at + 1,
    otherLanguages: mixture.otherLanguages * foreign,
    otherScripts: mixture.otherScripts * foreign,
    otherForms: isCounted ? 0 : mixture.otherForms,
    ignoresDiacritics: areMarksOverlooked || mixture.ignoresDiacritics,
  }));
}

/**
 * How much of the usual share of foreign names there is. Single letters find names of every language that is written
 * in them: where marks are frequent among those names, so are other languages, and scripts; where there are none, not.
 */
function foreignness(known: readonly KnownCompany[], queries: readonly QueryState[]): number {
  const isByLetters = queries.every(({ query }) => query.by === 'name' && [...query.text].length <= 1);
  if (!isByLetters) return 1;
  const marked = known.filter(({ name }) => MARKED_LETTER.test(name ?? '')).length;
  return Math.min(1, (marked + 0.5) / (known.length + 1) / USUALLY_MARKED);
}

type Mixture = Omit<Scenario, 'seed'>;

/** One language, one script, one form of identifiers: those that were met. */
const UNIFORM: Mixture = {
  ...{ otherLanguages: 0, otherScripts: 0, otherForms: 0, goOn: 0.8 },
  ...{ ignoresDiacritics: true, ranksByQuery: false, isOutOfReach: false },
};
const MANIFOLD: Mixture = {
  ...{ otherLanguages: 0.1, otherScripts: 0.15, otherForms: 0.15, goOn: 0.2 },
  ...{ ignoresDiacritics: false, ranksByQuery: true, isOutOfReach: false },
};
// Where rehearsals take long, the first two are all there is.
const MIXTURES: readonly Mixture[] = [
  UNIFORM,
  MANIFOLD,
  { ...UNIFORM, otherLanguages: 0.05, otherScripts: 0.08, otherForms: 0.15, goOn: 0.4 },
  { ...MANIFOLD, otherForms: 0, ranksByQuery: false },
  { ...UNIFORM, otherLanguages: 0.05, goOn: 0.6, ranksByQuery: true },
  MANIFOLD,
];
const OUT_OF_REACH: Mixture = { ...UNIFORM, isOutOfReach: true };
// A search now and then finds nothing; so many do where names and identifiers have been tried out.
const LONG_IN_VAIN = 40;
const MARKED_LETTER = /[^\P{L}A-Za-z]/u;
const USUALLY_MARKED = 0.05;

/** Was a company found that searches can have found only by overlooking marks? */
export function ignoresDiacritics(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
): boolean {
  if (queries.some(({ query }) => query.by === 'identifier' || query.text === '')) return false;
  const semantics = semanticsOf(dialect);
  const asked = new Set(queries.map(({ query }) => folded(query.text)));
  const isFound = (name: string) => queriesFinding(semantics, name, LONGEST).some((text) => asked.has(text));
  return known.some(({ name }) => {
    if (name === null || isAscii(name)) return false;
    return !isFound(folded(name)) && isFound(withoutDiacritics(name));
  });
}

const LONGEST = 24;
