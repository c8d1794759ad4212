import type { Call, CallKind, SearchCall } from '../../../../src/call.ts';
import type { EstimateState } from '../../../../src/change_rate/change_estimates.ts';
import { shownShareOf } from '../../../../src/change_rate/listing_signal.ts';
import { Dialect } from '../../../../src/dialect/dialect.ts';
import { DAY_MS } from '../../../../src/durations.ts';
import type { LoadResult } from '../../../../src/knowledge.ts';
import { noChange } from '../../../../src/load_result.ts';
import { openSyncPlanner } from '../../../../src/plan/sync_planner.ts';
import { ChangingRegistry, type RegistrySettings } from './changing_registry.ts';
import { fetchOnlyOptimum, roundRobin } from './optimum.ts';
import { RefreshedMirror } from './refreshed_mirror.ts';

export interface Case extends RegistrySettings {
  readonly callsPerDay: number;
  /** The number of rows on a page, or null if no listing is repeated. */
  readonly pageSize: number | null;
}

export interface Simulated {
  /** The share of up-to-date records. */
  readonly right: number;
  readonly roundRobin: number;
  readonly optimum: number;
  /** The share of listings among the calls during the measurement. */
  readonly listings: number;
  readonly estimates: EstimateState;
  /** The share of changes that listings show, as the planner has learned it. */
  readonly shown: number;
}

/**
 * Fetches each company once, and then lets the planner learn during the calls of five full rotations. The calls of two
 * further rotations are measured.
 */
export function simulate(one: Case, seed: number): Simulated {
  const registry = new ChangingRegistry(one, seed);
  const mirror = new RefreshedMirror(one.companies, one.pageSize ?? 100, 100);
  const roundDays = one.companies / one.callsPerDay;
  for (let at = 0; at < one.companies; at++) {
    // The order follows the golden ratio, so that it does not depend on the listing order.
    const day = roundDays * (((at * 0.6180339887498949) % 1) - 1);
    registry.begin(at, day);
    mirror.begin(at, START_MS + day * DAY_MS);
  }
  const run = openRun(one, registry, mirror);
  run(0, LEARNING_ROUNDS * roundDays);
  registry.startMeasuring(LEARNING_ROUNDS * roundDays);
  const end = (LEARNING_ROUNDS + MEASURED_ROUNDS) * roundDays;
  const listings = run(LEARNING_ROUNDS * roundDays, end);
  return {
    right: registry.currentShare(end),
    roundRobin: roundRobin(registry.ratesPerDay, one.callsPerDay),
    optimum: fetchOnlyOptimum(registry.ratesPerDay, one.callsPerDay),
    listings,
    estimates: mirror.estimates,
    shown: shownShareOf(mirror.estimates),
  };
}

/** Returns a function that makes the planner's calls for some days, and returns what share were listings. */
function openRun(one: Case, registry: ChangingRegistry, mirror: RefreshedMirror) {
  const kinds = new Set<CallKind>(one.pageSize === null ? ['entity'] : ['entity', 'search']);
  const planner = openSyncPlanner({
    knowledge: mirror,
    dialect: dialectOf(one.pageSize ?? 100),
    settings: {
      // Every record is due at every call, as if each call were its own run.
      startedAtMs: Number.POSITIVE_INFINITY,
      maxAge: { statsMs: DAY_MS, summariesMs: DAY_MS / 10, recordsMs: DAY_MS / 10 },
      focus: 'freshness',
      kinds,
    },
  });
  return (fromDay: number, untilDay: number): number => {
    let listings = 0;
    let calls = 0;
    for (let day = fromDay; day < untilDay; day += CALLS_PER_STEP / one.callsPerDay) {
      const nowMs = START_MS + day * DAY_MS;
      const left = { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null };
      for (const call of planner.next({ nowMs, left, most: CALLS_PER_STEP }).calls) {
        calls++;
        if (call.kind === 'search') listings++;
        planner.learn(answer(call, day, one.pageSize ?? 100, registry, mirror));
      }
    }
    return listings / calls;
  };
}

function answer(
  call: Call,
  day: number,
  pageSize: number,
  registry: ChangingRegistry,
  mirror: RefreshedMirror,
): LoadResult {
  const nowMs = START_MS + day * DAY_MS;
  if (call.kind === 'search') return list(call, day, pageSize, registry, mirror);
  if (call.kind === 'stats') return emptyResult(call);
  const at = Number(call.entityId);
  const changed = registry.fetch(at, day);
  mirror.fetched(at, nowMs, changed);
  return { ...emptyResult(call), record: { isNew: false, changed } };
}

function list(
  call: SearchCall,
  day: number,
  pageSize: number,
  registry: ChangingRegistry,
  mirror: RefreshedMirror,
): LoadResult {
  const nowMs = START_MS + day * DAY_MS;
  const members = mirror.members(call.query);
  const from = call.page.index * pageSize;
  const rows = members.slice(from, from + pageSize).map((at) => {
    const changed = registry.list(at, day);
    const listedAtMs = mirror.listed(at, nowMs, changed);
    return { entityId: mirror.idOf(at), name: null, isNew: false, changed, listedAtMs };
  });
  const seen = Math.min(from + pageSize, members.length);
  return {
    ...emptyResult(call),
    rows,
    query: {
      query: call.query,
      total: members.length,
      pages: call.page.index + 1,
      rows: seen,
      next: null,
      status: seen < members.length ? 'open' : 'complete',
      listedAtMs: nowMs,
    },
  };
}

function emptyResult(call: Call): LoadResult {
  return noChange({ call, verdict: { is: 'ok' } });
}

/** The dialect of the simulated registry, whose listings have pages of this size. */
export function dialectOf(size: number): Dialect {
  return Dialect.parse({
    search: {
      query_param: 'q',
      paging: { style: 'page', param: 'page', size, window: null },
      results: '/results',
      id: '/id',
      matches: 'prefix',
      identifiers: 'prefix',
      total: '/total',
    },
    entity: { id: '/id' },
    stats: { total: '/total' },
  });
}

export const START_MS = Date.UTC(2026, 0, 1);
const CALLS_PER_STEP = 4;
const LEARNING_ROUNDS = 5;
const MEASURED_ROUNDS = 2;
