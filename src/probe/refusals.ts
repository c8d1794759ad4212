import type { ResponseRule } from '../dialect/dialect.ts';
import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import { errorHintsOf } from './errors/error_hints.ts';
import type { Exchange } from './evidence.ts';
import { arraysOutside, leavesOf } from './json_leaves.ts';
import { roleOfParam } from './param_roles.ts';

/** Refused searches: errors behind a success status, refused parameters, lengths and sizes. */

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
  return refusals.length > 1 || errorHintsOf(searches).refusesUnknown;
}

/** Returns the min query length as far as refusals show it; at least 1. */
export function minLengthByRefusals(searches: readonly Exchange[]): number {
  const refused = searches.filter(({ reading }) => reading === 'refused');
  return Math.max(
    1,
    ...refused.map(
      (search) => errorHintsOf([search]).minQueryLength ?? (isTooShort(search) ? longestIn(search) + 1 : 1),
    ),
  );
}

function isTooShort(refusal: Exchange): boolean {
  return /too short|short|min(imum)? length/i.test(textOf(refusal));
}

function longestIn({ request }: Exchange): number {
  const queries = request.params.filter(([name]) => roleOfParam(name) !== 'size');
  return Math.max(0, ...queries.map(([, value]) => value.length));
}

/** Whether the upstream refused a query because it has too many matches. */
export function isTooBroad(refusal: Exchange): boolean {
  return errorHintsOf([refusal]).isTooBroad;
}
