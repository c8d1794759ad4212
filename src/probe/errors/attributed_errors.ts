import type { Param } from '../evidence.ts';
import { type ErrorMessage, isName } from './error_messages.ts';

/** The facts that errors state by their form alone, in any language. */
export interface AttributedErrors {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  readonly minQueryLength: number | null;
  readonly maximum: { readonly param: string; readonly value: number } | null;
}

/**
 * Reads errors by the parameters to which the body attributes them:
 * - An error about a parameter that was not sent reports that the parameter is missing.
 * - The same error about several parameters reports that the API does not have them.
 * - A range of numbers reports the limits of a query's length, or of a numeric value.
 */
export function attributedErrors(
  messages: readonly ErrorMessage[],
  params: readonly Param[],
): AttributedErrors {
  const sent = new Map(params);
  const missing = messages.flatMap(({ param }) => (param === null || sent.has(param) ? [] : [param]));
  const about = messages.flatMap(({ param, text }) => {
    const name = param ?? onlyNameIn(text, sent);
    const value = name === null ? undefined : sent.get(name);
    return name === null || value === undefined ? [] : [{ name, value, text }];
  });
  const [minQueryLength = null] = about.flatMap(({ value, text }) => minLengthIn(text, value) ?? []);
  const [maximum = null] = about.flatMap(({ name, value, text }) => {
    const largest = maximumIn(text, value);
    return largest === null ? [] : [{ param: name, value: largest }];
  });
  return {
    missing: missing.filter(isName),
    unknown: withSameErrors(messages, sent),
    minQueryLength,
    maximum,
  };
}

/** Returns the sent parameters for which the body has no other errors than for two other sent parameters. */
function withSameErrors(messages: readonly ErrorMessage[], sent: ReadonlyMap<string, string>): string[] {
  const paramsByForm = new Map<string, Set<string>>();
  const errors = messages.flatMap(({ param, text }) => {
    const value = param === null ? undefined : sent.get(param);
    if (param === null || value === undefined || text === param || text === value) return [];
    const form = text.split(SEPARATORS).map((word) => (word === param || word === value ? '*' : word));
    return [{ param, form: form.join(' ') }];
  });
  for (const { param, form } of errors)
    paramsByForm.set(form, (paramsByForm.get(form) ?? new Set()).add(param));
  const own = errors.filter(({ form }) => (paramsByForm.get(form)?.size ?? 0) < SEVERAL);
  const named = new Set(errors.map(({ param }) => param));
  return [...named].filter((name) => !own.some(({ param }) => param === name));
}

/** Returns the only sent parameter that a text names, or null if it names none or several. */
function onlyNameIn(text: string, sent: ReadonlyMap<string, string>): string | null {
  const words = text.split(SEPARATORS);
  const [only, ...others] = [...sent.keys()].filter((name) => words.includes(name));
  return only !== undefined && others.length === 0 ? only : null;
}

/** Returns the min length if a text states a range of lengths that the query is too short for, or null. */
function minLengthIn(text: string, query: string): number | null {
  // A comma or a dot alone separates thousands.
  const [, from, to] = /\b(\d{1,2})\b(?![.,]\d)\D{1,12}\b(\d{1,4})\b/.exec(text) ?? [];
  const isRange = /\D/.test(query) && Number(from) > [...query].length && Number(to) > Number(from);
  return isRange ? Number(from) : null;
}

/** Returns the largest number in a text about a number that is too large, or null. */
function maximumIn(text: string, value: string): number | null {
  // A text of digits is a status or an error code.
  if (!/^\d+$/.test(value) || /^\d+$/.test(text)) return null;
  const numbers = (text.match(/\b\d{1,5}\b/g) ?? []).map(Number).filter((number) => number < Number(value));
  const largest = Math.max(...numbers);
  return largest >= MIN_PAGE_SIZE ? largest : null;
}

const SEPARATORS = /[\s"'`‘’“”„«».,:;()]+/u;
const SEVERAL = 3;
const MIN_PAGE_SIZE = 5;
