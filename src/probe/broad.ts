import { loosely } from '../names/loose_matching.ts';
import type { Beliefs, SearchBeliefs } from './beliefs.ts';
import { wasSent } from './exchange.ts';
import { isFirstPage, isOtherForm, isTruncated, type SearchPage } from './pages.ts';
import { LETTERS, PREFIXES, queriesInScript, SEEDS } from './words.ts';

/** Chooses queries with many matches. Their responses show the page size and the paging. */

/** Returns the longest first page for the query with the most matches, or null if no page had rows. */
export function broadest({ pages }: SearchBeliefs): SearchPage | null {
  const first = pages.filter(
    ({ rows, query, exchange }) => rows.length > 0 && !isOtherForm(query) && isFirstPage(exchange),
  );
  const weight = (page: SearchPage) =>
    TRUNCATED[isTruncated(page, pages)] + Math.min(page.total ?? 0, 1e5) * 10 + page.rows.length;
  const [best] = [...first].sort((a, b) => weight(b) - weight(a));
  if (best === undefined) return null;
  const same = first.filter(({ query }) => query === best.query);
  return same.reduce((longest, page) => (page.rows.length > longest.rows.length ? page : longest), best);
}

const TRUNCATED = { yes: 2e6, maybe: 1e6, no: 0 };

/** Returns the query with the most matches, or a new one if that query has too few matches to fill a large page. */
export function broadQuery(beliefs: Beliefs, search: SearchBeliefs, base: SearchPage): string | null {
  // A one-letter query also shows whether the upstream accepts queries that short.
  const isLetterUseful = search.minLength.certainty === 'open' && !search.rule.possible.includes('token');
  if (base.query === null || (base.total !== null && base.total > 200 && !isLetterUseful)) return base.query;
  return newBroadQuery(beliefs, search) ?? base.query;
}

/** Returns a query that has not been sent before and should have many matches under every possible query rule. */
export function newBroadQuery(
  { query, evidence, minQueryChars }: Beliefs,
  search: SearchBeliefs,
): string | null {
  const { pages } = search;
  const length = Math.max(
    minQueryChars,
    ...pages.flatMap(({ query: own, rows }) =>
      own !== null && rows.length === 0 && SHORT.has(own) ? [own.length + 1] : [],
    ),
  );
  const isNew = (text: string) =>
    text.length >= length &&
    !wasSent(evidence.searches, [[query.value?.param ?? '', text]]) &&
    !pages.some((page) => page.query === text);
  const inScript = queriesInScript(search.known.map(({ name }) => name));
  return [...inScript, ...broadQueries(search, length)].find(isNew) ?? null;
}

/** Frequent letters and beginnings of names. If one of them has no matches, queries that short probably find nothing. */
const SHORT: ReadonlySet<string> = new Set([...LETTERS.slice(0, 8), ...SEEDS.slice(0, 8)]);

function broadQueries({ known, rule: { possible } }: SearchBeliefs, minLength: number): string[] {
  const names = known.map(({ name }) => loosely(name));
  const prefixes = frequent(names.map((name) => [...name].slice(0, minLength).join(''))).filter((prefix) =>
    /^\p{L}+$/u.test(prefix),
  );
  const [first, second] = prefixes;
  if (!possible.includes('token')) {
    const isSubstring = possible.every((rule) => rule === 'substring');
    // If a query can match any word in a name, the prefixes of all words are counted.
    const [letter, other] = possible.includes('prefix')
      ? prefixes
      : frequentParts(names, minLength, isSubstring);
    const general = ['a', 's', 'm', ...PREFIXES];
    const queries = other === undefined ? [...general, letter] : [letter, other, ...general];
    return queries.filter((query) => query !== undefined);
  }
  // The upstream may fold diacritics.
  const words = frequent(
    known.flatMap(({ name }) => [...new Set(name.toLowerCase().match(/\p{L}{2,}/gu))]),
  ).filter((word) => word === loosely(word));
  const isFrequent = names.filter((name) => name.includes(words[0] ?? '')).length >= 3;
  const [start, ...others] = isFrequent ? words : ['limited', ...words];
  const queries = possible.includes('prefix')
    ? [start, first, 'limited', others[0], second]
    : [start, 'limited', others[0], 'services', others[1]];
  return queries.filter((query) => query !== undefined);
}

/** Returns the parts of words with `length` letters, most frequent first. */
function frequentParts(names: readonly string[], length: number, isAnywhere: boolean): string[] {
  const partsOf = (word: string) => {
    const characters = [...word];
    const count = isAnywhere ? characters.length - length + 1 : 1;
    return Array.from({ length: Math.max(0, count) }, (_, from) =>
      characters.slice(from, from + length).join(''),
    );
  };
  return frequent(names.flatMap((name) => [...new Set((name.match(/\p{L}+/gu) ?? []).flatMap(partsOf))]));
}

function frequent(items: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([item]) => item);
}
