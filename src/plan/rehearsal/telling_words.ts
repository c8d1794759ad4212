import type { Dialect } from '../../dialect/dialect.ts';
import { folded, wordsOf } from '../../folding.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { semanticsOf, textsFinding } from '../matching.ts';
import { placeOf } from './open_texts.ts';

/** Words by their place in a name. */
export interface TellingWords {
  readonly first: readonly string[];
  readonly inner: readonly string[];
  readonly last: readonly string[];
  /** How many words each name has. */
  readonly lengths: readonly number[];
}

/** The words of known names that tell what others are like: all but those by which the names were found. */
export function tellingWords(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
): TellingWords {
  const semantics = semanticsOf(dialect);
  // Most names contain a letter anyway: while there are more that do, its words are as good as any.
  const isOrdinary = ({ query, status }: QueryState) =>
    semantics === 'substring' && [...query.text].length === 1 && status !== 'complete';
  const asked = textsAsked(queries.filter((one) => !isOrdinary(one)));
  const isAskedFor = (word: string, at: number) => {
    if (semantics === 'prefix' && at > 0) return false;
    return textsFinding(semantics, word, LONGEST).some((text) => asked.has(text));
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
