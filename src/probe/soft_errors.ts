import type { ResponseRule } from '../dialect/dialect.ts';
import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import { leavesOf, listsIn, textsIn } from './bodies.ts';
import { readError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { folded } from './words.ts';

/** Errors that are sent with a success status, and refusals of queries with too many matches. */

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

/** Returns whether the upstream refused the query because it has too many matches: the error states a large number. */
export function isTooBroad(refusal: Exchange): boolean {
  return refusal.reading === 'refused' && TOO_BROAD.test(folded(readError(refusal).text));
}

const TOO_BROAD =
  /too (many|broad|large|general)|narrow|refine|more specific|zu viele|zu allgemein|einschrank|eingrenz|trop de|preciser|affiner|demasiad|troppi|te veel|verfijn|for mange|for manga|avgrens|muitos|zbyt wiele|liikaa|prilis mnoho/;

/**
 * Returns the rule that reads the number of matches from the message that rejects a broad query, such as "too many
 * results (581 859)". Returns [] if no rejection states such a number. If the same query was accepted with another page
 * or page size, the query was not the reason, and the number is a limit on pages.
 */
export function broadQueryRules(searches: readonly Exchange[]): ResponseRule[] {
  const accepted = new Set(searches.filter(({ reading }) => reading === 'ok').map(textsSent));
  const rejected = searches.filter((search) => isTooBroad(search) && !accepted.has(textsSent(search)));
  const rules = rejected.flatMap(({ json, text, status }): ResponseRule[] => {
    const texts =
      json === undefined
        ? [{ at: null, text }]
        : leavesOf(json).map(({ pointer, value }) => ({ at: pointer, text: scalarText(value) ?? '' }));
    return texts.flatMap(({ at, text: own }): ResponseRule[] => {
      const before = TOO_BROAD.test(folded(own)) ? textBeforeTotal(own) : null;
      if (before === null || status === null) return [];
      const pattern = before.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const where = at === null ? {} : { at };
      return [
        { kind: 'search', status, ...where, matches: pattern, total: pattern + NUMBER, means: 'refused' },
      ];
    });
  });
  return rules.slice(0, 1);
}

/** Identifies the query of a search by the values that are not numbers. */
function textsSent({ request }: Exchange): string {
  const values = request.params.map(([, value]) => value);
  return JSON.stringify(values.filter((value) => !/^\d*$/.test(value)).sort());
}

/** Returns the words before the number of matches. A number after "at most" or "more than" is the limit. */
function textBeforeTotal(text: string): string | null {
  for (const { index, 0: number } of text.matchAll(/\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+(?!\d)|\d+/gu)) {
    const before = folded(text.slice(Math.max(0, index - 30), index));
    if (Number(number.replace(/\D/g, '')) < 2 || LIMIT.test(before)) continue;
    // The prefix must not contain another number, which could differ in the next rejection.
    const prefix = text.slice(Math.max(0, index - 25), index).replace(/^.*\d/su, '');
    return /\p{L}/u.test(prefix) ? prefix : null;
  }
  return null;
}

const LIMIT =
  /(more than|over|above|exceeds?|limit\w*|at most|max\w*|mehr als|uber|hochstens|plus de|au plus|mas de|piu di|oltre|meer dan|mer enn|mere end|mer an|ponad|mais de|yli)\W*$/;

/** The first group of the pattern is a number, with spaces, points or commas between its digits. */
const NUMBER = "(\\d[\\d .,'’\\x{a0}\\x{202f}]*)";
