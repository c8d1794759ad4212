import type { Asked } from './asked.ts';
import { type Exchange, paramOf } from './exchange.ts';
import { type Finding, likely, open, sure } from './finding.ts';
import { lengthNamedBy, speaksOfBreadth } from './query.ts';
import type { Semantics } from './semantics.ts';
import { loosely } from './text.ts';

/** How short a text may be that is answered. */
export function findLeast(
  asked: readonly Asked[],
  refused: readonly Exchange[],
  queryParam: string,
  semantics: Semantics | null,
): Finding<number> {
  const named = refused.map(lengthNamedBy).filter((length) => length !== null);
  if (named.length > 0) return sure(Math.max(...named), 'a refusal names it');
  const shortest = shortestFound(asked);
  if (shortest === null) return open(1, 'no text found anything yet');
  const least = lengthOf(shortest);
  if (least === 1) return sure(1, `"${shortest}" is answered`);
  const shorter = (text: string | null): text is string =>
    text !== null && text !== '' && lengthOf(text) < least;
  const denied = refused.find((search) => shorter(paramOf(search, queryParam)) && !speaksOfBreadth(search));
  if (denied !== undefined)
    return likely(least, `"${shortest}" is answered, and "${paramOf(denied, queryParam)}" is refused`);
  const silent = asked.find(
    ({ text, rows }) => shorter(text) && rows.length === 0 && mustFindMore(text, shortest, semantics),
  );
  return silent === undefined
    ? open(1, `nothing shorter than "${shortest}" was asked`)
    : likely(least, `"${shortest}" finds companies, and "${silent.text}" finds none`);
}

/** A beginning of the shortest text that finds something: it must find more, unless it is too short. */
export function tooShortText(asked: readonly Asked[]): string | null {
  const shortest = shortestFound(asked);
  return shortest === null || lengthOf(shortest) === 1 ? null : ([...shortest][0] ?? null);
}

function shortestFound(asked: readonly Asked[]): string | null {
  const found = asked.flatMap(({ text, rows }) =>
    text !== null && rows.length > 0 && /^\p{L}+$/u.test(text) ? [text] : [],
  );
  return [...found].sort((a, b) => lengthOf(a) - lengthOf(b))[0] ?? null;
}

function mustFindMore(text: string, longer: string, semantics: Semantics | null): boolean {
  return semantics !== null && semantics !== 'token' && loosely(longer).startsWith(loosely(text));
}

function lengthOf(text: string): number {
  return [...text].length;
}
