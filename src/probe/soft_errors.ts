import type { Pointer, ResponseRule } from '../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../json/json.ts';
import { pointerOf, segmentsOf, valueAt } from '../json/pointer.ts';
import { leavesOf, listsIn, textsIn } from './bodies.ts';
import { type ProbeExchange, paramOf } from './exchange.ts';
import { isPagingParam, roleOfParam, saysNothingFound, wordsOfKey } from './words.ts';

/**
 * Errors that are sent with a success status. Other responses show the meaning of their values. A value that successful
 * searches have too reports no error, and another value can mean that nothing was found.
 */

interface SoftError {
  /** The path of the key that reports the error. */
  readonly at: Pointer;
  /** The scalar that distinguishes this error from others: the value at the same path or, for a flag, the message. */
  readonly reason: { readonly at: Pointer; readonly text: string };
  /** True if the error is the only row in a list, which means that nothing was found. */
  readonly isEmptyList?: boolean;
}

/**
 * Returns the error in the body of a response with a success status, or null if there is none. A body is an error if it
 * is a text, or has few scalars, no list of objects, and a flag, code or key that reports an error, such as
 * `"success": false`.
 */
export function softError(json: Json | undefined): SoftError | null {
  if (typeof json === 'string') return { at: '', reason: { at: '', text: json } };
  if (typeof json !== 'object' || json === null) return null;
  const lists = listsIn(json).filter(
    ({ pointer, list }) => list.some(isJsonObject) || (ERROR_KEY.test(pointer) && list.length > 0),
  );
  const [errors] = lists;
  const row = lists.map(({ pointer, list }) => errorRow(pointer, list)).find((error) => error !== null);
  if (row !== undefined) return { at: row.at, reason: row, isEmptyList: true };
  if (!isJsonObject(json)) return null;
  const leaves = leavesOf(json);
  if (leaves.length > MAX_LEAVES) return null;
  if (errors !== undefined) {
    const isError = lists.length === 1 && ERROR_KEY.test(errors.pointer);
    return isError
      ? { at: errors.pointer, reason: { at: errors.pointer, text: textsIn([...errors.list]).join(' ') } }
      : null;
  }
  const texts = leaves.map(({ pointer, value }) => ({ at: pointer, text: scalarText(value) ?? '' }));
  const flag = texts.find(({ at, text }) => isFailureFlag(at, text));
  const fault = texts.find(({ at, text }) => ERROR_KEY.test(at) && !NO_ERROR.has(text));
  const code = hasNoData(json) ? texts.find(({ at, text }) => isFailureCode(at, text)) : undefined;
  if (code !== undefined) return { at: code.at, reason: code };
  if (flag === undefined) return fault === undefined ? null : { at: fault.at, reason: fault };
  const message = texts.find(({ at, text }) => at !== flag.at && MESSAGE_KEY.test(at) && text !== '');
  return { at: flag.at, reason: fault ?? message ?? flag };
}

/** Returns the error in a list whose only row is an error instead of a company, or null if there is none. */
function errorRow(pointer: Pointer, list: readonly Json[]): SoftError['reason'] | null {
  const leaves = list.length === 1 && isJsonObject(list[0]) ? leavesOf(list[0]) : [];
  const error = leaves.find(({ pointer: at }) => ERROR_KEY.test(at));
  const text = scalarText(error?.value ?? null) ?? '';
  if (error === undefined || leaves.length > MAX_ROW_LEAVES || !/\p{L}/u.test(text)) return null;
  return { at: `${pointer}/0${error.pointer}`, text };
}

const MAX_ROW_LEAVES = 3;
const MAX_LEAVES = 12;

function isFailureFlag(pointer: string, text: string): boolean {
  if (SUCCESS_KEY.test(pointer)) return text === 'false';
  return RESULT_KEY.test(pointer) && wordsOfKey(text).some((word) => FAILED.test(word));
}

/** Returns whether a body has only a code and texts about it, such as `{"status": "201", "message": "…", "data": null}`. */
function hasNoData(json: JsonObject): boolean {
  return Object.values(json).every((value) => typeof value !== 'object' || value === null);
}

function isFailureCode(pointer: string, text: string): boolean {
  return CODE_KEY.test(pointer) && /^\d+$/.test(text) && !SUCCESS_CODES.has(Number(text));
}

const CODE_KEY = /^\/(status|(ret|result|status|response)?_?code)$/i;
const SUCCESS_CODES: ReadonlySet<number> = new Set([0, 1, 200]);
const ERROR_KEY = /^\/(errors?|error_?(code|message)|fault|exception|erreur|fehler|feilmelding)(\/|$)/i;
const NO_ERROR: ReadonlySet<string> = new Set(['', 'false', '0']);
const SUCCESS_KEY = /^\/(is_?)?(success|successful|ok)$/i;
const RESULT_KEY = /^\/(status|result)$/i;
const FAILED = /^(error|fail|failed|failure|invalid|denied)$/;
const MESSAGE_KEY = /message|msg|reason|detail|code|descri/i;

/** Reads the searches with soft errors again, now that other responses show what their values mean. */
export function rereadSoftErrors(exchanges: readonly ProbeExchange[]): ProbeExchange[] {
  const found = exchanges.filter(isFoundBySearch);
  const lastFound = exchanges.findLastIndex(isFoundBySearch);
  const errors = exchanges.map((one) => (one.reading === 'refused' ? errorOf(one) : null));
  const forQueries = errors.filter((_, index) => differsInQuery(exchanges[index], found));
  // If other searches have another error, that of a search without parameters asks for one.
  const ofBare = errors.find((_, index) => exchanges[index]?.request.params.length === 0) ?? null;
  const isAsking = (error: SoftError) =>
    isSameReason(ofBare, error) &&
    errors.some((one) => one?.isEmptyList === true && !isSameReason(one, error));
  // If no later search was successful, the API may have refused all of them.
  const beforeSuccess = errors.slice(0, Math.max(0, lastFound));
  return exchanges.map((exchange, index): ProbeExchange => {
    const error = errors[index] ?? null;
    if (error === null) return exchange;
    if (error.isEmptyList) return isAsking(error) ? exchange : { ...exchange, reading: 'absent' };
    if (found.some((one) => hasReason(one, error))) return { ...exchange, reading: 'ok' };
    const isNothing =
      !isAboutValue(exchange, error) &&
      [forQueries, beforeSuccess].every((some) => some.some((one) => isSameReason(one, error)));
    return isNothing ? { ...exchange, reading: 'absent' } : exchange;
  });
}

const isFoundBySearch = ({ request, reading }: ProbeExchange): boolean =>
  request.kind === 'search' && reading === 'ok';

function errorOf({ request, status, json }: ProbeExchange): SoftError | null {
  return request.kind === 'search' && status !== null && status < 400 ? softError(json) : null;
}

function hasReason({ json }: ProbeExchange, { reason }: SoftError): boolean {
  return scalarText(valueAt(json, reason.at)) === reason.text;
}

/** Returns whether an error is about a value that was sent: `Invalid field: ACME`. No other response has this text. */
function isAboutValue({ request: { params } }: ProbeExchange, { reason: { text } }: SoftError): boolean {
  return (
    !saysNothingFound(text) && params.some(([, value]) => value.length >= MIN_ECHO && text.includes(value))
  );
}

/** A shorter value can be part of another word by chance. */
const MIN_ECHO = 4;

const isSameReason = (one: SoftError | null, { reason }: SoftError): boolean =>
  one?.reason.at === reason.at && one.reason.text === reason.text;

/** Returns whether a successful search differs from this one only in its page and in values that are not longer. */
function differsInQuery(exchange: ProbeExchange | undefined, found: readonly ProbeExchange[]): boolean {
  if (exchange === undefined) return false;
  const { path, params } = exchange.request;
  return found.some(
    ({ request }) =>
      request.path === path &&
      params.every(([name]) => request.params.some(([other]) => other === name)) &&
      request.params.every(([name, value]) => {
        const own = paramOf(exchange, name);
        if (own === null) return roleOfParam(name) === 'size' || isPagingParam(name);
        return own.length >= value.length && /^\d+$/.test(own) === /^\d+$/.test(value);
      }),
  );
}

/**
 * Returns the rules that recognise the errors in responses with a success status. If one of them means that nothing was
 * found, another value means a refusal, and the value in successful searches none.
 */
export function softRulesOf(
  searches: readonly ProbeExchange[],
  good: readonly ProbeExchange[],
): ResponseRule[] {
  const errorsRead = (reading: ProbeExchange['reading']) =>
    searches.filter((one) => one.reading === reading).flatMap((one) => errorOf(one) ?? []);
  const rule = { kind: 'search', status: 200 } as const;
  const valuesAt = (at: Pointer) => [
    ...new Set(good.flatMap(({ json }) => scalarText(valueAt(json, at) ?? null) ?? [])),
  ];
  const [nothing] = errorsRead('absent');
  if (nothing !== undefined) {
    const { at, text } = nothing.reason;
    return [
      { ...rule, at, is: text, means: 'absent' },
      ...valuesAt(at).map((is): ResponseRule => ({ ...rule, at, is, means: 'ok' })),
      // Every response has a body.
      ...(at === '' ? [] : [{ ...rule, at, means: 'refused' } as const]),
    ];
  }
  const [refused] = errorsRead('refused');
  if (refused === undefined) return [];
  const top = pointerOf(segmentsOf(refused.at).slice(0, 1));
  const { at, text } = refused.reason;
  const isInGood = good.some(({ json }) => (valueAt(json, top) ?? null) !== null);
  const isScalar = at === '' || valuesAt(at).length > 0;
  return [{ ...rule, ...(isInGood && isScalar ? { at, is: text } : { at: top }), means: 'refused' }];
}
