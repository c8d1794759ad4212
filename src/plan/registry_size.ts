import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge, KnownCompany, QueryState } from '../knowledge.ts';
import { folded } from '../names/folding.ts';
import { findsName, foldedIdentifier, semanticsOf } from '../names/query_matching.ts';

/** The companies of the registry, from the fewest to the most, and the evidence for both. */
export interface RegistrySize {
  readonly low: number;
  /** null: unknown. */
  readonly high: number | null;
  readonly by: 'statistics' | 'totals' | 'nothing';
}

/**
 * By the registry's own statistics; else by what the listing of everything counts; else by the totals that its searches
 * stated, of which those of names say only how many there are at least; else nobody can tell.
 */
export function sizeOf(knowledge: Knowledge, dialect: Dialect): RegistrySize {
  const known = knowledge.knownCount();
  const stated = knowledge.latestStats()?.total ?? null;
  if (stated !== null) {
    const size = Math.max(stated, known);
    return { low: size, high: size, by: 'statistics' };
  }
  const queries = [...knowledge.queries()];
  const everything = listingOfAll(queries, dialect);
  const listed = everything === null ? null : countOfAll(everything, dialect);
  if (listed !== null) {
    const size = Math.max(listed, known);
    return { low: size, high: size, by: 'totals' };
  }
  const clamped = dialect.search.total_clamped_at ?? Infinity;
  const counted = queries.filter(
    ({ query, total }) => query.text !== '' && total !== null && total < clamped,
  );
  const sample = sampleOf(knowledge.knownCompanies());
  const byIds = countedByIdentifiers(counted, sample, dialect);
  if (byIds !== null) {
    const isWhole = queries.every((one) => one.query.by !== 'identifier' || isExplained(one, counted));
    const high = isWhole ? Math.max(known, Math.ceil(byIds * UNSEEN_IDS)) : null;
    return { low: Math.max(known, byIds), high, by: 'totals' };
  }
  const byNames = countedByNames(counted, sample, dialect);
  const least = everything?.total ?? null;
  if (byNames === null && least === null) return { low: known, high: null, by: 'nothing' };
  return { low: Math.max(known, least ?? 0, Math.floor((byNames ?? 0) * SURE)), high: null, by: 'totals' };
}

/** The listing of everything; null: it was not asked, or there is none. */
export function listingOfAll(queries: Iterable<QueryState>, { search }: Dialect): QueryState | null {
  if (search.min_length > 0) return null;
  for (const state of queries) if (isOfAll(state)) return state;
  return null;
}

/** Is it the query that lists everything, where one does? */
export function isOfAll({ query }: QueryState): boolean {
  return query.by === 'name' && query.text === '';
}

/**
 * How many companies the listing of everything counts, by its total or, read to its end, by its rows; null: it does not
 * tell. A number as round as limits are may be one that nobody has stated: then it says "at least".
 */
export function countOfAll({ total, rows, status }: QueryState, { search }: Dialect): number | null {
  if (search.min_length > 0 || rows === 0) return null;
  const isTold = total !== null && total < (search.total_clamped_at ?? Infinity);
  const isAtEnd = status === 'complete';
  if (isTold) return (isAtEnd && rows >= total) || total % ROUND_TOTAL !== 0 ? total : null;
  const isCutOff = search.paging.window === null && rows % ROUND_ROWS === 0;
  return isAtEnd && !isCutOff ? rows : null;
}

/** Prefixes of identifiers overlap only where one begins the other: the shortest ones add up. */
function countedByIdentifiers(
  counted: readonly QueryState[],
  sample: readonly KnownCompany[],
  dialect: Dialect,
): number | null {
  const prefixes = counted
    .filter(({ query }) => query.by === 'identifier')
    .map(({ query, total }) => ({ text: foldedIdentifier(query.text), total: total ?? 0 }));
  if (prefixes.length === 0) return null;
  const texts = new Set(prefixes.map(({ text }) => text));
  const isInside = (text: string) => [...text].some((_, at) => at > 0 && texts.has(text.slice(0, at)));
  return prefixes
    .filter(({ text }) => !isInside(text))
    .reduce((sum, { text, total }) => sum + Math.round(total * shareOfIdentifiers(text, sample, dialect)), 0);
}

/** A prefix whose total says "at least" is left out of the sum: do longer ones count as many? */
function isExplained({ query, total }: QueryState, counted: readonly QueryState[]): boolean {
  const longer = counted.filter((one) => one.query.by === query.by && one.query.text.startsWith(query.text));
  return longer.reduce((sum, one) => sum + (one.total ?? 0), 0) >= (total ?? 0);
}

/** Where one parameter takes both, some are found by their names: the share of those that are not. */
function shareOfIdentifiers(text: string, sample: readonly KnownCompany[], dialect: Dialect): number {
  if (dialect.search.identifier_param !== null) return 1;
  const semantics = semanticsOf(dialect);
  let [numbered, named] = [0, 0];
  for (const { entityId, name } of sample)
    if (foldedIdentifier(entityId).startsWith(text)) numbered++;
    else if (findsName(semantics, text, folded(name ?? ''))) named++;
  return numbered + named === 0 ? 1 : numbered / (numbered + named);
}

/**
 * Searches by name overlap: each company found counts by one over the number of searches that find it (Horvitz and
 * Thompson, 1952).
 */
function countedByNames(
  counted: readonly QueryState[],
  sample: readonly KnownCompany[],
  dialect: Dialect,
): number | null {
  const queries = counted.filter(({ query }) => query.by === 'name');
  if (queries.length === 0) return null;
  const semantics = semanticsOf(dialect);
  const names = sample.map(({ name }) => folded(name ?? ''));
  const found = queries.map(({ query }) => names.map((name) => findsName(semantics, query.text, name)));
  const times = names.map((_, at) => found.reduce((sum, one) => sum + (one[at] ? 1 : 0), 0));
  let union = 0;
  queries.forEach(({ total }, at) => {
    const weights = times.filter((_, of) => found[at]?.[of]).map((count) => 1 / count);
    const mean = weights.length === 0 ? 0 : weights.reduce((sum, one) => sum + one, 0) / weights.length;
    union += (total ?? 0) * mean;
  });
  return union;
}

function sampleOf(known: Iterable<KnownCompany>): KnownCompany[] {
  const sample: KnownCompany[] = [];
  for (const one of known) {
    if (one.name !== null) sample.push({ ...one });
    if (sample.length === MOST_NAMES) break;
  }
  return sample;
}

const ROUND_ROWS = 100;
const ROUND_TOTAL = 1_000;
const UNSEEN_IDS = 1.3;
const SURE = 0.9;
const MOST_NAMES = 2_000;
