import { queryKey } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge, KnownCompany, QueryState } from '../knowledge.ts';
import { conclusiveQueries, withInferredIdentifiers } from '../plan/discovery/identifier_rule.ts';
import { StopRule } from '../plan/discovery/stop_rule.ts';
import { countOfAll, listingOfAll } from '../plan/registry_size.ts';
import type { Planner } from '../planner.ts';
import { capacityBeside, ENDLESS_CAPACITY } from './query_capacity.ts';
import { type Scenario, scenariosFor } from './scenario.ts';
import { simulateCompanies } from './simulated_companies.ts';
import { SimulatedKnowledge } from './simulated_knowledge.ts';
import { simulatedRegistry } from './simulated_registry.ts';

export interface SimulationInput {
  readonly knowledge: Knowledge;
  /** The planner's knowledge while the mirror is empty. */
  readonly nothing: Knowledge;
  readonly dialect: Dialect;
  /** Opens the planner that a sync would use, with this knowledge. */
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  /** The registry sizes to simulate. There are several if the size is uncertain. */
  readonly totals: readonly number[];
  readonly budget: Budget;
  readonly nowMs: number;
}

/** The limits that all simulations in one estimate share. */
export interface Budget {
  /** The maximum number of simulated searches. */
  readonly searches: number;
  /** Returns the share of the available time that was used, from 0 to 1. At 1, the simulations end. */
  usedShare(): number;
  /** Called with the finished share of the simulations, from 0 to 1. */
  onProgress?(share: number): void;
}

export interface Simulation {
  /** The number of searches until the planner chooses no more. */
  readonly searches: number;
  /** The number of new companies that the searches find. */
  readonly found: number;
  /** Whether the budget ended the simulation before the planner had finished. */
  readonly isCutShort: boolean;
}

/**
 * Runs the planner that a sync uses against simulated registries, to count the remaining searches. Within the budget,
 * it runs one simulation for each scenario and size. A large registry is simulated at a smaller size. Such a simulation
 * starts with an empty mirror, and counts searches only once it has reached the current coverage. If the first
 * simulation uses up its share of the budget, smaller simulations follow. If none of them finishes, the number of
 * searches is a lower bound.
 */
export function simulateSearches(input: SimulationInput): Simulation[] {
  const { knowledge, totals, budget } = input;
  const dialect = withInferredIdentifiers(input.dialect, knowledge);
  const ask = { ...input, dialect };
  const known = sampleOf(knowledge.knownCompanies(), knowledge.knownCount(), MAX_COMPANIES);
  const queries = conclusiveQueries(dialect, knowledge);
  const { emptySearches } = new StopRule(knowledge);
  const scenarios = scenariosFor(known, queries, dialect, emptySearches);
  const cases = scenarios.flatMap((scenario) => totals.map((total) => ({ scenario, total })));
  const simulations: Simulation[] = [];
  let maxCompanies = MAX_COMPANIES;
  let spent = 0;
  const runCase = (at: number, limits: Limits) => {
    const one = simulate({ ...ask, ...(cases[at] as (typeof cases)[number]), known, queries, limits });
    spent += one.played;
    return one;
  };
  for (let at = 0; at < cases.length; at++) {
    const isEnough = at >= MIN_SIMULATIONS && at % totals.length === 0 && spent >= ENOUGH * budget.searches;
    if (isEnough) break;
    const isOver = (share: number) => (searches: number) => {
      if (searches % SEARCHES_BETWEEN_REPORTS === 0) budget.onProgress?.(at / cases.length);
      return spent + searches >= share * budget.searches || budget.usedShare() >= share;
    };
    let one = runCase(at, { maxCompanies, isOver: isOver(at === 0 ? FIRST_SHARE : 1) });
    for (const share of at === 0 ? SMALLER_SHARES : []) {
      if (!one.isCutShort) break;
      maxCompanies = Math.ceil(Math.min(maxCompanies, ...totals) / SMALLER);
      one = runCase(at, { maxCompanies, isOver: isOver(share) });
    }
    // If complete simulations already cover all sizes, an incomplete simulation adds nothing.
    if (one.isCutShort && simulations.length > 0 && at % totals.length === 0) break;
    simulations.push(one);
    if (one.isCutShort) break;
  }
  return simulations;
}

interface Limits {
  /** A larger registry is simulated with this number of companies. */
  readonly maxCompanies: number;
  /** Called before each search with the number of searches so far. Returns whether the simulation must end. */
  isOver(searches: number): boolean;
}

interface Case extends SimulationInput {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly total: number;
  readonly scenario: Scenario;
  readonly limits: Limits;
}

function simulate(one: Case): Simulation & { readonly played: number } {
  const { knowledge, known, total, limits } = one;
  const { maxCompanies } = limits;
  if (total <= maxCompanies) {
    const { useful, inVain, ...played } = play(one, known, knowledge, 0);
    return { ...played, searches: useful + inVain };
  }
  const scale = total / maxCompanies;
  const scaledKnown = knowledge.knownCount() / scale;
  const sample = sampleOf(known, known.length, Math.ceil(scaledKnown));
  const countedFrom = Math.floor(scaledKnown);
  const { useful, inVain, ...played } = play({ ...one, total: maxCompanies }, sample, null, countedFrom);
  return {
    ...played,
    // `inVain` is scaled by the square root, because the stop rule's limit is proportional to the square root of the
    // number of missing companies.
    searches: Math.ceil(useful * scale + inVain * Math.sqrt(scale)),
    found: Math.ceil(played.found * scale),
  };
}

/**
 * Runs the planner until it chooses no search or the limits end the simulation. It starts with the knowledge `from`, or
 * with an empty mirror if `from` is null. Searches count only while more than `countedFrom` companies are known.
 */
function play(
  { knowledge, nothing, dialect, openPlanner, queries, total, nowMs, scenario, limits }: Case,
  sample: readonly KnownCompany[],
  from: Knowledge | null,
  countedFrom: number,
) {
  const count = Math.max(0, total - sample.length);
  const capacity = from === null ? ENDLESS_CAPACITY : capacityBeside(sample, queries, dialect);
  const simulated = scenario.isOutOfReach
    ? []
    : simulateCompanies({ known: sample, queries, dialect, count, capacity, scenario });
  const registry = simulatedRegistry([...sample, ...simulated], dialect, scenario, nowMs);
  const simulatedKnowledge = new SimulatedKnowledge(from ?? nothing);
  const known = new Set(from === null ? [] : sample.map(({ entityId }) => entityId));
  const states = new Map<string, QueryState>();
  if (from !== null) for (const state of queries) states.set(queryKey(state.query), state);
  const everything = listingOfAll(queries, dialect);
  const isCounted = everything !== null && countOfAll(everything, dialect) !== null;
  const hasTotal = isCounted || knowledge.latestStats()?.total != null;
  const size = sample.length + (scenario.isOutOfReach ? count : simulated.length);
  const planner = openPlanner(simulatedKnowledge.view(hasTotal ? size : null, nowMs));

  const before = known.size;
  let [played, useful, inVain] = [0, 0, 0];
  let isCutShort = false;
  for (; ; played++) {
    const { calls } = planner.next({ nowMs, left: { calls: Infinity, lifetimeLimit: null }, most: 1 });
    const [call] = calls;
    if (call?.kind !== 'search') break;
    isCutShort = limits.isOver(played);
    if (isCutShort) break;
    const key = queryKey(call.query);
    const isKnown = (entityId: string) => known.has(entityId);
    const result = registry.search(call, call.page.index === 0 ? undefined : states.get(key), isKnown);
    if (result.query !== null) states.set(key, result.query);
    const knownBefore = known.size;
    for (const { entityId, name, isNew } of result.rows) {
      if (!isNew) continue;
      known.add(entityId);
      simulatedKnowledge.learn({ entityId, name });
    }
    planner.learn(result);
    if (known.size <= countedFrom) continue;
    inVain++;
    if (known.size > knownBefore) [useful, inVain] = [useful + inVain, 0];
  }
  return {
    ...{ played, useful, inVain, isCutShort },
    found: known.size - Math.max(before, countedFrom),
  };
}

/** Returns `wanted` companies, evenly spaced among all `count` companies. */
function sampleOf(known: Iterable<KnownCompany>, count: number, wanted: number): KnownCompany[] {
  const every = Math.max(1, count / Math.max(1, wanted));
  const sample: KnownCompany[] = [];
  let at = 0;
  for (const one of known) if (at++ >= sample.length * every) sample.push(one);
  return sample;
}

// In large cost estimates, most calls are for records, and larger simulations do not measurably improve the estimated
// number of records.
const MAX_COMPANIES = 2_000;
const MIN_SIMULATIONS = 2;
// No new simulation starts once this share of the budget's searches is used.
const ENOUGH = 0.5;
// The share of the budget that the first simulation may use. If it needs more, smaller simulations follow. They end
// when the shares in SMALLER_SHARES are used.
const FIRST_SHARE = 0.6;
const SMALLER_SHARES = [0.9, 1];
const SMALLER = 4;
const SEARCHES_BETWEEN_REPORTS = 50;
