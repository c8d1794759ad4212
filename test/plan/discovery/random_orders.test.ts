import { expect, test } from 'vitest';
import type { Call } from '../../../src/call.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import { seededRandom } from '../../../src/random.ts';
import { companiesFor } from '../../support/probe_companies.ts';
import { dialectOf, START_MS } from '../../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';

const DAY_MS = 86_400_000;

// Names in seven scripts, and one page for each query. The statistics report how many companies are missing, and no query
// reports how many it finds.
const SETTINGS = { ...PLAIN, semantics: 'substring', minLength: 2, totals: 'none', window: 20 } as const;

test('in whatever order responses arrive, discovery finds every company that queries of two characters can find', async () => {
  const registry = new Registry(await companiesFor({}, 100), SETTINGS);
  for (let seed = 1; seed <= 4; seed++) {
    const { mirror, calls } = sweep(registry, seed);
    expect(mirror.knownCount(), `seed ${seed}`).toBe(registry.size);
    expect(calls, `seed ${seed}`).toBeLessThanOrEqual(MOST_CALLS);
  }
}, 60_000);

/** Discovers the registry with 1 to 8 calls in flight, whose responses arrive in a random order. */
function sweep(registry: Registry, seed: number): { mirror: MemoryMirror; calls: number } {
  const random = seededRandom(seed);
  const connections = 1 + random.below(8);
  const mirror = new MemoryMirror(START_MS);
  const planner = openSyncPlanner({
    knowledge: mirror,
    dialect: dialectOf(registry.settings),
    settings: {
      startedAtMs: mirror.nowMs,
      maxAge: { statsMs: 7 * DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 9000 * DAY_MS },
      ...{ focus: 'balanced', kinds: new Set(['stats', 'search'] as const), scope: { of: 'whole' } },
    },
  });
  const inFlight: Call[] = [];
  for (let calls = 0; ; ) {
    const left = { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null };
    const planned = planner.next({ nowMs: mirror.nowMs, left, most: connections - inFlight.length }).calls;
    calls += planned.length;
    inFlight.push(...planned);
    if (inFlight.length === 0) return { mirror, calls };
    const [call] = inFlight.splice(random.below(inFlight.length), 1);
    mirror.nowMs += 100;
    planner.learn(answer(mirror, registry, call as Call, mirror.nowMs));
  }
}

const MOST_CALLS = 300;
