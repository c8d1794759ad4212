import { type ErrorReading, readError } from './errors.ts';
import { type Param, type ProbeExchange, paramOf } from './exchange.ts';
import { linkedParams } from './pages.ts';
import {
  type ParamRole,
  rareNames,
  roleOfParam,
  type Spelling,
  spellingOf,
  usualNames,
  wordsOfKey,
} from './words.ts';

/**
 * Hypotheses about parameter names. Usual word forms, errors, links in bodies, keys of rows, the configuration and
 * documents propose names. The requests decide which of them the API has.
 */

export interface ParamBeliefs {
  /** Whether the API ignores unknown parameters: it accepted several names for the same role. */
  readonly isLenient: boolean;
  /** Whether the API refuses unknown parameters. */
  readonly isStrict: boolean;
  /** Whether a request with many guessed names was refused, and none was accepted. */
  readonly mayBeStrict: boolean;
  /** Names that the API probably has: accepted in a strict API, listed, linked, or not among the refused names. */
  readonly known: ReadonlySet<string>;
  /** Names that were sent only in refused requests and that the errors mention. */
  readonly refused: ReadonlySet<string>;
  /** Names that were refused in a request whose other parameters the API accepts. */
  readonly refusedAlone: ReadonlySet<string>;
  /** Names that an error says must be in a range of numbers, so that they take no text. */
  readonly numeric: ReadonlySet<string>;
  /** Names that an error requires, most likely queries first. */
  readonly required: readonly string[];
  /** Whether an error listed the API's parameters. */
  readonly isListed: boolean;
  /** Whether errors name all unknown parameters in a request. */
  readonly namesAll: boolean;
  /** Parameters that every search needs in addition to the query, with a value that the API accepts. */
  readonly constants: readonly Param[];
  /** The constant parameters of the configured path of the search, which have no other role. */
  readonly taken: ReadonlyMap<string, string>;
  readonly spelling: Spelling['joins'];
  /** Keys of numbers outside the rows, in several spellings. A parameter may have the same name. */
  readonly ofEnvelope: readonly string[];
  readonly hasSigil: boolean;
  readonly errors: ReadonlyMap<ProbeExchange, ErrorReading>;
}

interface ParamSources {
  /** Parameters with fixed values in the configured paths. */
  readonly configured: readonly Param[];
  /** Those of them in the path of the search. */
  readonly constant: readonly Param[];
  /** The parameters of a search that a document states. The probe tries no others. */
  readonly stated: readonly string[];
  /** Parameters in braces in the configured path of the search. */
  readonly inPath: readonly string[];
  /** Keys in the responses' bodies. */
  readonly keys: readonly string[];
  /** Keys of numbers outside the rows. */
  readonly envelope: readonly string[];
}

/** Evaluates what all searches show about parameter names. */
export function believeParams(searches: readonly ProbeExchange[], sources: ParamSources): ParamBeliefs {
  const errors = new Map(
    searches
      .filter(({ reading }) => reading === 'refused' || reading === 'broken')
      .map((search) => [search, readError(search)]),
  );
  // At a path that has answered otherwise, a response without matches accepts the parameters too.
  const isPath = searches.some(({ reading }) => reading === 'ok' || reading === 'refused');
  const isAccepted = ({ reading, status }: ProbeExchange) =>
    reading === 'ok' || (reading === 'absent' && (isPath || (status !== null && status < 400)));
  const accepted = new Set(
    searches.flatMap((search) => (isAccepted(search) ? search.request.params.map(([name]) => name) : [])),
  );
  const isLenient = hasSynonyms([...accepted]);
  const known = new Set([...sources.stated, ...sources.inPath, ...(isLenient ? [] : accepted)]);
  const refused = new Set<string>();
  const spared = new Set<string>();
  const numeric = new Set<string>();
  const missing: string[] = [];
  const values = new Map<string, readonly string[]>();
  let isListed = sources.stated.length > 0;
  let namesAll = false;
  let opaque = 0;
  let unknown = 0;
  for (const [{ request }, error] of errors) {
    const sent = request.params.map(([name]) => name);
    for (const [name, list] of error.values) values.set(name, list);
    for (const name of error.listed) known.add(name);
    // A list without an accepted or a likely parameter lists something else, such as the keys of an expression.
    isListed ||=
      error.listed.length > 1 &&
      [...accepted].every((name) => error.listed.includes(name)) &&
      (accepted.size > 0 || error.listed.some((name) => roleOfParam(name) === 'query'));
    missing.push(...error.missing);
    for (const [name, value] of request.params) {
      if (!error.named.has(name)) continue;
      if (isOutsideRange(value, error.numbers)) numeric.add(name);
      // The API has a limit only for a parameter that it has.
      if (error.numbers.some((number) => isLimitFor(number, value))) known.add(name);
    }
    const named = request.params.filter((param) => isUnknown(param, error, accepted, missing));
    // An API that ignores unknown names has those that its errors are about.
    const culprits = isLenient ? [] : named;
    if (isLenient) for (const [name] of named) known.add(name);
    for (const [name] of culprits) refused.add(name);
    unknown += culprits.length;
    // A refusal that lacks a required parameter is explained.
    const isExplained = culprits.length > 0 || missing.some((name) => !sent.includes(name));
    const isAcceptedWithMore = searches.some(
      ({ reading, request: { params: other } }) =>
        reading === 'ok' && sent.every((name) => other.some(([one]) => one === name)),
    );
    if (sent.length > 3 && !isExplained && !isAcceptedWithMore) opaque++;
    // If an error names several of the sent parameters, the API probably has the others.
    const isWhole = culprits.length >= 3 || (culprits.length > 0 && sent.length - culprits.length <= 1);
    if (isWhole && error.listed.length === 0) {
      namesAll ||= culprits.length >= 3;
      const sigil = hasSigil(culprits[0]?.[0] ?? '');
      for (const name of sent)
        if (!culprits.some(([one]) => one === name) && hasSigil(name) === sigil) spared.add(name);
    }
  }
  for (const name of accepted) refused.delete(name);
  const ofEnvelope = [...new Set(sources.envelope)].flatMap(spellingsOf);
  // A large number can be the reason why a parameter that the API spared or repeats is refused.
  for (const name of [...spared, ...ofEnvelope])
    if (searches.some((one) => one.reading === 'refused' && Number(paramOf(one, name)) >= MIN_LARGE))
      refused.delete(name);
  for (const name of spared) known.add(name);
  for (const name of refused) known.delete(name);
  for (const search of searches)
    if (search.reading === 'ok')
      // A link can repeat the parameters of its request.
      for (const [name] of linkedParams(search)) if (paramOf(search, name) === null) known.add(name);
  const isStrict = !isLenient && (unknown > 0 || opaque > 1 || isListed);
  const required = [...new Set(missing)].filter((name) => !refused.has(name));
  const shown = [...known, ...required, ...sources.configured.map(([name]) => name)];
  return {
    isLenient,
    isStrict,
    mayBeStrict: isStrict || (!isLenient && opaque > 0),
    known,
    refused,
    refusedAlone: new Set(
      [...errors.keys()].flatMap(({ request: { params } }) => {
        const [culprit, ...others] = params.filter(([name]) => !accepted.has(name));
        return culprit === undefined || others.length > 0 ? [] : [culprit[0]];
      }),
    ),
    numeric,
    required: byLikelihood(required),
    isListed,
    namesAll,
    constants: constantsOf(required, values, sources.configured),
    taken: new Map(sources.constant),
    spelling: shown.some(isCapitalised)
      ? ['pascal', 'snake', 'camel']
      : spellingOf([...shown, ...sources.keys]),
    ofEnvelope,
    hasSigil: shown.some(hasSigil) || sources.keys.some((key) => /^@?odata\./.test(key)),
    errors,
  };
}

/** Returns a key as it is, and a key with hyphens also in camel case and snake case. */
function spellingsOf(key: string): string[] {
  if (wordsOfKey(key).some((word) => NOT_PARAM_WORDS.has(word))) return [];
  const camel = key.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set([key, camel, key.replaceAll('-', '_')])];
}

const NOT_PARAM_WORDS: ReadonlySet<string> = new Set(['total', 'count', 'used', 'found', 'returned', 'last']);

const isCapitalised = (name: string): boolean => /^\p{Lu}\p{Ll}/u.test(name);

const hasSigil = (name: string): boolean => name.startsWith('$');

/** Returns whether several names have the same role, so that some of them must be guesses. */
function hasSynonyms(names: readonly string[]): boolean {
  const counts = new Map<ParamRole | null, number>();
  for (const name of names) counts.set(roleOfParam(name), (counts.get(roleOfParam(name)) ?? 0) + 1);
  return [...counts].some(([role, count]) => role !== null && role !== 'filter' && count >= 3);
}

/**
 * Returns whether an error shows that the API does not have a parameter. An error about a known parameter, or with a
 * limit that the value misses, is about the value.
 */
function isUnknown(
  [name, value]: Param,
  error: ErrorReading,
  accepted: ReadonlySet<string>,
  required: readonly string[],
): boolean {
  const { named, values, numbers, listed } = error;
  if (listed.length > 1) return !listed.includes(name);
  if (!named.has(name) || values.has(name) || accepted.has(name)) return false;
  const isRequired = required.includes(name);
  const mayMissLimit = numbers.some((number) => isLimitFor(number, value));
  if (isRequired && mayMissLimit) return false;
  // An error that names many parameters refuses them, whatever another error seemed to require.
  return named.size > 2 || !(isRequired || mayMissLimit);
}

/** Returns whether a number in an error can be the limit that a value misses: a length for a text, a maximum for a number. */
export function isLimitFor(number: number, value: string): boolean {
  if (/^\d+$/.test(value)) return number >= MIN_SIZE && number < Number(value);
  return number > [...value].length && number <= MAX_LENGTH;
}

/**
 * Returns whether a text can have been refused because only a number in a range such as 0 to 1000 is possible. A range that
 * begins above the text's length, such as 3 to 50, is one of lengths.
 */
function isOutsideRange(value: string, numbers: readonly number[]): boolean {
  const [low, high, ...others] = numbers;
  if (low === undefined || high === undefined || others.length > 0) return false;
  return !/\d/.test(value) && high > MAX_LENGTH && low <= [...value].length;
}

const MIN_SIZE = 5;
const MIN_LARGE = 100;
const MAX_LENGTH = 8;

/** Returns names that may take the query, most likely first. */
function byLikelihood(names: readonly string[]): string[] {
  const withRole = (wanted: ParamRole | null) => names.filter((name) => roleOfParam(name) === wanted);
  return [...withRole('query'), ...withRole(null)];
}

/**
 * Returns the parameters that every search needs in addition to the query. The value comes from the configuration, an
 * error's list of values, or is the most general one.
 */
function constantsOf(
  required: readonly string[],
  values: ReadonlyMap<string, readonly string[]>,
  configured: readonly Param[],
): Param[] {
  const given = new Map(configured);
  const [query] = byLikelihood(required.filter((name) => !given.has(name) && !values.has(name)));
  return required.flatMap((name): Param[] => {
    const own = given.get(name);
    if (own !== undefined) return [[name, own]];
    const role = roleOfParam(name);
    const first = role === null ? undefined : FIRST_PAGE_VALUES.get(role);
    if (first !== undefined) return [[name, first]];
    if (name === query || (!values.has(name) && role !== 'filter' && role !== null)) return [];
    const list = values.get(name) ?? [];
    const general = list.find((value) => /^(all|any|alle|tous|todos|tutti|\*)$/i.test(value)) ?? list[0];
    return [[name, general ?? usualValue(name)]];
  });
}

/** Values for the first page, if every search needs them. */
const FIRST_PAGE_VALUES: ReadonlyMap<ParamRole, string> = new Map([
  ['page', '1'],
  ['offset', '0'],
]);

function usualValue(name: string): string {
  const own = wordsOfKey(name);
  if (own.includes('format')) return 'json';
  return own.some((word) => /^(lang|language|locale|langue|sprache)$/.test(word)) ? 'en' : 'all';
}

/** Removes constants from the requests, so that the evidence compares the other parameters. */
export function withoutConstants(
  searches: readonly ProbeExchange[],
  constants: readonly Param[],
): ProbeExchange[] {
  if (constants.length === 0) return [...searches];
  const values = new Map(constants);
  return searches.flatMap((search): ProbeExchange[] => {
    const sent = new Map(search.request.params);
    const isComplete = constants.every(([name]) => sent.has(name));
    // A refused search without a constant reveals nothing about the other parameters.
    if (!isComplete && search.reading !== 'ok') return [];
    const params = search.request.params.filter(([name, value]) => values.get(name) !== value);
    return [{ ...search, request: { ...search.request, params } }];
  });
}

/** Returns the first of these parameters that a URL can hold. Some servers accept at most 2,048 characters. */
export function fittingUrl(params: readonly Param[]): Param[] {
  let length = 0;
  return params.filter(([name, value]) => {
    length += encodeURIComponent(name).length + encodeURIComponent(value).length + 2;
    return length <= MAX_URL_CHARS;
  });
}

const MAX_URL_CHARS = 1_800;

/** Adds the constants that the parameters do not include. */
export function withConstants(params: readonly Param[], constants: readonly Param[]): Param[] {
  const sent = new Set(params.map(([name]) => name));
  return [...params, ...constants.filter(([name]) => !sent.has(name))];
}

/** Returns the names that the API probably has for a role, usual ones first. */
export function ownNames(role: Exclude<ParamRole, 'filter'>, { known, taken }: ParamBeliefs): string[] {
  const ranks = new Map(
    usualNames(role, { sigil: '', joins: ['snake', 'camel', 'kebab', 'pascal'] }).map((name, index) => [
      name,
      index,
    ]),
  );
  const rankOf = (name: string) => ranks.get(name.replace(/^\$/, '')) ?? ranks.size;
  return [...known]
    .filter((name) => roleOfParam(name) === role && !taken.has(name))
    .sort((a, b) => rankOf(a) - rankOf(b));
}

/**
 * Returns the names to try for a role, most likely first. If the API names its parameters, only those are tried.
 * Otherwise, its own names come first, then the usual ones.
 */
export function namesFor(role: Exclude<ParamRole, 'filter'>, beliefs: ParamBeliefs): string[] {
  const { known, refused, taken, isListed, isStrict, namesAll, spelling, hasSigil: mayHaveSigil } = beliefs;
  const own = ownNames(role, beliefs);
  const ofEnvelope = beliefs.ofEnvelope.filter((name) => roleOfParam(name) === role);
  if (isListed || (isStrict && own.length > 0 && namesAll)) return own;
  const isSigil = [...known].some(hasSigil);
  const plain = isSigil ? [] : usualNames(role, { sigil: '', joins: spelling });
  const sigil = mayHaveSigil ? usualNames(role, { sigil: '$', joins: spelling }) : [];
  const rare = isSigil ? [] : rareNames(role, spelling);
  return [...new Set([...own, ...ofEnvelope, ...sigil, ...plain, ...rare])].filter(
    (name) => !refused.has(name) && !taken.has(name),
  );
}
