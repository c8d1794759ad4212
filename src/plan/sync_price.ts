import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge } from './knowledge.ts';
import type { Planner } from './plan.ts';
import { type CallRange, exactly, sumOf } from './price_range.ts';
import { type RegistrySize, sizeOf } from './registry_size.ts';
import { type Rehearsal, rehearseSearches } from './rehearsal/search_rehearsal.ts';

/** What it takes until nothing is due any more, and what it brings. */
export interface SyncPrice {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
  /** Of all kinds; it may be less wide than their sum. */
  readonly total: CallRange;
  /** Companies that are still to be found. */
  readonly companies: CallRange;
  readonly size: RegistrySize;
}

export interface SyncPriceAsk {
  readonly knowledge: Knowledge;
  /** A mirror before its first call. */
  readonly nothing: Knowledge;
  readonly dialect: Dialect;
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  readonly isStatsDue: boolean;
  /** Records of known companies that are due. */
  readonly recordsDue: number;
  readonly nowMs: number;
}

/** Due records are counted; the searches are rehearsed; what they will find costs a record each. */
export function priceSync(ask: SyncPriceAsk): SyncPrice {
  const { knowledge, dialect, isStatsDue, recordsDue } = ask;
  const size = sizeOf(knowledge, dialect);
  const search = priceSearches(ask, size);
  const stats = exactly(isStatsDue ? 1 : 0);
  const entity = sumOf([exactly(recordsDue), search.companies]);
  return {
    ...{ stats, search: search.calls, entity },
    total: sumOf([stats, search.calls, entity]),
    companies: search.companies,
    size,
  };
}

function priceSearches(ask: SyncPriceAsk, size: RegistrySize): { calls: CallRange; companies: CallRange } {
  const { knowledge, dialect, openPlanner, nowMs } = ask;
  const known = knowledge.knownCount();
  const isIdle = openPlanner(knowledge).next({ ...ENDLESS, nowMs, most: 1 }).calls.length === 0;
  if (isIdle) return { calls: exactly(0), companies: exactly(0) };
  const missing = { low: size.low - known, high: size.high === null ? null : size.high - known };
  const pages = Math.ceil(missing.low / dialect.search.paging.size);
  if (size.high === null || known < FEWEST_KNOWN) {
    const least = Math.max(1, pages);
    const most = size.high === null ? null : least * FIRST_GUESS;
    return { calls: { low: least, high: most }, companies: missing };
  }
  const played = [...new Set([size.low, size.high])].flatMap((total) =>
    SEEDS.map((seed) => rehearseSearches({ ...ask, total, seed })),
  );
  return {
    calls: around(played, { pages, missing: missing.high ?? missing.low }),
    companies: foundIn(played, missing, dialect),
  };
}

/** A rehearsal knows how names are made, not the names: the last ones, above all, take more than imagined ones do. */
function around(
  played: readonly Rehearsal[],
  { pages, missing }: { readonly pages: number; readonly missing: number },
): CallRange {
  const searches = played.map((one) => one.searches);
  // Nothing is searched for any more: what is missing was given up.
  if (searches.every((count) => count === 0)) return exactly(0);
  const isOpen = played.some(({ isCutShort }) => isCutShort);
  return {
    low: searches.includes(0) ? 0 : Math.max(pages, Math.floor(Math.min(...searches) * FEWER)),
    high: isOpen
      ? null
      : Math.max(pages, Math.ceil(Math.max(...searches) * MORE + LAST_ONES * Math.sqrt(missing))),
  };
}

/** Searches by name do not reach every company. */
function foundIn(played: readonly Rehearsal[], missing: CallRange, { search }: Dialect): CallRange {
  const share = search.identifiers === 'prefix' ? 1 : REACHED_BY_NAME;
  const found = Math.floor(Math.min(...played.map((one) => one.found)) * share);
  return { low: Math.min(missing.low, found), high: missing.high };
}

const ENDLESS = { left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null } };
const SEEDS = [1, 2];
// Less says nothing of what names and identifiers look like.
const FEWEST_KNOWN = 20;
const FIRST_GUESS = 8;
// What `npm run bench:price` found to hold.
const FEWER = 0.9;
const MORE = 1.35;
const LAST_ONES = 10;
const REACHED_BY_NAME = 0.8;
