import type { Dialect } from '../../dialect/dialect.ts';
import { folded, wordsOf } from '../../folding.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { findsName, semanticsOf } from '../matching.ts';

/** A text by which there are companies still to be listed. */
export interface OpenText {
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
export function openTexts(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly missing: number;
  readonly untold: number;
}): OpenText[] {
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

export function placeOf(at: number, length: number): OpenText['place'] {
  if (at === 0) return 'first';
  return at === length - 1 ? 'last' : 'inner';
}

function mostFrequent(places: readonly OpenText['place'][]): OpenText['place'] {
  const counted = Map.groupBy(places, (place) => place);
  return [...counted].toSorted((a, b) => b[1].length - a[1].length)[0]?.[0] ?? 'last';
}

const MOST_TEXTS = 12;
