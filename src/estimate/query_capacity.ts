import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { folded } from '../names/folding.ts';
import { foldedIdentifier, queriesFinding, semanticsOf } from '../names/query_matching.ts';

/** An identifier prefix, and the number of unknown companies with this prefix. */
export interface OpenPrefix {
  readonly prefix: string;
  readonly left: number;
}

/**
 * How many unknown companies each query can still find, according to its total or its complete listing. For example, a
 * query with a total of 30 that matches 28 known companies can find two more.
 */
export interface QueryCapacity {
  /** Returns whether every query that finds this company has room for another unknown company. Otherwise it cannot exist. */
  isFor(company: KnownCompany): boolean;
  /** Adds a company and reduces the capacity of every query that finds it. */
  take(company: KnownCompany): void;
  /**
   * Returns the identifier prefixes with unknown companies, longest prefix first. A company is counted only for the
   * longest prefix that it matches.
   */
  prefixes(): OpenPrefix[];
}

export const ENDLESS_CAPACITY: QueryCapacity = { isFor: () => true, take: () => {}, prefixes: () => [] };

export function capacityBeside(
  known: Iterable<KnownCompany>,
  queries: Iterable<QueryState>,
  dialect: Dialect,
): QueryCapacity {
  const semantics = semanticsOf(dialect);
  const clamped = dialect.search.total_clamped_at ?? Infinity;
  const names = new Map<string, number>();
  const ids = new Map<string, number>();
  for (const { query, total, status, rows } of queries) {
    const limit = total !== null && total < clamped ? total : status === 'complete' ? rows : null;
    if (query.by === 'name') {
      // Simulated names are too inexact to be compared with totals, so a name query excludes names only if its listing
      // is complete.
      if (status === 'complete') names.set(folded(query.text), 0);
    } else if (limit !== null) ids.set(foldedIdentifier(query.text), limit);
  }
  const isFull = (capacity: ReadonlyMap<string, number>, texts: Iterable<string>) => {
    for (const text of texts) if ((capacity.get(text) ?? 1) <= 0) return true;
    return false;
  };
  const nameTexts = ({ name }: KnownCompany) =>
    queriesFinding(semantics, folded(name ?? ''), MAX_QUERY_LENGTH);
  // If one parameter searches names and identifiers, an identifier query's total includes companies with a matching
  // name.
  const countsNames = dialect.search.identifier_param === null;
  const idTexts = (company: KnownCompany) => {
    const texts = queriesFinding('prefix', foldedIdentifier(company.entityId), MAX_QUERY_LENGTH);
    return countsNames ? new Set([...texts, ...nameTexts(company).map(foldedIdentifier)]) : texts;
  };
  const take = (company: KnownCompany) => {
    if (ids.size === 0) return;
    for (const text of idTexts(company)) {
      const left = ids.get(text);
      if (left !== undefined) ids.set(text, left - 1);
    }
  };
  for (const company of known) take(company);
  return {
    take,
    prefixes: () => openPrefixesIn(ids),
    isFor: (company) =>
      !(ids.size > 0 && isFull(ids, idTexts(company))) &&
      !(names.size > 0 && isFull(names, nameTexts(company))),
  };
}

function openPrefixesIn(ids: ReadonlyMap<string, number>): OpenPrefix[] {
  const own = new Map(ids);
  for (const [text, left] of ids) {
    let above = text.slice(0, -1);
    while (above !== '' && !own.has(above)) above = above.slice(0, -1);
    if (above !== '') own.set(above, (own.get(above) ?? 0) - Math.max(0, left));
  }
  return [...own]
    .map(([prefix, left]) => ({ prefix, left }))
    .filter(({ left }) => left > 0)
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
}

const MAX_QUERY_LENGTH = 24;
