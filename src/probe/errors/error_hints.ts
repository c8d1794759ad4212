import type { Exchange } from '../evidence.ts';
import { roleOfParam } from '../param_roles.ts';
import { type AttributedErrors, attributedErrors } from './attributed_errors.ts';
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
import { listIn, NOT_NAMES, namesIn, plainNamesIn } from './names_in_text.ts';

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
    const inThis: Collected = { ...found, required: new Set(), unknown: new Set() };
    const messages = messagesIn(json, text, request.path);
    for (const message of messages) readMessage(message, sent, inThis);
    addAttributed(attributedErrors(messages, request.params), inThis);
    for (const name of inThis.required) found.required.add(name);
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

/** Adds what the errors' form shows to what their words state. */
function addAttributed(
  { missing, unknown, minQueryLength, maximum }: AttributedErrors,
  found: Collected,
): void {
  for (const name of unknown) found.unknown.add(name);
  found.refusesUnknown ||= unknown.length > 0;
  if (found.required.size === 0) for (const name of missing) found.required.add(name);
  if (minQueryLength !== null && found.lengths.length === 0) found.lengths.push(minQueryLength);
  if (maximum !== null && found.maxima.length === 0) {
    found.maxima.push(maximum.value);
    found.tooLarge.add(maximum.param);
  }
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
  const example = dateIn(text);
  if (example !== null && subject !== null) found.values.set(subject, [example]);
}

/** Returns a date in the format that a text states, such as YYYY-MM-DD or gg/mm/aaaa, or null if it states none. */
function dateIn(text: string): string | null {
  const separator = /\b(?:y{4}|j{4}|a{4}|r{4})([-./]?)mm\1(?:d{2}|t{2}|j{2}|g{2})\b/i.exec(text)?.[1] ?? null;
  if (separator !== null) return ['2000', '01', '01'].join(separator);
  const last = /\b(?:d{2}|t{2}|j{2}|g{2}|p{2})([-./])(?:mm|kk)\1(?:y{4}|j{4}|a{4}|r{4}|å{4}|v{4})\b/iu.exec(
    text,
  );
  return last === null ? null : ['01', '01', '2000'].join(last[1]);
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
  // "A parameter is missing or unknown" means an unknown one only if the request had many guessed parameters.
  const isEither = UNKNOWN.test(folded) && REQUIRED.test(folded) && names.length === 0 && param === null;
  if (isEither && sent.size <= FEW) return null;
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
    const about =
      isAboutParams(folded) || listed.filter((name) => roleOfParam(name) !== null).length >= COMPLETE_LIST
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
    const required = names.length > 0 ? names : param === null ? plainNamesIn(clause) : [param];
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

/** A response that names at least this many unknown parameters is assumed to name all of them. */
const MANY = 3;
/** The maximum number of sent parameters that such a response may leave unnamed. */
const FEW = 5;
/** A list with at least this many parameter names is probably complete. */
const COMPLETE_LIST = 2;
const MAX_CHARS = 4_000;
