import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { folded, wordsOf } from '../names/folding.ts';
import { findsName, queriesFinding, semanticsOf } from '../names/query_matching.ts';

/** A text by which there are companies still to be listed. */
export interface OpenQuery {
  /** The words that it found, each as often as it did. */
  readonly words: readonly string[];
  /** Where in a name most of them stand. */
  readonly place: 'first' | 'inner' | 'last';
  /** How many of the companies that are missing have one. */
  readonly share: number;
}

/**
 * The words by which most companies were found, where there are more of them: as many as the total says. `untold`: the
 * share that is taken where none is stated.
 */
export function openQueries(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly missing: number;
  readonly untold: number;
}): OpenQuery[] {
  const { known, queries, dialect, missing, untold } = ask;
  const semantics = semanticsOf(dialect);
  // What names contain is had by most of them anyway.
  if (semantics === 'substring') return [];
  const clamped = dialect.search.total_clamped_at ?? Infinity;
  const names = known.map(({ name }) => wordsOf(folded(name ?? '')));
  const isOpen = ({ query, status }: QueryState) =>
    query.by === 'name' && /^[^ ]+$/.test(query.text) && (status === 'open' || status === 'capped');
  return queries
    .filter(isOpen)
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, MOST_TEXTS)
    .flatMap(({ query, total }) => {
      const found = names.flatMap((words) => {
        const fits = (word: string, at: number) =>
          (semantics !== 'prefix' || at === 0) && findsName(semantics, query.text, word);
        const at = words.findIndex(fits);
        return at === -1 ? [] : [{ word: words[at] ?? '', place: placeOf(at, words.length) }];
      });
      const [one] = found;
      if (one === undefined) return [];
      const isTold = total !== null && total < clamped;
      const share = isTold ? Math.max(0, total - found.length) / Math.max(1, missing) : untold;
      return [
        { words: found.map(({ word }) => word), place: mostFrequent(found.map(({ place }) => place)), share },
      ];
    });
}

export function placeOf(at: number, length: number): OpenQuery['place'] {
  if (at === 0) return 'first';
  return at === length - 1 ? 'last' : 'inner';
}

function mostFrequent(places: readonly OpenQuery['place'][]): OpenQuery['place'] {
  const counted = Map.groupBy(places, (place) => place);
  return [...counted].toSorted((a, b) => b[1].length - a[1].length)[0]?.[0] ?? 'last';
}

const MOST_TEXTS = 12;

/** Words by their place in a name. */
export interface DistinctiveWords {
  readonly first: readonly string[];
  readonly inner: readonly string[];
  readonly last: readonly string[];
  /** How many words each name has. */
  readonly lengths: readonly number[];
}

/** The words of known names that tell what others are like: all but those by which the names were found. */
export function distinctiveWords(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
): DistinctiveWords {
  const semantics = semanticsOf(dialect);
  // Most names contain a letter anyway: while there are more that do, its words are as good as any.
  const isOrdinary = ({ query, status }: QueryState) =>
    semantics === 'substring' && [...query.text].length === 1 && status !== 'complete';
  const asked = textsAsked(queries.filter((one) => !isOrdinary(one)));
  const isAskedFor = (word: string, at: number) => {
    if (semantics === 'prefix' && at > 0) return false;
    return queriesFinding(semantics, word, LONGEST).some((text) => asked.has(text));
  };
  const words = { first: [] as string[], inner: [] as string[], last: [] as string[] };
  const lengths: number[] = [];
  for (const { name } of known) {
    const all = wordsOf(folded(name ?? ''));
    if (all.length === 0) continue;
    lengths.push(all.length);
    all.forEach((word, at) => {
      if (!isAskedFor(word, at)) words[placeOf(at, all.length)].push(word);
    });
  }
  return { ...words, lengths };
}

/** The texts of queries by name, and the words in them. */
function textsAsked(queries: readonly QueryState[]): Set<string> {
  const texts = queries.filter(({ query }) => query.by === 'name').map(({ query }) => folded(query.text));
  return new Set([...texts, ...texts.flatMap(wordsOf)]);
}

const LONGEST = 24;
