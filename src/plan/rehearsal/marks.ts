import type { Dialect } from '../../dialect/dialect.ts';
import { folded } from '../../folding.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { semanticsOf, textsFinding } from '../matching.ts';

/** As searches compare it where they overlook marks: `Åsbygg` is found by `as`. */
export function withoutMarks(text: string): string {
  if (ASCII.test(text)) return folded(text);
  return folded(text.normalize('NFKD').toLowerCase().replace(MARKS, '').normalize('NFC'));
}

/** Was a company found that searches can have found only by overlooking marks? */
export function overlooksMarks(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
): boolean {
  if (queries.some(({ query }) => query.by === 'identifier')) return false;
  const semantics = semanticsOf(dialect);
  const asked = new Set(queries.map(({ query }) => folded(query.text)));
  const isFound = (name: string) => textsFinding(semantics, name, LONGEST).some((text) => asked.has(text));
  return known.some(({ name }) => {
    if (name === null || ASCII.test(name)) return false;
    return !isFound(folded(name)) && isFound(withoutMarks(name));
  });
}

const MARKS = /\p{M}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const ASCII = /^[\x00-\x7f]*$/;
const LONGEST = 24;
