import type { SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { folded, withoutMarks, wordsOf } from '../../folding.ts';
import type { KnownCompany } from '../knowledge.ts';
import { foldedIdentifier, nameFinder, semanticsOf } from '../matching.ts';

export interface Indexed extends KnownCompany {
  readonly foldedName: string;
  readonly foldedId: string;
}

/** Which of these companies a query finds, in no order that means anything but that it is always the same. */
export type Find = (query: SearchQuery) => readonly Indexed[];

/** Where one parameter takes names and identifiers alike, a text that is meant as the one finds the other as well. */
export function indexOf(companies: readonly KnownCompany[], dialect: Dialect, overlooksMarks: boolean): Find {
  const { identifiers, identifier_param: parameter } = dialect.search;
  const fold = overlooksMarks ? withoutMarks : folded;
  const find = indexApart(companies, dialect, fold);
  const byName = (text: string) => find({ by: 'name', text: fold(text) });
  const byIdentifier = (text: string) => find({ by: 'identifier', text: foldedIdentifier(text) });
  if (parameter !== null || identifiers !== 'prefix')
    return ({ by, text }) => (by === 'name' ? byName(text) : byIdentifier(text));
  return ({ text }) => {
    const [named, numbered] = [byName(text), byIdentifier(text)];
    if (named.length === 0) return numbered;
    return numbered.length === 0 ? named : [...new Set([...numbered, ...named])];
  };
}

/** Names found by name, identifiers by identifier; texts are folded. */
function indexApart(
  companies: readonly KnownCompany[],
  dialect: Dialect,
  fold: (text: string) => string,
): Find {
  const semantics = semanticsOf(dialect);
  const all: Indexed[] = companies.map(({ entityId, name }) => ({
    ...{ entityId, name },
    foldedName: fold(name ?? ''),
    foldedId: foldedIdentifier(entityId),
  }));
  const byWord = semantics === 'token' ? groupedByWord(all) : null;
  const found = new Map<string, readonly Indexed[]>();

  const find: Find = ({ by, text }) => {
    const key = `${by}:${text}`;
    const already = found.get(key);
    if (already !== undefined) return already;
    const isNamed = nameFinder(semantics, text);
    const fits = ({ foldedName, foldedId }: Indexed) =>
      by === 'name' ? isNamed(foldedName) : foldedId.startsWith(text);
    const now = candidates({ by, text }).filter(fits);
    found.set(key, now);
    return now;
  };

  /** What a text finds is among what it finds without its last character, or, for whole words, by one of them. */
  const candidates: Find = ({ by, text }) => {
    if (text === '') return all;
    if (by === 'name' && byWord !== null) return byWord.get(wordsOf(text)[0] ?? '') ?? [];
    const shorter = [...text].slice(0, -1).join('');
    return shorter === '' ? all : find({ by, text: shorter });
  };
  return find;
}

function groupedByWord(companies: readonly Indexed[]): Map<string, Indexed[]> {
  const groups = new Map<string, Indexed[]>();
  for (const one of companies)
    for (const word of new Set(wordsOf(one.foldedName))) {
      const group = groups.get(word);
      if (group === undefined) groups.set(word, [one]);
      else group.push(one);
    }
  return groups;
}
