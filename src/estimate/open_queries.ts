import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { folded, wordsOf } from '../names/folding.ts';
import { findsName, queriesFinding, semanticsOf } from '../names/query_matching.ts';

/** A query with matching companies that are not listed yet. */
export interface OpenQuery {
  /**
   * For each company that the query found, the word in its name that matched. A word can occur in the list several
   * times.
   */
  readonly words: readonly string[];
  /** The usual position of the matching word in a name. */
  readonly position: 'first' | 'inner' | 'last';
  /** The share of missing companies that match the query. */
  readonly share: number;
}

/**
 * Returns the open or truncated queries that found the most companies. A query's `share` is computed from its total.
 * Without a total, it is `defaultShare`.
 */
export function openQueries(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly missing: number;
  readonly defaultShare: number;
}): OpenQuery[] {
  const { known, queries, dialect, missing, defaultShare } = ask;
  const semantics = semanticsOf(dialect);
  // A short substring occurs in most names, so substring queries show nothing about the missing names.
  if (semantics === 'substring') return [];
  const clamped = dialect.search.total_clamped_at ?? Infinity;
  const names = known.map(({ name }) => wordsOf(folded(name ?? '')));
  const isOpen = ({ query, status }: QueryState) =>
    query.by === 'name' && /^[^ ]+$/.test(query.text) && (status === 'open' || status === 'capped');
  return queries
    .filter(isOpen)
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, MAX_QUERIES)
    .flatMap(({ query, total }) => {
      const found = names.flatMap((words) => {
        const fits = (word: string, at: number) =>
          (semantics !== 'prefix' || at === 0) && findsName(semantics, query.text, word);
        const at = words.findIndex(fits);
        return at === -1 ? [] : [{ word: words[at] ?? '', position: positionOf(at, words.length) }];
      });
      const [one] = found;
      if (one === undefined) return [];
      const isExact = total !== null && total < clamped;
      const share = isExact ? Math.max(0, total - found.length) / Math.max(1, missing) : defaultShare;
      return [
        {
          words: found.map(({ word }) => word),
          position: mostFrequent(found.map(({ position }) => position)),
          share,
        },
      ];
    });
}

function positionOf(at: number, length: number): OpenQuery['position'] {
  if (at === 0) return 'first';
  return at === length - 1 ? 'last' : 'inner';
}

function mostFrequent(positions: readonly OpenQuery['position'][]): OpenQuery['position'] {
  const counted = Map.groupBy(positions, (position) => position);
  return [...counted].toSorted((a, b) => b[1].length - a[1].length)[0]?.[0] ?? 'last';
}

const MAX_QUERIES = 12;

/** The words in known names, by their position in the name. */
export interface DistinctiveWords {
  readonly first: readonly string[];
  readonly inner: readonly string[];
  readonly last: readonly string[];
  /** The number of words in each name. */
  readonly lengths: readonly number[];
}

/**
 * Returns the words in known names, excluding the words by which the names were found. The remaining words are an
 * unbiased sample of the words in unknown names.
 */
export function distinctiveWords(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
): DistinctiveWords {
  const semantics = semanticsOf(dialect);
  // A single letter occurs in most names, so words found by a single letter are also an unbiased sample.
  const isUnspecific = ({ query, status }: QueryState) =>
    semantics === 'substring' && [...query.text].length === 1 && status !== 'complete';
  const sent = queryTexts(queries.filter((one) => !isUnspecific(one)));
  const isSearched = (word: string, at: number) => {
    if (semantics === 'prefix' && at > 0) return false;
    return queriesFinding(semantics, word, MAX_QUERY_LENGTH).some((text) => sent.has(text));
  };
  const words = { first: [] as string[], inner: [] as string[], last: [] as string[] };
  const lengths: number[] = [];
  for (const { name } of known) {
    const all = wordsOf(folded(name ?? ''));
    if (all.length === 0) continue;
    lengths.push(all.length);
    all.forEach((word, at) => {
      if (!isSearched(word, at)) words[positionOf(at, all.length)].push(word);
    });
  }
  return { ...words, lengths };
}

/** Returns the folded name queries and their words. */
function queryTexts(queries: readonly QueryState[]): Set<string> {
  const texts = queries.filter(({ query }) => query.by === 'name').map(({ query }) => folded(query.text));
  return new Set([...texts, ...texts.flatMap(wordsOf)]);
}

const MAX_QUERY_LENGTH = 24;
