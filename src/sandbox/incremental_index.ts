import type { CatalogueQuery, Matches } from '../api/catalogue.ts';
import type { Folding } from '../names/folding.ts';
import { type CompanyStore, exists, type StoredCompany } from './company_store.ts';
import { buildSegment, compareText, type Segment } from './index_segment.ts';

/** The order of matches (see `search.order` in the profile). */
export type Order = 'name' | 'id' | 'rank' | 'relevance';

/**
 * A search index that is updated when its store changes. It consists of a large segment, and a small segment with the
 * changes since the large one was built.
 */
export interface IncrementalIndex {
  search(query: CatalogueQuery): Matches;
  /** Stops watching the store. */
  close(): void;
}

export function incrementalIndex(store: CompanyStore, folding: Folding, order: Order): IncrementalIndex {
  let main = indexed(store.all(), folding);
  let recent: Indexed | null = null;
  const outdated = new Set<number>();
  const changed = new Map<string, StoredCompany>();
  const cache = new Map<string, Matches>();

  const close = store.watch((before, after) => {
    const position = before === null ? undefined : main.positions.get(before);
    if (position !== undefined) outdated.add(position);
    if (exists(after)) changed.set(after.id, after);
    else changed.delete(after.id);
    recent = null;
    cache.clear();
  });

  const rebuildIfNeeded = () => {
    if (outdated.size + changed.size <= Math.max(REBUILD_ABOVE, main.companies.length / 20)) return;
    main = indexed(store.all(), folding);
    outdated.clear();
    changed.clear();
  };

  const find = (query: CatalogueQuery): Matches => {
    rebuildIfNeeded();
    if (outdated.size === 0 && changed.size === 0) {
      const positions = foundIn(main, query);
      if (order === 'name' || (order === 'id' && query.by === 'identifier'))
        return matchesAt(main, positions);
      return matchesOf(ordered(companiesAt(main, positions), order, query));
    }
    recent ??= indexed(changed.values(), folding);
    const current = foundIn(main, query).filter((position) => !outdated.has(position));
    const found = [...companiesAt(main, current), ...companiesAt(recent, foundIn(recent, query))];
    return matchesOf(order === 'name' ? merged(found, main, recent, query) : ordered(found, order, query));
  };

  return {
    close,
    search(query) {
      const key = `${query.by} ${query.names} ${query.identifiers} ${query.text}`;
      const known = cache.get(key);
      if (known) return known;
      const matches = find(query);
      if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
      cache.set(key, matches);
      return matches;
    },
  };
}

// With fewer changes than this, rebuilding takes longer than searching two segments.
const REBUILD_ABOVE = 2_000;
// Later pages of a search use its cached result.
const MAX_CACHED = 64;

interface Indexed {
  readonly companies: readonly StoredCompany[];
  readonly positions: ReadonlyMap<StoredCompany, number>;
  readonly segment: Segment;
}

function indexed(all: Iterable<StoredCompany>, folding: Folding): Indexed {
  const companies = [...all].filter(exists);
  const entries = {
    ids: companies.map((company) => company.id),
    names: companies.map((company) => company.name),
  };
  const positions = new Map(companies.map((company, position) => [company, position]));
  return { companies, positions, segment: buildSegment(entries, folding) };
}

/**
 * Returns the matches' positions. Matches by identifier come first, ordered by id, followed by matches by name, ordered
 * by name.
 */
function foundIn({ segment }: Indexed, query: CatalogueQuery): Uint32Array {
  const names = query.by === 'identifier' ? NONE : segment.findNames(query.names, query.text);
  const identifiers = query.by === 'name' ? NONE : segment.findIdentifiers(query.identifiers, query.text);
  if (identifiers.length === 0) return names;
  if (names.length === 0) return identifiers;
  return Uint32Array.from(new Set([...identifiers, ...names]));
}

const NONE = new Uint32Array(0);

function companiesAt({ companies }: Indexed, positions: Uint32Array): StoredCompany[] {
  return Array.from(positions, (position) => companies[position]).filter((company) => company !== undefined);
}

function matchesAt({ companies }: Indexed, positions: Uint32Array): Matches {
  return {
    total: positions.length,
    ids: (from, count) =>
      Array.from(positions.subarray(from, from + count), (position) => companies[position]?.id ?? ''),
  };
}

function matchesOf(companies: readonly StoredCompany[]): Matches {
  return {
    total: companies.length,
    ids: (from, count) => companies.slice(from, from + count).map((company) => company.id),
  };
}

/** Sorts the matches from both segments as a single segment would sort them. */
function merged(
  found: StoredCompany[],
  main: Indexed,
  recent: Indexed,
  query: CatalogueQuery,
): StoredCompany[] {
  const nameOf = (company: StoredCompany) => {
    const position = main.positions.get(company);
    return position === undefined
      ? recent.segment.foldedName(recent.positions.get(company) ?? -1)
      : main.segment.foldedName(position);
  };
  const byIdentifier = new Set(
    query.by === 'name' ? [] : found.filter((company) => matchesIdentifier(company.id, query)),
  );
  return found.sort((a, b) => {
    const first = Number(byIdentifier.has(b)) - Number(byIdentifier.has(a));
    if (first !== 0) return first;
    if (!byIdentifier.has(a)) {
      const names = compareText(nameOf(a), nameOf(b));
      if (names !== 0) return names;
    }
    return compareText(a.id.toUpperCase(), b.id.toUpperCase()) || compareText(a.id, b.id);
  });
}

function matchesIdentifier(id: string, query: CatalogueQuery): boolean {
  const [folded, wanted] = [id.toUpperCase(), query.text.toUpperCase()];
  if (query.identifiers === 'none') return false;
  return query.identifiers === 'exact' ? folded === wanted : folded.startsWith(wanted);
}

function ordered(found: StoredCompany[], order: Order, query: CatalogueQuery): StoredCompany[] {
  if (order === 'id' || order === 'name') return found.sort((a, b) => compareText(a.id, b.id));
  const salt = order === 'rank' ? '' : query.text;
  const ranked = found.map((company) => ({ company, rank: hashOf(salt, company.id) }));
  ranked.sort((a, b) => a.rank - b.rank || compareText(a.company.id, b.company.id));
  return ranked.map(({ company }) => company);
}

/** Computes the 32-bit hash FNV-1a (Fowler, Noll, Vo), which gives a random but reproducible order. */
function hashOf(salt: string, id: string): number {
  let hash = 0x811c9dc5;
  for (const text of [salt, '\u0000', id]) {
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
