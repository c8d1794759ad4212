import type { Dialect } from '../../dialect/dialect.ts';
import { folded } from '../../folding.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { foldedIdentifier, semanticsOf, textsFinding } from '../matching.ts';

/** How many more companies each query can have found, by the totals that it stated or what it listed to its end. */
export interface Room {
  isFor(company: KnownCompany): boolean;
  take(company: KnownCompany): void;
}

export const ENDLESS_ROOM: Room = { isFor: () => true, take: () => {} };

export function roomBeside(
  known: Iterable<KnownCompany>,
  queries: Iterable<QueryState>,
  dialect: Dialect,
): Room {
  const semantics = semanticsOf(dialect);
  const clamped = dialect.search.total_clamped_at ?? Infinity;
  const names = new Map<string, number>();
  const ids = new Map<string, number>();
  for (const { query, total, status, rows } of queries) {
    const most = total !== null && total < clamped ? total : status === 'complete' ? rows : null;
    if (query.by === 'name') {
      // Names are imagined too loosely to be counted.
      if (status === 'complete') names.set(folded(query.text), 0);
    } else if (most !== null) ids.set(foldedIdentifier(query.text), most);
  }
  const isFull = (room: ReadonlyMap<string, number>, texts: readonly string[]) =>
    texts.some((text) => (room.get(text) ?? 1) <= 0);
  const idTexts = (id: string) => textsFinding('prefix', foldedIdentifier(id), LONGEST);
  const take = ({ entityId }: KnownCompany) => {
    if (ids.size === 0) return;
    for (const text of idTexts(entityId)) {
      const left = ids.get(text);
      if (left !== undefined) ids.set(text, left - 1);
    }
  };
  for (const company of known) take(company);
  return {
    take,
    isFor: ({ entityId, name }) =>
      !(ids.size > 0 && isFull(ids, idTexts(entityId))) &&
      !(names.size > 0 && isFull(names, textsFinding(semantics, folded(name ?? ''), LONGEST))),
  };
}

const LONGEST = 24;
