import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge } from '../knowledge.ts';
import { StopRule } from '../plan/discovery/stop_rule.ts';
import { type RegistrySize, sizeOf } from '../plan/registry_size.ts';
import type { Planner } from '../planner.ts';
import { type CallRange, exactly, sumOf, within } from './call_range.ts';
import { type Budget, type Simulation, simulateSearches } from './search_simulation.ts';

/** What it takes until nothing is due any more, and what it brings. */
export interface SyncEstimate {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
  /** Of all kinds; it may be less wide than their sum. */
  readonly total: CallRange;
  /** Companies that are still to be found. */
  readonly companies: CallRange;
  readonly size: RegistrySize;
}

export interface SyncEstimateInput {
  readonly knowledge: Knowledge;
  /** A mirror before its first call. */
  readonly nothing: Knowledge;
  readonly dialect: Dialect;
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  readonly isStatsDue: boolean;
  /** Records of known companies that are due. */
  readonly recordsDue: number;
  /** Is a search among the next calls? null: not planned yet. */
  readonly isSearchNext: boolean | null;
  readonly budget: Budget;
  readonly nowMs: number;
}

/** Due records are counted; the searches are rehearsed; what they will find costs a record each. */
export function estimateSync(ask: SyncEstimateInput): SyncEstimate {
  const { knowledge, dialect, isStatsDue, recordsDue } = ask;
  const size = sizeOf(knowledge, dialect);
  const result = estimateNews(ask, size);
  const stats = exactly(isStatsDue ? 1 : 0);
  const entity = sumOf([exactly(recordsDue), result.companies]);
  const parts = sumOf([stats, result.searches, entity]);
  const totalOf = (calls: CallRange) => within(sumOf([stats, exactly(recordsDue), calls]), parts);
  return {
    ...{ stats, search: result.searches, entity },
    total: totalOf(widened(result.calls, shortfallOf(totalOf(result.calls)))),
    companies: result.companies,
    size,
  };
}

/** By what factor each end of a range is too near to the other for what it has to hold. */
function shortfallOf({ low, high }: CallRange): number {
  if (high === null || high === 0) return 1;
  return Math.min(WIDEST, Math.max(1, Math.sqrt((USUAL_RATIO * low) / high)));
}

function widened({ low, high }: CallRange, factor: number): CallRange {
  return { low: Math.floor(low / factor), high: high === null ? null : Math.ceil(high * factor) };
}

/** What companies that are not known yet will take. */
interface NewsEstimate {
  readonly searches: CallRange;
  readonly companies: CallRange;
  /** Searches, and a record of each that they find: what is found by fewer searches needs the more records. */
  readonly calls: CallRange;
}

function estimateNews(ask: SyncEstimateInput, size: RegistrySize): NewsEstimate {
  const { knowledge, dialect } = ask;
  const known = knowledge.knownCount();
  if (isIdle(ask, size)) return NOTHING;
  const missing = { low: size.low - known, high: size.high === null ? null : size.high - known };
  const pages = Math.ceil(missing.low / dialect.search.paging.size);
  if (size.high === null || known < FEWEST_KNOWN) {
    const least = Math.max(1, pages);
    const most = size.high === null ? null : least * FIRST_GUESS;
    const searches = { low: least, high: most };
    return { searches, companies: missing, calls: sumOf([searches, missing]) };
  }
  const played = simulateSearches({ ...ask, totals: [...new Set([size.low, size.high])] });
  return estimateOf(played, { low: missing.low, high: size.high - known });
}

/** Is nothing searched for? A planner over many names takes long to open: it is opened if nothing else tells. */
function isIdle(
  { knowledge, openPlanner, isSearchNext, nowMs }: SyncEstimateInput,
  size: RegistrySize,
): boolean {
  if (isSearchNext === true) return false;
  const missing = size.high === null ? null : size.high - knowledge.knownCount();
  const isSearching = missing !== null && missing > 0 && !new StopRule(knowledge).isOver(missing);
  if (isSearchNext === null && isSearching) return false;
  return openPlanner(knowledge).next({ ...ENDLESS, nowMs, most: 1 }).calls.length === 0;
}

function estimateOf(
  played: readonly Simulation[],
  missing: { readonly low: number; readonly high: number },
): NewsEstimate {
  const searches = played.map((one) => one.searches);
  // Nothing is searched for any more: what is missing was given up.
  if (played.every(({ searches, isCutShort }) => searches === 0 && !isCutShort)) return NOTHING;
  const found = Math.floor(Math.min(...played.map((one) => one.found)) * FEWER_FOUND);
  const calls = callsOf(played);
  const most = Math.ceil(Math.max(...searches) * MORE_SEARCHES + IN_VAIN);
  return {
    searches: {
      low: Math.floor(Math.min(...searches) * FEWER_SEARCHES),
      high: calls.high === null ? null : Math.min(most, calls.high),
    },
    companies: { low: Math.min(missing.low, found), high: missing.high },
    calls,
  };
}

/** Around the middle of what was rehearsed, and towards its ends where rehearsals come out far apart. */
function callsOf(played: readonly Simulation[]): CallRange {
  const logs = played.map(({ searches, found }) => Math.log(Math.max(1, searches + found)));
  const middle = meanOf(logs);
  const spread = Math.sqrt(meanOf(logs.map((one) => (one - middle) ** 2)));
  const doubt = Math.max(0, spread - USUAL_SPREAD);
  const low = Math.exp(Math.max(middle - doubt, Math.min(...logs)));
  const high = Math.exp(Math.min(middle + doubt, Math.max(...logs)));
  const isOpen = played.some(({ isCutShort }) => isCutShort);
  // The fewer suppositions were simulated, the less is known of how far apart they are.
  const lack = LACK * (1 - Math.min(1, played.length / SUPPOSITIONS));
  // Where what is missing may be out of reach, it is given up soon.
  const inVain = played.filter(({ found }) => found === 0).map(({ searches }) => searches);
  return {
    low: Math.min(Math.floor(low * FEWER * (1 - lack)), ...inVain),
    high: isOpen ? null : Math.ceil(high * MORE * (1 + lack)),
  };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

const ENDLESS = { left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null } };
const NOTHING: NewsEstimate = { searches: exactly(0), companies: exactly(0), calls: exactly(0) };
// Less says nothing of what names and identifiers look like.
const FEWEST_KNOWN = 20;
const FIRST_GUESS = 8;
// Chosen with `npm run bench price` to hold nine times in ten.
const FEWER = 0.829;
const MORE = 1.24;
const USUAL_SPREAD = 0.3;
const SUPPOSITIONS = 6;
const LACK = 0.1;
// Of the ends of a total. What is certain of it makes it narrower, and such ones held less often.
const USUAL_RATIO = 1.49;
const WIDEST = 1.1;
const FEWER_SEARCHES = 0.5;
const MORE_SEARCHES = 1.5;
// So long is looked for a single company that is out of reach.
const IN_VAIN = 130;
const FEWER_FOUND = 0.8;
