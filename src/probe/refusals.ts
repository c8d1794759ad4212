import type { ResponseRule } from '../dialect/dialect.ts';
import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import type { Exchange } from './evidence.ts';
import { arraysOutside, leavesOf } from './json_leaves.ts';
import { QUERY_PARAMS, SIZE_PARAMS } from './word_lists.ts';

/** Information in error responses: the parameters, lengths and sizes that their text names. */

/** Returns the error in a body that a success status hides: few scalars, no list, and an error key; else null. */
export function softError(json: Json | undefined): { readonly at: string; readonly text: string } | null {
  if (!isJsonObject(json) || arraysOutside(json).some(({ list }) => list.some(isJsonObject))) return null;
  const leaves = leavesOf(json);
  if (leaves.length > 12) return null;
  const fault = leaves.find(
    ({ pointer, value }) => ERROR_KEY.test(pointer) && value !== null && value !== false,
  );
  return fault === undefined ? null : { at: fault.pointer, text: scalarText(fault.value) ?? '' };
}

const ERROR_KEY = /^\/(errors?|fault|exception|erreur|fehler|feilmelding)(\/|$)/i;

/** Returns the rule that recognises errors with a success status; null: no such error was seen. */
export function softRule(refusals: readonly Exchange[], good: readonly Exchange[]): ResponseRule | null {
  for (const { json, status, request } of refusals) {
    const soft = softError(json);
    if (soft === null || status === null || status >= 400) continue;
    const at = topOf(soft.at);
    const isInGoodResponses = good.some((exchange) => valueAt(exchange.json, at) !== undefined);
    return isInGoodResponses
      ? { kind: request.kind, status, at: soft.at, is: soft.text, means: 'refused' }
      : { kind: request.kind, status, at, means: 'refused' };
  }
  return null;
}

/** Returns the pointer to the first key of a pointer. */
export function topOf(pointer: string): string {
  return `/${pointer.split('/')[1] ?? ''}`;
}

/** Returns all text of a response, without its keys. */
export function textOf({ json, text }: Exchange): string {
  if (json === undefined) return text;
  return leavesOf(json)
    .map(({ value }) => scalarText(value) ?? '')
    .concat(listedTexts(json))
    .join(' · ');
}

/** The items of lists such as `{"allowed_parameters": ["q", "page"]}`. */
function listedTexts(json: Json): string[] {
  return arraysOutside(json).flatMap(({ list }) => list.map((item) => scalarText(item) ?? ''));
}

/** Whether the upstream ignores unknown parameters: a search with many candidates returned a result. */
export function ignoresUnknownParams(searches: readonly Exchange[]): boolean {
  return searches.some(({ request, reading }) => request.params.length > 3 && reading === 'ok');
}

/** Whether the upstream refuses unknown parameters. */
export function refusesUnknownParams(searches: readonly Exchange[]): boolean {
  if (ignoresUnknownParams(searches)) return false;
  const refusals = searches.filter(
    ({ request, reading }) => request.params.length > 3 && (reading === 'refused' || reading === 'broken'),
  );
  // A single refusal may concern the queries. Two refusals, with queries of different lengths, concern the parameters.
  return refusals.length > 1 || refusals.some((refusal) => UNKNOWN_PARAM_WORDS.test(textOf(refusal)));
}

const UNKNOWN_PARAM_WORDS =
  /additional propert|unknown|unexpected|unrecogni[sz]ed|not allowed|unsupported|not a valid param/i;

/** Returns the query parameters that a refusal names although the request did not contain them. */
export function paramsNamedBy(refusal: Exchange): string[] {
  const text = textOf(refusal);
  const sent = new Set(refusal.request.params.map(([name]) => name));
  return QUERY_PARAMS.filter((name) => !sent.has(name) && isNamedIn(text, name));
}

/** Whether a text names a parameter: in quotes, after "parameter", in a list, or as a word that is not English. */
export function isNamedIn(text: string, name: string): boolean {
  const exact = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const quoted = new RegExp(`["'\`‘“«(]${exact}["'\`’”»)]`);
  const introduced = new RegExp(
    `(param(eter)?s?|field|argument|querystring|query string)\\W+(is |are |the )?\\W*${exact}(?![\\w[])`,
    'i',
  );
  const subject = new RegExp(
    `(^|[\\s·:])${exact}\\s+(is|are|must|was|should|cannot|parameter|is a required|required)\\b`,
    'i',
  );
  const listed = new RegExp(`(^|·\\s*)${exact}(\\s*·|$)`);
  const isNoWord = /^.$|_|\[|[a-z][A-Z]/.test(name);
  return quoted.test(text) || introduced.test(text) || listed.test(text) || (isNoWord && subject.test(text));
}

/** Returns the min query length that a refusal names ("at least 3 characters"); else null. */
export function lengthNamedBy(refusal: Exchange): number | null {
  const text = textOf(refusal);
  const found =
    /(?:at least|min(?:imum)?(?: of| length(?: of| is)?)?|fewer than|less than|>=?)\D{0,12}(\d)\D{0,3}(?:char|letter|symbol|sign|long|tegn|zeichen|caract)/i.exec(
      text,
    ) ?? /(\d)\s*(?:or more\s*)?(?:char|letter|symbol|tegn|zeichen|caract)/i.exec(text);
  return found === null ? null : Number(found[1]);
}

/** Returns the min query length as far as refusals show it; at least 1. */
export function minLengthByRefusals(searches: readonly Exchange[]): number {
  const refused = searches.filter(({ reading }) => reading === 'refused');
  return Math.max(
    1,
    ...refused.map((search) => lengthNamedBy(search) ?? (isTooShort(search) ? longestIn(search) + 1 : 1)),
  );
}

function isTooShort(refusal: Exchange): boolean {
  return lengthNamedBy(refusal) !== null || /too short|short|min(imum)? length/i.test(textOf(refusal));
}

function longestIn({ request }: Exchange): number {
  const queries = request.params.filter(([name]) => !SIZE_PARAMS.includes(name));
  return Math.max(0, ...queries.map(([, value]) => value.length));
}

/** Whether the upstream refused a query because it has too many matches. */
export function isTooBroad(refusal: Exchange): boolean {
  return /too (many|broad|large|general)|narrow|refine|more specific|be specific/i.test(textOf(refusal));
}

/** Returns the number that a refusal names as a maximum ("<= 100", "between 1 and 100", "at most 100"); else null. */
export function maximumNamedBy(refusal: Exchange): number | null {
  const found = NAMED_MAXIMUM.exec(textOf(refusal));
  return found === null ? null : Number(found[1]);
}

const NAMED_MAXIMUM =
  /(?:<=|≤|at most|maximum(?: of| is)?|max(?: of| is)?|less than or equal to|between \d+ and|up to|not exceed)\s*(\d{1,5})\b/i;
