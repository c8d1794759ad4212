import type { ResponseRule } from '../dialect/dialect.ts';
import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import { leavesOf, listsIn, textsIn } from './bodies.ts';
import type { Exchange } from './exchange.ts';

/** Errors that are sent with a success status. */

/**
 * Returns the error in the body of a response with a success status, or null if there is none. A body is an error if it
 * has few scalars, no list of objects, and a flag or key that reports an error, such as `"success": false`.
 */
export function softError(json: Json | undefined): { readonly at: string; readonly text: string } | null {
  if (!isJsonObject(json)) return null;
  const lists = listsIn(json).filter(
    ({ pointer, list }) => list.some(isJsonObject) || (ERROR_KEY.test(pointer) && list.length > 0),
  );
  const [errors] = lists;
  if (
    errors !== undefined &&
    lists.length === 1 &&
    ERROR_KEY.test(errors.pointer) &&
    leavesOf(json).length <= 12
  )
    return { at: errors.pointer, text: textsIn([...errors.list]).join(' ') };
  if (errors !== undefined) return null;
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

/**
 * Returns the rule that recognises the error in a response with a success status, or null if it contains none. If good
 * responses have the same key, the rule also compares the value.
 */
export function softRuleOf(
  { json, status, request }: Exchange,
  good: readonly Exchange[],
): ResponseRule | null {
  const soft = softError(json);
  if (soft === null || status === null || status >= 400) return null;
  const at = `/${soft.at.split('/')[1] ?? ''}`;
  const isInGood = good.some((exchange) => valueAt(exchange.json, at) !== undefined);
  const isScalar = scalarText(valueAt(json, soft.at) ?? null) !== null;
  const rule = isInGood && isScalar ? { at: soft.at, is: soft.text } : { at };
  return { kind: request.kind, status, ...rule, means: 'refused' };
}
