import type { IdentifierMatch } from '../dialect/dialect.ts';
import { loosely } from '../names/loose_matching.ts';
import type { AnsweredSearch, IsWhole } from './answered_searches.ts';
import { type Exchange, type Finding, likely, open, paramOf, sure } from './evidence.ts';
import { IDENTIFIER_PARAMS, SIZE_PARAMS } from './word_lists.ts';

const SIZES: ReadonlySet<string> = new Set(SIZE_PARAMS);

export interface IdentifierFacts {
  /** A parameter of their own; null: the query parameter, or none. */
  readonly param: Finding<string | null>;
  readonly matches: Finding<IdentifierMatch>;
}

/** One search for an identifier: whole, or how it begins. */
interface Attempt {
  readonly one: AnsweredSearch;
  readonly param: string;
  readonly text: string;
  readonly found: boolean;
}

/** Whether and how identifiers are searched for. `ids` are the ids of known companies. */
export function findIdentifiers(
  answered: readonly AnsweredSearch[],
  refused: readonly Exchange[],
  ids: readonly string[],
  queryParam: string,
  isWhole: IsWhole,
): IdentifierFacts {
  const attempts = answered.flatMap((one) => attemptsIn(one, ids, queryParam));
  const hit = attempts.find(({ found }) => found);
  if (hit === undefined) return notFound([...attempts.map(({ param }) => param), ...inVain(refused)]);
  const param =
    hit.param === queryParam
      ? sure(null, `${queryParam}=${hit.text} finds it`)
      : sure(hit.param, `${hit.param}=${hit.text} finds it`);
  return {
    param,
    matches: byPrefix(
      attempts.filter((attempt) => attempt.param === hit.param),
      hit,
      ids,
      isWhole,
    ),
  };
}

function notFound(params: readonly string[]): IdentifierFacts {
  const tried = [...new Set(params)];
  if (tried.length === 0)
    return {
      param: open(null, 'not asked'),
      matches: open('unknown', 'no search for an identifier was made'),
    };
  const because = `a known one is not found by ${tried.slice(0, 4).join(', ')}${tried.length > 4 ? ' and others' : ''}`;
  return tried.length > 1
    ? { param: likely(null, because), matches: likely('none', because) }
    : { param: open(null, because), matches: open('unknown', because) };
}

/** Searches for identifiers alone that were refused: none of their parameters is one. */
function inVain(refused: readonly Exchange[]): string[] {
  return refused.flatMap(({ request }) => {
    const names = request.params.map(([name]) => name).filter((name) => !SIZES.has(name));
    const isForIdentifiers = names.length > 1 && names.every((name) => IDENTIFIER_PARAMS.includes(name));
    return isForIdentifiers ? names : [];
  });
}

function byPrefix(
  attempts: readonly Attempt[],
  hit: Attempt,
  ids: readonly string[],
  isWhole: IsWhole,
): Finding<IdentifierMatch> {
  const prefixes = attempts.filter(({ text }) => !ids.includes(text));
  const yes = prefixes.find(({ found }) => found);
  if (yes !== undefined) return sure('prefix', `"${yes.text}" finds ${longerId(yes)}`);
  const no = prefixes.find(({ one }) => isWhole(one));
  if (no !== undefined) return sure('exact', `"${hit.text}" is found whole, and not by "${no.text}"`);
  return likely('exact', `"${hit.text}" is found whole`);
}

function attemptsIn(one: AnsweredSearch, ids: readonly string[], queryParam: string): Attempt[] {
  return [queryParam, ...IDENTIFIER_PARAMS].flatMap((param) => {
    const text = paramOf(one.search, param);
    if (text === null) return [];
    const isWholeId = ids.includes(text);
    // A word may begin an id by chance; a beginning with digits was meant as one.
    const isBeginning = /\d/.test(text) && text.length >= 2 && ids.some((id) => id.startsWith(text));
    if (!isWholeId && !isBeginning) return [];
    return [{ one, param, text, found: isFoundIn(one, text, isWholeId) }];
  });
}

/** The company came, and every row has something of what was asked for: a list of everything finds nothing. */
function isFoundIn({ ids, names }: AnsweredSearch, text: string, isWholeId: boolean): boolean {
  const isInName = (index: number) => loosely(names[index] ?? '').includes(loosely(text));
  return (
    ids.some(
      (id, index) => (isWholeId ? id === text : id.startsWith(text) && id !== text) && !isInName(index),
    ) && ids.every((id, index) => id.startsWith(text) || isInName(index))
  );
}

function longerId({ one, text }: Attempt): string {
  return one.ids.find((id) => id.startsWith(text)) ?? '';
}

/** A beginning that several known ids share, as long as that goes; else an id without its end. */
export function sharedPrefix(ids: readonly string[], minQueryLength: number): string | null {
  const counts = new Map<string, number>();
  for (const id of ids)
    for (let length = Math.max(2, minQueryLength); length < id.length; length++) {
      const prefix = id.slice(0, length);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  const known = new Set(ids);
  const shared = [...counts].filter(([text, count]) => count > 1 && !known.has(text));
  const [best] = shared.sort((a, b) => b[0].length - a[0].length);
  const [first] = ids;
  if (best !== undefined) return best[0];
  return first !== undefined && first.length > 4 ? first.slice(0, -2) : null;
}
