import type { ResponseRule } from '../dialect/dialect.ts';
import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import { errorHintsOf } from './errors/error_hints.ts';
import { messagesIn } from './errors/error_messages.ts';
import { type Exchange, paramOf } from './evidence.ts';
import { arraysOutside, leavesOf } from './json_leaves.ts';
import { roleOfParam } from './param_roles.ts';

/**
 * Evaluates refused searches: errors sent with a success status, and refused parameters, query lengths and page sizes.
 */

/**
 * Returns the error in the body of a response with a success status, or null if there is none. A body is an error if it
 * has few scalars, no list of objects, and a flag or key that reports an error, such as `"success": false`.
 */
export function softError(json: Json | undefined): { readonly at: string; readonly text: string } | null {
  if (!isJsonObject(json) || arraysOutside(json).some(({ list }) => list.some(isJsonObject))) return null;
  const leaves = leavesOf(json);
  if (leaves.length > 12) return null;
  const fault =
    leaves.find(({ pointer, value }) => isFailureFlag(pointer, scalarText(value) ?? '')) ??
    leaves.find(({ pointer, value }) => ERROR_KEY.test(pointer) && !NO_ERROR.has(scalarText(value) ?? ''));
  return fault === undefined ? null : { at: fault.pointer, text: scalarText(fault.value) ?? '' };
}

function isFailureFlag(pointer: string, text: string): boolean {
  return SUCCESS_KEY.test(pointer) ? text === 'false' : RESULT_KEY.test(pointer) && FAILED.test(text);
}

const ERROR_KEY = /^\/(errors?|error_?(code|message)|fault|exception|erreur|fehler|feilmelding)(\/|$)/i;
const NO_ERROR: ReadonlySet<string> = new Set(['', 'false', '0']);
const SUCCESS_KEY = /^\/(is_?)?(success|successful|ok)$/i;
const RESULT_KEY = /^\/(status|result)$/i;
const FAILED = /^(error|fail|failed|failure)$/i;

/** Returns the rule that recognises errors sent with a success status, or null if no such error was seen. */
export function softRule(refusals: readonly Exchange[], good: readonly Exchange[]): ResponseRule | null {
  for (const refusal of refusals) {
    const rule = softRuleOf(refusal, good, 'refused');
    if (rule !== null) return rule;
  }
  return null;
}

/**
 * Returns the rule that recognises the error in a response with a success status, or null if it contains none. If good
 * responses have the same key, the rule also compares the value.
 */
export function softRuleOf(
  { json, status, request }: Exchange,
  good: readonly Exchange[],
  means: 'refused' | 'absent',
): ResponseRule | null {
  const soft = softError(json);
  if (soft === null || status === null || status >= 400) return null;
  const at = topOf(soft.at);
  const isInGoodResponses = good.some((exchange) => valueAt(exchange.json, at) !== undefined);
  return isInGoodResponses
    ? { kind: request.kind, status, at: soft.at, is: soft.text, means }
    : { kind: request.kind, status, at, means };
}

/** Returns the pointer to the top-level key in a pointer: `/a` for `/a/b/c`. */
function topOf(pointer: string): string {
  return `/${pointer.split('/')[1] ?? ''}`;
}

/** Returns the messages in an error body as a single string. */
export function textOf({ json, text, request }: Exchange): string {
  return messagesIn(json, text, request.path)
    .map((message) => message.text)
    .join(' · ');
}

/**
 * Returns whether the upstream ignores unknown parameters. The evidence is a successful search that had many candidate
 * parameters.
 */
export function ignoresUnknownParams(searches: readonly Exchange[]): boolean {
  return searches.some(({ request, reading }) => request.params.length > 3 && reading === 'ok');
}

/** Returns whether the upstream refuses unknown parameters. */
export function refusesUnknownParams(searches: readonly Exchange[]): boolean {
  if (ignoresUnknownParams(searches)) return false;
  const refusals = searches.filter(
    ({ request, reading }) => request.params.length > 3 && (reading === 'refused' || reading === 'broken'),
  );
  // The query may have caused a single refusal. If queries of different lengths were refused, the parameters are the
  // cause.
  return refusals.length > 1 || errorHintsOf(searches).refusesUnknown;
}

/**
 * Returns whether the upstream refuses unknown parameters, or might: it has refused a search with many candidate
 * parameters and accepted none.
 */
export function mayRefuseUnknownParams(searches: readonly Exchange[]): boolean {
  const hasRefused = searches.some(
    ({ request, reading }) => request.params.length > 3 && reading === 'refused',
  );
  return refusesUnknownParams(searches) || (hasRefused && !ignoresUnknownParams(searches));
}

/** Returns whether the upstream reports only the missing parameter if a request lacks one and also has unknown ones. */
export function reportsMissingFirst(searches: readonly Exchange[]): boolean {
  return searches.some((search) => {
    if (search.request.params.length <= 3 || search.reading !== 'refused') return false;
    const { required, refusesUnknown } = errorHintsOf([search]);
    return required.length > 0 && !refusesUnknown;
  });
}

/**
 * Returns the min query length that the refusals suggest, or 1 if they suggest none. `queryParam` is null if it is
 * unknown.
 */
export function minLengthByRefusals(searches: readonly Exchange[], queryParam: string | null): number {
  const refused = searches.filter(({ reading }) => reading === 'refused');
  return Math.max(
    1,
    ...refused.map(
      (search) =>
        errorHintsOf([search]).minQueryLength ??
        (isTooShort(search) ? (paramOf(search, queryParam ?? '')?.length ?? longestIn(search)) + 1 : 1),
    ),
  );
}

/** Whether a message states that the query is too short. */
export function isTooShort(refusal: Exchange): boolean {
  return /too short|short|min(imum)? length/i.test(textOf(refusal));
}

function longestIn({ request }: Exchange): number {
  const queries = request.params.filter(([name]) => roleOfParam(name) !== 'size');
  return Math.max(0, ...queries.map(([, value]) => value.length));
}

/** Returns whether the upstream refused the query because it has too many matches. */
export function isTooBroad(refusal: Exchange): boolean {
  return errorHintsOf([refusal]).isTooBroad;
}
