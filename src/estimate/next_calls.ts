import { type Call, queryKey } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge, LoadResult, QueryState } from '../knowledge.ts';
import { noChange } from '../load_result.ts';
import { conclusiveQueries, withInferredIdentifiers } from '../plan/discovery/identifier_rule.ts';
import type { Planner, QuotaLeft } from '../planner.ts';
import { capacityBeside } from './query_capacity.ts';
import { scenariosFor } from './scenario.ts';
import { simulateCompanies } from './simulated_companies.ts';
import { SimulatedKnowledge } from './simulated_knowledge.ts';
import { simulatedRegistry } from './simulated_registry.ts';

export interface NextCallsAsk {
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  /** Opens the planner that a sync would use, with this knowledge. */
  readonly openPlanner: (knowledge: Knowledge) => Planner;
  readonly left: QuotaLeft;
  readonly nowMs: number;
  readonly count: number;
}

/**
 * Returns the next calls that a sync makes if it makes one call at a time. Each call is chosen after a simulated
 * response to the previous call. If the registry is large or its size is unknown, this function simulates no responses
 * and returns the calls that the planner would choose now.
 */
export function nextCalls(ask: NextCallsAsk): Call[] {
  const { knowledge, openPlanner, left, nowMs, count } = ask;
  const planner = openPlanner(knowledge);
  const [first, ...others] = planner.next({ nowMs, left, most: count }).calls;
  if (first === undefined) return [];
  const total = knowledge.latestStats()?.total ?? null;
  const known = knowledge.knownCount();
  const isSimulated = total !== null && known >= MIN_KNOWN && Math.max(total, known) <= MAX_COMPANIES;
  if (count === 1 || !isSimulated) return [first, ...others];
  if (first.kind !== 'stats') return simulateNextCalls(ask, knowledge.latestStats(), count);
  return [first, ...simulateNextCalls(ask, { observedAtMs: nowMs, total }, count - 1)];
}

function simulateNextCalls(
  { knowledge, openPlanner, left, nowMs, ...ask }: NextCallsAsk,
  stats: ReturnType<Knowledge['latestStats']>,
  count: number,
): Call[] {
  const total = stats?.total ?? 0;
  const known = [...knowledge.knownCompanies()].map(({ entityId, name }) => ({ entityId, name }));
  const dialect = withInferredIdentifiers(ask.dialect, knowledge);
  const queries = conclusiveQueries(dialect, knowledge);
  const [scenario] = scenariosFor(known, queries, dialect, 0);
  if (scenario === undefined) return [];
  const capacity = capacityBeside(known, queries, dialect);
  const missing = Math.max(0, total - known.length);
  const companies = simulateCompanies({ known, queries, dialect, count: missing, capacity, scenario });
  const registry = simulatedRegistry([...known, ...companies], dialect, scenario, nowMs);
  const seen = new Set(known.map(({ entityId }) => entityId));
  const states = new Map<string, QueryState>(queries.map((state) => [queryKey(state.query), state]));
  const fetched = new Set<string>();
  const simulatedKnowledge = new SimulatedKnowledge(knowledge);
  const planner = openPlanner({
    ...simulatedKnowledge.view(total, nowMs),
    // The planner needs the actual statistics, because listings that are older than the statistics are outdated.
    latestStats: () => stats,
    failures: () => knowledge.failures(),
    controlNeeded: () => knowledge.controlNeeded(),
    recordsDue: (ask) => knowledge.recordsDue({ ...ask, except: new Set([...ask.except, ...fetched]) }),
  });
  const responseTo = (call: Call): LoadResult => {
    if (call.kind === 'entity') fetched.add(call.entityId);
    if (call.kind !== 'search') return noChange({ call, verdict: { is: 'ok' } });
    const key = queryKey(call.query);
    const before = call.page.index === 0 ? undefined : states.get(key);
    const result = registry.search(call, before, (entityId) => seen.has(entityId));
    if (result.query !== null) states.set(key, result.query);
    for (const { entityId, name, isNew } of result.rows) {
      if (!isNew) continue;
      seen.add(entityId);
      simulatedKnowledge.learn({ entityId, name });
    }
    return result;
  };
  const calls: Call[] = [];
  while (calls.length < count) {
    const [call] = planner.next({ nowMs, left, most: 1 }).calls;
    if (call === undefined) break;
    calls.push(call);
    planner.learn(responseTo(call));
  }
  return calls;
}

// Names cannot be simulated from fewer known companies.
const MIN_KNOWN = 20;
const MAX_COMPANIES = 20_000;
