import type { Dialect } from '../dialect/dialect.ts';
import { folded } from '../folding.ts';
import type { Knowledge, KnownCompany, QueryState } from './knowledge.ts';
import { findsName, foldedIdentifier, semanticsOf } from './matching.ts';
import type { CallRange } from './price_range.ts';
import { imagineCompanies } from './rehearsal/imagined_companies.ts';
import { ENDLESS_ROOM } from './rehearsal/room.ts';

/** How many companies the registry has, and what says so. */
export interface RegistrySize extends CallRange {
  readonly by: 'statistics' | 'totals' | 'nothing';
}

/** By the registry's own statistics; else by the totals that its searches stated; else nobody can tell. */
export function sizeOf(knowledge: Knowledge, dialect: Dialect): RegistrySize {
  const known = knowledge.knownCount();
  const stated = knowledge.latestStats()?.total ?? null;
  if (stated !== null) {
    const size = Math.max(stated, known);
    return { low: size, high: size, by: 'statistics' };
  }
  const clamped = dialect.search.total_clamped_at ?? Infinity;
  const counted = [...knowledge.queries()].filter(({ total }) => total !== null && total < clamped);
  const byIds = sizeByIdentifiers(counted);
  if (byIds !== null)
    return { low: Math.max(known, byIds), high: Math.ceil(byIds * UNSEEN_IDS), by: 'totals' };
  const byNames = sizeByNames(knowledge, counted, dialect);
  if (byNames === null) return { low: known, high: null, by: 'nothing' };
  return {
    low: Math.max(known, Math.floor(byNames / UNSURE)),
    high: Math.max(known, Math.ceil(byNames * UNSURE)),
    by: 'totals',
  };
}

/** Prefixes of identifiers overlap only where one begins the other: the shortest ones add up. */
function sizeByIdentifiers(counted: readonly QueryState[]): number | null {
  const prefixes = counted.filter(({ query }) => query.by === 'identifier');
  if (prefixes.length === 0) return null;
  const texts = new Set(prefixes.map(({ query }) => foldedIdentifier(query.text)));
  const isInside = (text: string) => [...text].some((_, at) => at > 0 && texts.has(text.slice(0, at)));
  return prefixes
    .filter(({ query }) => !isInside(foldedIdentifier(query.text)))
    .reduce((sum, { total }) => sum + (total ?? 0), 0);
}

/**
 * Searches by name overlap: each company found counts by one over the number of searches that find it (Horvitz and
 * Thompson, 1952). What no search so far would find is in proportion to the names that could be imagined.
 */
function sizeByNames(knowledge: Knowledge, counted: readonly QueryState[], dialect: Dialect): number | null {
  const queries = counted.filter(({ query }) => query.by === 'name' && query.text !== '');
  const semantics = semanticsOf(dialect);
  const sample = sampleOf(knowledge.knownCompanies());
  if (queries.length === 0 || sample.length < FEWEST_NAMES) return null;
  const names = sample.map(({ name }) => folded(name ?? ''));
  const found = queries.map(({ query }) => names.map((name) => findsName(semantics, query.text, name)));
  const times = names.map((_, at) => found.reduce((sum, one) => sum + (one[at] ? 1 : 0), 0));
  let union = 0;
  queries.forEach(({ total }, at) => {
    const weights = times.filter((_, of) => found[at]?.[of]).map((count) => 1 / count);
    const mean = weights.length === 0 ? 1 : weights.reduce((sum, one) => sum + one, 0) / weights.length;
    union += (total ?? 0) * mean;
  });
  const imagined = imagineCompanies({ known: sample, count: IMAGINED, room: ENDLESS_ROOM, seed: 1 });
  const reached = imagined.filter(({ name }) =>
    queries.some(({ query }) => findsName(semantics, query.text, folded(name))),
  ).length;
  return reached === 0 ? null : union / (reached / imagined.length);
}

function sampleOf(known: Iterable<KnownCompany>): KnownCompany[] {
  const sample: KnownCompany[] = [];
  for (const one of known) {
    if (one.name !== null) sample.push({ ...one });
    if (sample.length === MOST_NAMES) break;
  }
  return sample;
}

const UNSEEN_IDS = 1.25;
const UNSURE = 1.2;
const FEWEST_NAMES = 20;
const MOST_NAMES = 2_000;
const IMAGINED = 500;
