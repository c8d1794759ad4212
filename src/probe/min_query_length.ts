import { loosely } from '../names/loose_matching.ts';
import type { AnsweredSearch } from './answered_searches.ts';
import { type Exchange, type Finding, likely, open, paramOf, sure } from './evidence.ts';
import { lengthNamedBy, speaksOfBreadth } from './query_parameter.ts';
import type { Semantics } from './search_semantics.ts';
import { SIZE_PARAMS } from './word_lists.ts';

/** How short a text may be that is answered. */
export function findMinQueryLength(
  answered: readonly AnsweredSearch[],
  refused: readonly Exchange[],
  queryParam: string,
  semantics: Semantics | null,
): Finding<number> {
  const named = refused.map(lengthNamedBy).filter((length) => length !== null);
  if (named.length > 0) return sure(Math.max(...named), 'a refusal names it');
  const shortest = shortestFound(answered);
  if (shortest === null) return open(1, 'no text found anything yet');
  const upper = lengthOf(shortest);
  if (upper === 1) return sure(1, `"${shortest}" is answered`);
  const denied = [
    ...refusedTexts(refused, queryParam, answered),
    ...silentTexts(answered, shortest, semantics),
  ]
    .filter((text) => lengthOf(text) < upper)
    .sort((a, b) => lengthOf(b) - lengthOf(a))[0];
  if (denied === undefined) return open(1, `nothing shorter than "${shortest}" was asked`);
  const because = `"${shortest}" finds companies, and "${denied}" does not`;
  return lengthOf(denied) === upper - 1 ? likely(upper, because) : open(lengthOf(denied) + 1, because);
}

/** The text to ask for next: a beginning of one that finds something, so that it must find more unless it is too short. */
export function tooShortQuery(answered: readonly AnsweredSearch[], minQueryLength: number): string | null {
  const shortest = shortestFound(answered);
  if (shortest === null || lengthOf(shortest) <= minQueryLength) return null;
  return [...shortest].slice(0, minQueryLength).join('');
}

/** Refused for themselves: nothing else was sent that could be refused. */
function refusedTexts(
  refused: readonly Exchange[],
  queryParam: string,
  answered: readonly AnsweredSearch[],
): string[] {
  return refused.flatMap((search) => {
    const text = paramOf(search, queryParam);
    const isForText = isPlain(search) || areHarmless(search, queryParam, answered);
    return text === null || text === '' || !isForText || speaksOfBreadth(search) ? [] : [text];
  });
}

/** Beginnings of the shortest text that finds something: they must find more, and find nothing. */
function silentTexts(
  answered: readonly AnsweredSearch[],
  shortest: string,
  semantics: Semantics | null,
): string[] {
  if (semantics === null || semantics === 'token') return [];
  return answered.flatMap(({ text, rows, search }) => {
    const isBeginning = text !== null && text !== '' && loosely(shortest).startsWith(loosely(text));
    return isPlain(search) && isBeginning && rows.length === 0 ? [text] : [];
  });
}

/** Beside the text nothing but sizes so small that every API allows them. */
function isPlain({ request }: Exchange): boolean {
  return request.params.slice(1).every(([name, value]) => SIZES.has(name) && Number(value) <= 30);
}

/** All parameters beside the text were answered elsewhere, with sizes no larger than these. */
function areHarmless(
  { request }: Exchange,
  queryParam: string,
  answered: readonly AnsweredSearch[],
): boolean {
  return request.params.every(
    ([name, value]) =>
      name === queryParam ||
      answered.some(({ search }) => {
        const known = paramOf(search, name);
        return known !== null && (!SIZES.has(name) || Number(value) <= Number(known));
      }),
  );
}

const SIZES: ReadonlySet<string> = new Set(SIZE_PARAMS);

function shortestFound(answered: readonly AnsweredSearch[]): string | null {
  const found = answered.flatMap(({ text, rows }) =>
    text !== null && rows.length > 0 && /^\p{L}+$/u.test(text) ? [text] : [],
  );
  return [...found].sort((a, b) => lengthOf(a) - lengthOf(b))[0] ?? null;
}

function lengthOf(text: string): number {
  return [...text].length;
}
