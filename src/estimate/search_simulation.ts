import { queryKey } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge, KnownCompany, QueryState } from '../knowledge.ts';
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
  /** A mirror before its first call. */
  readonly nothing: Knowledge;
  readonly dialect: Dialect;
  /** The planner that a sync would use, over this knowledge. */
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  /** How many companies the registry is taken to have; several where nobody is sure. */
  readonly totals: readonly number[];
  readonly budget: Budget;
  readonly nowMs: number;
}

/** What the simulations of one estimate may take, together. */
export interface Budget {
  /** Searches that may be simulated. */
  readonly searches: number;
  /** How much of the time is used, from 0 to 1: at 1 the simulations end. */
  usedShare(): number;
  /** Told how much of the work is done, from 0 to 1. */
  onProgress?(share: number): void;
}

export interface Simulation {
  /** Searches until the planner wants no more. */
  readonly searches: number;
  /** Companies that they find. */
  readonly found: number;
  /** The planner still wanted more when the rehearsal was broken off. */
  readonly isCutShort: boolean;
}

/**
 * Simulates the searches that are still to come against imagined registries, with the planner that will make them: once
 * for each supposition, as long as the budget lasts. Large registries are simulated at a smaller size, from the start, and
 * counted from the state of the mirror. If the budget ends before one simulation does, a smaller one is tried, and then
 * the count so far is a lower bound.
 */
export function simulateSearches(ask: SimulationInput): Simulation[] {
  const { knowledge, dialect, totals, budget } = ask;
  const known = sampleOf(knowledge.knownCompanies(), knowledge.knownCount(), MOST_COMPANIES);
  const queries = [...knowledge.queries()];
  const { emptySearches } = new StopRule(knowledge);
  const suppositions = scenariosFor(known, queries, dialect, emptySearches);
  const cases = suppositions.flatMap((scenario) => totals.map((total) => ({ scenario, total })));
  const rehearsals: Simulation[] = [];
  let mostCompanies = MOST_COMPANIES;
  let spent = 0;
  const runCase = (at: number, limits: Limits) => {
    const one = simulate({ ...ask, ...(cases[at] as (typeof cases)[number]), known, queries, limits });
    spent += one.played;
    return one;
  };
  for (let at = 0; at < cases.length; at++) {
    const isEnough = at >= FEWEST && at % totals.length === 0 && spent >= ENOUGH * budget.searches;
    if (isEnough) break;
    const isOver = (share: number) => (searches: number) => {
      if (searches % SEARCHES_BETWEEN_REPORTS === 0) budget.onProgress?.(at / cases.length);
      return spent + searches >= share * budget.searches || budget.usedShare() >= share;
    };
    let one = runCase(at, { mostCompanies, isOver: isOver(at === 0 ? FIRST_SHARE : 1) });
    if (at === 0 && one.isCutShort) {
      mostCompanies = Math.ceil(Math.min(mostCompanies, ...totals) / SMALLER);
      one = runCase(at, { mostCompanies, isOver: isOver(1) });
    }
    // One that was cut short says nothing beside those that were not, if these have covered all totals.
    if (one.isCutShort && rehearsals.length > 0 && at % totals.length === 0) break;
    rehearsals.push(one);
    if (one.isCutShort) break;
  }
  return rehearsals;
}

/** How far one simulation may go. */
interface Limits {
  /** Larger registries are simulated at this size. */
  readonly mostCompanies: number;
  /** Asked before each search, with the number of searches made. */
  isOver(searches: number): boolean;
}

interface Part extends SimulationInput {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly total: number;
  readonly scenario: Scenario;
  readonly limits: Limits;
}

function simulate(part: Part): Simulation & { readonly played: number } {
  const { knowledge, known, total, limits } = part;
  const { mostCompanies } = limits;
  if (total <= mostCompanies) {
    const { useful, inVain, ...played } = play(part, known, knowledge, 0);
    return { ...played, searches: useful + inVain };
  }
  const scale = total / mostCompanies;
  const knownInSmall = knowledge.knownCount() / scale;
  const sample = sampleOf(known, known.length, Math.ceil(knownInSmall));
  const countedFrom = Math.floor(knownInSmall);
  const { useful, inVain, ...played } = play({ ...part, total: mostCompanies }, sample, null, countedFrom);
  return {
    ...played,
    // What is out of reach is looked for the longer the more it is, by its root.
    searches: Math.ceil(useful * scale + inVain * Math.sqrt(scale)),
    found: Math.ceil(played.found * scale),
  };
}

/** `from`: what is known already, or null to begin with nothing; counted once `countedFrom` companies are known. */
function play(
  { knowledge, nothing, dialect, openPlanner, queries, total, nowMs, scenario, limits }: Part,
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
  const imaginedKnowledge = new SimulatedKnowledge(from ?? nothing);
  const known = new Set(from === null ? [] : sample.map(({ entityId }) => entityId));
  const states = new Map<string, QueryState>();
  if (from !== null) for (const state of queries) states.set(queryKey(state.query), state);
  const everything = listingOfAll(queries, dialect);
  const isCounted = everything !== null && countOfAll(everything, dialect) !== null;
  const hasTotal = isCounted || knowledge.latestStats()?.total != null;
  const size = sample.length + (scenario.isOutOfReach ? count : simulated.length);
  const planner = openPlanner(imaginedKnowledge.view(hasTotal ? size : null, nowMs));

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
    const atFirst = known.size;
    for (const { entityId, name, isNew } of result.rows) {
      if (!isNew) continue;
      known.add(entityId);
      imaginedKnowledge.learn({ entityId, name });
    }
    planner.learn(result);
    if (known.size <= countedFrom) continue;
    inVain++;
    if (known.size > atFirst) [useful, inVain] = [useful + inVain, 0];
  }
  return {
    ...{ played, useful, inVain, isCutShort },
    found: known.size - Math.max(before, countedFrom),
  };
}

/** Of so many, as many as are wanted, evenly taken. */
function sampleOf(known: Iterable<KnownCompany>, count: number, wanted: number): KnownCompany[] {
  const every = Math.max(1, count / Math.max(1, wanted));
  const sample: KnownCompany[] = [];
  let at = 0;
  for (const one of known) if (at++ >= sample.length * every) sample.push(one);
  return sample;
}

// The records are most of a large price: what a larger simulation adds to their count was too little to measure.
const MOST_COMPANIES = 2_000;
const FEWEST = 2;
// Of the searches of a budget: after so many no other simulation is begun.
const ENOUGH = 0.5;
// Of a budget, for the first simulation, before a smaller one is tried.
const FIRST_SHARE = 0.6;
const SMALLER = 4;
const SEARCHES_BETWEEN_REPORTS = 50;
