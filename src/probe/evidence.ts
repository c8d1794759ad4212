import type { CallKind } from '../call.ts';
import { scalarText } from '../dialect/decode.ts';
import type { Headers } from '../dialect/headers.ts';
import { isJsonObject, type Json } from '../json/json.ts';
import { arraysOutside, leavesOf } from './json_leaves.ts';

/** A call before there is a dialect: an address and parameters. One of these is one unit of allowance. */
export interface ProbeRequest {
  readonly kind: CallKind;
  /** From the host's root, without parameters. */
  readonly path: string;
  readonly params: readonly Param[];
  /** What is hoped to be learned, for the reader of the log. */
  readonly why: string;
}

export type Param = readonly [name: string, value: string];

/** A question and what came back. */
export interface Exchange {
  readonly request: ProbeRequest;
  readonly status: number | null;
  readonly headers: Headers;
  /** undefined: the body is not JSON. */
  readonly json: Json | undefined;
  /** How the body begins. */
  readonly text: string;
  readonly reading: Reading;
}

/**
 * answered: JSON that is no error · absent: 404 · refused: the question is in vain · broken: no JSON, a fault,
 * or no answer · turned_away: too fast, spent, or the key is refused: it says nothing of the question.
 */
export type Reading = 'answered' | 'absent' | 'refused' | 'broken' | 'turned_away';

export function paramOf({ request }: Exchange, name: string): string | null {
  return request.params.find(([given]) => given === name)?.[1] ?? null;
}

/** A body of an error under a good status: a few scalars, no list, and a key that speaks of an error. */
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

/** All text of an answer that a person would read for a reason. */
export function wordsIn({ json, text }: Exchange): string {
  if (json === undefined) return text;
  return leavesOf(json)
    .map(({ value }) => scalarText(value) ?? '')
    .concat(keysWithLists(json))
    .join(' · ');
}

/** `{"allowed_parameters": ["q", "page"]}`: lists of words are reasons too. */
function keysWithLists(json: Json): string[] {
  return arraysOutside(json).flatMap(({ list }) => list.map((item) => scalarText(item) ?? ''));
}

/** What was concluded of one thing, from what, and how sure that is. */
export interface Finding<T = unknown> {
  /** null: not found, or there is none: `because` says which. */
  readonly value: T;
  readonly certainty: Certainty;
  /** The evidence, as a sentence. */
  readonly because: string;
}

/** sure: shown by answers · likely: fits all answers, and something else might too · open: not found out. */
export type Certainty = 'sure' | 'likely' | 'open';

export const sure = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'sure', because });
export const likely = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'likely', because });
export const open = <T>(value: T, because: string): Finding<T> => ({ value, certainty: 'open', because });
