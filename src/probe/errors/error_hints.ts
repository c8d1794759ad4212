import type { Exchange } from '../evidence.ts';
import { type ErrorMessage, isName, messagesIn } from './error_messages.ts';
import {
  ALLOWED,
  CHARACTERS,
  foldCharacters,
  INVALID,
  MAXIMUM,
  MIN_LENGTH,
  PARAMETERS,
  REQUIRED,
  TOO_BROAD,
  UNKNOWN,
  VALUES,
} from './error_words.ts';

/** What error messages state about requests. */
export interface ErrorHints {
  /** Parameters that a request must have. */
  readonly required: readonly string[];
  /** Parameters that the API accepts. */
  readonly allowed: readonly string[];
  /** Parameters that were sent although the API does not have them. */
  readonly unknown: readonly string[];
  /** Whether a message refuses unknown parameters, even if it does not name them. */
  readonly refusesUnknown: boolean;
  /** Whether error messages name all unknown parameters in a request, so that one request can test many names. */
  readonly namesAllUnknown: boolean;
  /** Whether a message lists the API's parameters. */
  readonly isListed: boolean;
  /**
   * The values that the API accepts, by parameter. For a parameter with a date format, the value is an example in that
   * format.
   */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The min query length in characters, or null if no message states it. */
  readonly minQueryLength: number | null;
  readonly maximum: number | null;
  /** Parameters that were sent with a value above the maximum. */
  readonly tooLarge: readonly string[];
  readonly isTooBroad: boolean;
}

interface Collected {
  readonly required: Set<string>;
  readonly allowed: Set<string>;
  readonly unknown: Set<string>;
  readonly values: Map<string, readonly string[]>;
  readonly lengths: number[];
  readonly maxima: number[];
  readonly tooLarge: Set<string>;
  refusesUnknown: boolean;
  isTooBroad: boolean;
}

/** Collects the hints in error responses. */
export function errorHintsOf(exchanges: readonly Exchange[]): ErrorHints {
  const found: Collected = {
    ...{ required: new Set(), allowed: new Set(), unknown: new Set(), values: new Map() },
    ...{ lengths: [], maxima: [], tooLarge: new Set(), refusesUnknown: false, isTooBroad: false },
  };
  let namesAllUnknown = false;
  const accepted = new Set<string>();
  for (const exchange of exchanges) {
    if (exchange.reading === 'ok' || exchange.reading === 'rejected') continue;
    const { json, text, request } = exchange;
    const sent = new Set(request.params.map(([name]) => name));
    const inThis: Collected = { ...found, unknown: new Set() };
    for (const message of messagesIn(json, text, request.path)) readMessage(message, sent, inThis);
    for (const name of inThis.unknown) found.unknown.add(name);
    found.refusesUnknown ||= inThis.refusesUnknown;
    found.isTooBroad ||= inThis.isTooBroad;
    const unnamed = [...sent].filter((name) => !inThis.unknown.has(name));
    if (inThis.unknown.size < MANY || unnamed.length > FEW) continue;
    namesAllUnknown = true;
    // The API has named all unknown parameters, so it accepts all others that were sent.
    for (const name of unnamed) accepted.add(name);
  }
  const isListed = found.allowed.size >= COMPLETE_LIST;
  for (const name of accepted) found.allowed.add(name);
  const { required, allowed, unknown, values, lengths, maxima, refusesUnknown, isTooBroad } = found;
  return {
    required: [...required].filter((name) => !unknown.has(name)),
    allowed: [...allowed].filter((name) => !unknown.has(name)),
    unknown: [...unknown],
    refusesUnknown,
    namesAllUnknown,
    isListed,
    values,
    minQueryLength: lengths.length === 0 ? null : Math.max(...lengths),
    maximum: maxima[0] ?? null,
    tooLarge: [...found.tooLarge],
    isTooBroad,
  };
}

function readMessage({ param, text }: ErrorMessage, sent: ReadonlySet<string>, found: Collected): void {
  const named = text.replace(/\bquerystring[/.](?=\S)/g, '');
  const folded = foldCharacters(named);
  const maxima = found.maxima.length;
  readNumbers(folded, found);
  if (found.maxima.length > maxima)
    for (const name of [...namesIn(named, sent, param === null), ...(param === null ? [] : [param])])
      if (sent.has(name)) found.tooLarge.add(name);
  if (TOO_BROAD.test(folded)) found.isTooBroad = true;
  let subject = param;
  for (const clause of clausesOf(named)) subject = readClause(clause, { param, subject, sent }, found);
  const format = /\b([yj]{4}|a{4}|r{4})([-./])(m{2})\2([dtjg]{2})\b/i.exec(text);
  if (format !== null && subject !== null) found.values.set(subject, [`2000${format[2]}01${format[2]}01`]);
}

/** Reads the min query length, or the maximum value, that a message states. */
function readNumbers(text: string, { lengths, maxima }: Collected): void {
  const length =
    new RegExp(`(?:${MIN_LENGTH.source}|>=?|≥)\\w*\\D{0,25}?\\b(\\d{1,2})\\D{0,12}${CHARACTERS.source}`).exec(
      text,
    ) ??
    new RegExp(
      `(?:${MIN_LENGTH.source})\\w*[^\\d.]{0,12}${CHARACTERS.source}\\D{0,25}?\\b(\\d{1,2})\\b`,
    ).exec(text) ??
    new RegExp(`\\b(\\d)\\s*(?:or more\\s*|oder mehr\\s*|ou plus\\s*)?${CHARACTERS.source}`).exec(text);
  if (length !== null) lengths.push(Number(length[1]));
  else {
    const maximum = new RegExp(
      `(?:${MAXIMUM.source}|<=|≤)\\w*\\s*(?:[a-z]+\\s+){0,2}?[:=]?\\s*(?:\\d+ ?(?:and|und|et|y|e|en|och|og|i|ja|-|–|to|,) ?)?(\\d{1,5})\\b`,
    ).exec(text);
    if (maximum !== null) maxima.push(Number(maximum[1]));
  }
}

/** Splits a text into clauses with one statement each. A statement about allowed names becomes a separate clause. */
function clausesOf(text: string): string[] {
  return text
    .slice(0, MAX_CHARS)
    .split(
      /(?<=[^\d])[.;!?]\s+|\.$|\n|[()]|\s[–—-]\s|,\s+(?=[a-zà-ÿ]+\s+(?:are|is|one of|sont|sind|son|sono|zijn|er)\b)/u,
    )
    .flatMap((clause) => {
      const folded = foldCharacters(clause);
      const allowed = UNKNOWN.test(folded) ? indexAfter(ALLOWED, folded, UNKNOWN) : -1;
      return allowed > 0 ? [clause.slice(0, allowed), clause.slice(allowed)] : [clause];
    })
    .filter((clause) => clause.trim() !== '');
}

/** Returns the position of the first match for `wanted` that follows a match for `before`, or -1. */
function indexAfter(wanted: RegExp, text: string, before: RegExp): number {
  const first = before.exec(text);
  if (first === null) return -1;
  const from = first.index + first[0].length;
  const at = text.slice(from).search(wanted);
  return at === -1 ? -1 : from + at;
}

interface Subject {
  /** The parameter to which the body attributes the message. */
  readonly param: string | null;
  /** The parameter that the previous clause is about. */
  readonly subject: string | null;
  readonly sent: ReadonlySet<string>;
}

/** Reads one clause and returns the parameter that it is about, or null if there is none. */
function readClause(clause: string, { param, subject, sent }: Subject, found: Collected): string | null {
  const folded = foldCharacters(clause);
  const names = namesIn(clause, sent, param === null);
  const isInvalid = INVALID.test(folded) && names.some((name) => sent.has(name)) && !/\d/.test(folded);
  if (UNKNOWN.test(folded) || isInvalid) {
    found.refusesUnknown = true;
    const unknown = [...names, ...(param === null ? [] : [param])].filter((name) => sent.has(name));
    for (const name of unknown) found.unknown.add(name);
    return null;
  }
  const allowed = ALLOWED.exec(folded);
  const isRequired =
    REQUIRED.test(folded) || (allowed === null && names.length > 0 && /^\W*missing/i.test(folded));
  if (allowed !== null && !(isRequired && !/[:[]/.test(clause))) {
    const listed = listIn(clause.slice(allowed.index));
    const about = isAboutParams(folded)
      ? null
      : (subjectOf(clause.slice(0, allowed.index), sent) ?? param ?? subject);
    if (listed.length > 0 && about !== null && !found.unknown.has(about)) {
      found.values.set(about, listed);
      const isMissing = !sent.has(about) && /\b(must|should)\b/.test(folded);
      if (isMissing || REQUIRED.test(folded.slice(0, allowed.index))) found.required.add(about);
      return about;
    }
    for (const name of listed) if (isName(name) && !NOT_NAMES.has(name)) found.allowed.add(name);
    return null;
  }
  if (isRequired) {
    const required = names.length > 0 ? names : param === null ? [] : [param];
    for (const name of required) found.required.add(name);
    return required[0] ?? subject;
  }
  return names[0] ?? subject;
}

/**
 * Returns the parameter that the start of a clause names, such as `country` in "country must be one of". Returns null
 * if there is none.
 */
function subjectOf(start: string, sent: ReadonlySet<string>): string | null {
  const [word = ''] = start.trim().split(/\s+/);
  const isOrdinary = NOT_NAMES.has(word.toLowerCase()) || VALUES.test(foldCharacters(word));
  return namesIn(start, sent).at(-1) ?? (isName(word) && !isOrdinary ? word : null);
}

function isAboutParams(folded: string): boolean {
  return PARAMETERS.test(folded) && !VALUES.test(folded);
}

/**
 * Returns the parameter names in a clause. A word is a name if it is quoted, follows the word "parameter", precedes a
 * verb, or does not look like an ordinary word. The word before a verb counts only if `isUnattributed`, which means
 * that the body attributes the message to no parameter.
 */
function namesIn(clause: string, sent: ReadonlySet<string>, isUnattributed = true): string[] {
  const names = new Set<string>();
  const add = (text: string | undefined) => {
    const name = (text ?? '').replace(/[.,:]+$/, '');
    if (isName(name) && (sent.has(name) || !NOT_NAMES.has(name.toLowerCase()))) names.add(name);
  };
  for (const [, quoted] of clause.matchAll(/["'`´‘“„«»”]\s?([^\s"'`´‘’“”„«»]{1,60})\s?["'`´’”“«»]/gu))
    add(quoted);
  const words = [...clause.matchAll(/[^\s,;"'`‘’“”„«»]+/gu)].map(([word]) => word);
  words.forEach((word, index) => {
    const name = word.replace(/[.:]+$/, '');
    const isUnlikeWord =
      /^\p{L}$|_|\[.*\]|\p{Ll}\p{Lu}|\p{L}\.\p{L}|-(?=\p{Ll}+$)/u.test(name) &&
      !/^[aàeioyiéèôß]$/i.test(name);
    if (isUnlikeWord || sent.has(name)) add(name);
    if (
      isIntroduction(words[index - 1] ?? '') &&
      !/^(is|are|must|should|name|types?|der|la|le|el|il|o|on|is|and|or)$/i.test(name)
    )
      add(name);
  });
  const listed = /:\s*([^:]+)$/.exec(clause)?.[1];
  if (names.size === 0 && listed !== undefined) for (const name of listIn(listed)) add(name);
  const [, first = ''] =
    /^\s*(\S+)\s+(?:is|are|must|should|cannot|may|can't|ist|sind|muss|darf|est|doit|es|debe|deve|non|is|moet|er|ma|skal|maste|e|jest|musi|on|should|mangler|saknas|fehlt|manque|falta|manca|ontbreekt|puuttuu|:)\b/iu.exec(
      clause,
    ) ?? [];
  if (names.size === 0 && isUnattributed) add(first);
  return [...names];
}

function isIntroduction(word: string): boolean {
  return PARAMETERS.test(foldCharacters(word).replace(/^\W+/, '')) && !/[:.]$/.test(word)
    ? true
    : PARAMETERS.test(foldCharacters(word)) && word.endsWith(':');
}

/** Returns the items in a list such as "a, b and c", `["a","b"]` or "a | b". */
function listIn(text: string): string[] {
  const list = /[:[{]\s*([^:]+)$/.exec(text)?.[1] ?? text.replace(/^\S+/, '');
  const quoted = [...list.matchAll(/["'`‘“„«]\s?([^"'`‘’“”„«»]{1,60}?)\s?["'`’”“»]/gu)].map(
    ([, item = '']) => item,
  );
  if (quoted.length > 0) return quoted;
  return list
    .split(/[,|/;]\s*|\s+(?:and|or|und|oder|et|ou|y|o|e|en|of|og|eller|och|i|lub|ja|tai)\s+|\s{2,}/u)
    .map(withoutBrackets)
    .filter((item) => item !== '' && !/\s/.test(item));
}

/** Removes the brackets around a list, but not brackets within a name such as `filter[name]`. */
function withoutBrackets(item: string): string {
  const text = item.trim().replace(/^[[{<(]+/, '');
  return text.includes('[') ? text.replace(/\]{2,}$/, ']') : text.replace(/[\]}>).]+$/, '');
}

/** Words in messages that are not parameter names, although their position suggests that they are. */
const NOT_NAMES: ReadonlySet<string> = new Set(
  `the a an this that it is are must be of for and or to in on with one value values parameter parameters query request
  field search string required missing invalid error validation failed bad json http get null undefined true false
  der die das ein eine parameter anfrage le la les un une requete parametre el los las parametro il lo gli de het een
  verzoek den det en et foresporsel o os as um uma zapytanie parametr pyynto none all any`.split(/\s+/),
);

/** A response that names at least this many unknown parameters is assumed to name all of them. */
const MANY = 3;
/** The maximum number of sent parameters that such a response may leave unnamed. */
const FEW = 5;
/** A list with at least this many parameter names is probably complete. */
const COMPLETE_LIST = 2;
const MAX_CHARS = 4_000;
