import type { Dialect } from '../../dialect/dialect.ts';
import { folded, isAscii, withoutMarks } from '../../folding.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { semanticsOf, textsFinding } from '../matching.ts';

/** Was a company found that searches can have found only by overlooking marks? */
export function overlooksMarks(
  known: readonly KnownCompany[],
  queries: readonly QueryState[],
  dialect: Dialect,
): boolean {
  if (queries.some(({ query }) => query.by === 'identifier' || query.text === '')) return false;
  const semantics = semanticsOf(dialect);
  const asked = new Set(queries.map(({ query }) => folded(query.text)));
  const isFound = (name: string) => textsFinding(semantics, name, LONGEST).some((text) => asked.has(text));
  return known.some(({ name }) => {
    if (name === null || isAscii(name)) return false;
    return !isFound(folded(name)) && isFound(withoutMarks(name));
  });
}

const LONGEST = 24;
