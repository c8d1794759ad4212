import { loosely } from '../names/loose_matching.ts';
import { type AnsweredSearch, isTruncated } from './answered_searches.ts';
import type { SearchConclusions } from './conclusions.ts';
import type { Exchange, Param } from './evidence.ts';
import { PAGING_PARAMS } from './paging.ts';
import { wasAsked } from './query_parameter.ts';

/** The first page that is longest among the texts that find most; null while nothing was found. */
export function broadest({ answered }: SearchConclusions): AnsweredSearch | null {
  const first = answered.filter(
    ({ rows, text, search }) => rows.length > 0 && text !== null && isFirstPageOnly(search),
  );
  const weight = (one: AnsweredSearch) =>
    CUT_WEIGHT[isTruncated(one, answered)] + Math.min(one.total ?? 0, 1e5) * 10 + one.rows.length;
  const [best] = [...first].sort((a, b) => weight(b) - weight(a));
  if (best === undefined) return null;
  const same = first.filter(({ text }) => text === best.text);
  return same.reduce((longest, one) => (one.rows.length > longest.rows.length ? one : longest), best);
}

const CUT_WEIGHT = { yes: 2e6, maybe: 1e6, no: 0 };

function isFirstPageOnly({ request }: Exchange): boolean {
  return request.params.every(([name]) => !PAGING_PARAMS.has(name));
}

/** A text that was not asked for yet and should find many companies, by the rules that are left. */
export function broaderQuery(
  search: SearchConclusions,
  param: string,
  minQueryLength: number,
  searches: readonly Exchange[],
): string | null {
  const isNew = (text: string) => {
    const ask: Param = [param, text];
    return (
      text.length >= minQueryLength &&
      !wasAsked(searches, [ask]) &&
      !search.answered.some((one) => one.text === text)
    );
  };
  return broadTexts(search, minQueryLength).find(isNew) ?? null;
}

/** Letters find most unless whole words are wanted; then frequent words do, and legal forms. */
function broadTexts({ known, semantics: { left } }: SearchConclusions, minQueryLength: number): string[] {
  const names = known.map(({ name }) => loosely(name));
  const prefixes = frequent(names.map((name) => [...name].slice(0, minQueryLength).join(''))).filter((text) =>
    /^\p{L}+$/u.test(text),
  );
  const [first, second] = prefixes;
  if (!left.includes('token')) {
    // Where any word may begin with the text, its letter counts, whichever word it is.
    const [letter, other] = left.includes('prefix') ? prefixes : frequentPrefixes(names, minQueryLength);
    return [letter, other, 'a', 's', 'm'].filter((text) => text !== undefined);
  }
  // A word that all of them share was most likely asked for; one with diacritics may be searched for in its own way.
  const all = known.flatMap(({ name }) => [...new Set(name.toLowerCase().match(/\p{L}{2,}/gu))]);
  const words = frequent(all).filter(
    (word) =>
      word === loosely(word) && names.filter((name) => name.includes(word)).length < names.length * 0.8,
  );
  const texts = left.includes('prefix')
    ? [words[0], first, 'limited', words[1], second]
    : [words[0], 'limited', words[1], 'services', words[2]];
  return texts.filter((text) => text !== undefined);
}

/** Beginnings of words by the number of names that have such a word. */
function frequentPrefixes(names: readonly string[], length: number): string[] {
  const words = names.map((name) => name.match(/\p{L}+/gu) ?? []);
  return frequent(
    words.flatMap((some) => [...new Set(some.map((word) => [...word].slice(0, length).join('')))]),
  );
}

function frequent(items: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([item]) => item);
}
