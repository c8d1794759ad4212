import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge } from '../knowledge.ts';
import { StopRule } from '../plan/discovery/stop_rule.ts';
import { type RegistrySize, sizeOf } from '../plan/registry_size.ts';
import type { Planner } from '../planner.ts';
import { type CallRange, exactly, sumOf, within } from './call_range.ts';
import { type Budget, type Simulation, simulateSearches } from './search_simulation.ts';

/** The estimated calls until nothing is due, and the companies that these calls find. */
export interface SyncEstimate {
  readonly stats: CallRange;
  readonly search: CallRange;
  readonly entity: CallRange;
  /** The total number of calls. The range can be narrower than the sum over the kinds. */
  readonly total: CallRange;
  /** The number of new companies that these calls find. */
  readonly companies: CallRange;
  readonly size: RegistrySize;
}

export interface SyncEstimateInput {
  readonly knowledge: Knowledge;
  /** The planner's knowledge while the mirror is empty. */
  readonly nothing: Knowledge;
  readonly dialect: Dialect;
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  readonly isStatsDue: boolean;
  /** The number of known companies with a due record. */
  readonly recordsDue: number;
  /** Whether a search is among the next calls; null if the next calls are not planned yet. */
  readonly isSearchNext: boolean | null;
  readonly budget: Budget;
  readonly nowMs: number;
}

/**
 * Estimates the calls for a sync. Due records are counted and searches are simulated. Each company that a search finds
 * adds one record call.
 */
export function estimateSync(ask: SyncEstimateInput): SyncEstimate {
  const { knowledge, dialect, isStatsDue, recordsDue } = ask;
  const size = sizeOf(knowledge, dialect);
  const discovery = estimateDiscovery(ask, size);
  const stats = exactly(isStatsDue ? 1 : 0);
  const entity = sumOf([exactly(recordsDue), discovery.companies]);
  const parts = sumOf([stats, discovery.searches, entity]);
  const totalOf = (calls: CallRange) => within(sumOf([stats, exactly(recordsDue), calls]), parts);
  return {
    ...{ stats, search: discovery.searches, entity },
    total: totalOf(widened(discovery.calls, shortfallOf(totalOf(discovery.calls)))),
    companies: discovery.companies,
    size,
  };
}

/**
 * Returns the factor by which each end must move so that the upper end is USUAL_RATIO times the lower end. The factor
 * is at most WIDEST.
 */
function shortfallOf({ low, high }: CallRange): number {
  if (high === null || high === 0) return 1;
  return Math.min(WIDEST, Math.max(1, Math.sqrt((USUAL_RATIO * low) / high)));
}

function widened({ low, high }: CallRange, factor: number): CallRange {
  return { low: Math.floor(low / factor), high: high === null ? null : Math.ceil(high * factor) };
}

/** The estimated calls for finding unknown companies and fetching their records. */
interface DiscoveryEstimate {
  readonly searches: CallRange;
  readonly companies: CallRange;
  /**
   * The searches, and the record calls for the companies found. This range is narrower than the sum, because more
   * searches often mean fewer records and vice versa.
   */
  readonly calls: CallRange;
}

function estimateDiscovery(ask: SyncEstimateInput, size: RegistrySize): DiscoveryEstimate {
  const { knowledge, dialect } = ask;
  const known = knowledge.knownCount();
  if (isIdle(ask, size)) return NOTHING;
  const missing = { low: size.low - known, high: size.high === null ? null : size.high - known };
  const pages = Math.ceil(missing.low / dialect.search.paging.size);
  if (size.high === null || known < MIN_KNOWN) {
    const fewest = Math.max(1, pages);
    const searches = { low: fewest, high: size.high === null ? null : fewest * FIRST_GUESS };
    return { searches, companies: missing, calls: sumOf([searches, missing]) };
  }
  const simulations = simulateSearches({ ...ask, totals: [...new Set([size.low, size.high])] });
  return estimateOf(simulations, { low: missing.low, high: size.high - known });
}

/**
 * Returns whether there is no search to send. Other evidence is checked first, because opening a planner is slow if
 * many names are known.
 */
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
  simulations: readonly Simulation[],
  missing: { readonly low: number; readonly high: number },
): DiscoveryEstimate {
  const searches = simulations.map((one) => one.searches);
  // If no simulation makes a search, the stop rule has already ended discovery.
  if (simulations.every(({ searches, isCutShort }) => searches === 0 && !isCutShort)) return NOTHING;
  const found = Math.floor(Math.min(...simulations.map((one) => one.found)) * FEWER_FOUND);
  const calls = callsOf(simulations);
  const maxSearches = Math.ceil(Math.max(...searches) * MORE_SEARCHES + IN_VAIN);
  return {
    searches: {
      low: Math.floor(Math.min(...searches) * FEWER_SEARCHES),
      high: calls.high === null ? null : Math.min(maxSearches, calls.high),
    },
    companies: { low: Math.min(missing.low, found), high: missing.high },
    calls,
  };
}

/**
 * Returns a range around the geometric mean of the simulated numbers of calls. The range is wider if the simulations
 * differ more than usual.
 */
function callsOf(simulations: readonly Simulation[]): CallRange {
  const logs = simulations.map(({ searches, found }) => Math.log(Math.max(1, searches + found)));
  const middle = meanOf(logs);
  const spread = Math.sqrt(meanOf(logs.map((one) => (one - middle) ** 2)));
  const excess = Math.max(0, spread - USUAL_SPREAD);
  const low = Math.exp(Math.max(middle - excess, Math.min(...logs)));
  const high = Math.exp(Math.min(middle + excess, Math.max(...logs)));
  const isOpen = simulations.some(({ isCutShort }) => isCutShort);
  // With few simulations, the spread is underestimated, so the range is made wider.
  const lack = LACK * (1 - Math.min(1, simulations.length / USUAL_SIMULATIONS));
  // If the companies turn out to be unreachable, the calls end early. The lower end therefore takes account of
  // simulations that found nothing.
  const inVain = simulations.filter(({ found }) => found === 0).map(({ searches }) => searches);
  return {
    low: Math.min(Math.floor(low * FEWER * (1 - lack)), ...inVain),
    high: isOpen ? null : Math.ceil(high * MORE * (1 + lack)),
  };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

const ENDLESS = { left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null } };
const NOTHING: DiscoveryEstimate = { searches: exactly(0), companies: exactly(0), calls: exactly(0) };
// Names and identifiers cannot be simulated from fewer known companies.
const MIN_KNOWN = 20;
const FIRST_GUESS = 8;
// These constants were chosen with `npm run bench price` so that nine of ten ranges include the actual number of calls.
const FEWER = 0.829;
const MORE = 1.24;
const USUAL_SPREAD = 0.3;
const USUAL_SIMULATIONS = 6;
const LACK = 0.1;
// The minimum ratio of the upper to the lower end of a total range. In the benchmark, narrower ranges included the
// actual number of calls less often.
const USUAL_RATIO = 1.49;
const WIDEST = 1.1;
const FEWER_SEARCHES = 0.5;
const MORE_SEARCHES = 1.5;
// The number of searches before the stop rule ends the search for a single unreachable company.
const IN_VAIN = 130;
const FEWER_FOUND = 0.8;
