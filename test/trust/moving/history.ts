import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallKind } from '../../../src/call.ts';
import { isoTime } from '../../../src/clock.ts';
import { openClassify } from '../../../src/dialect/classify.ts';
import type { Dialect } from '../../../src/dialect/dialect.ts';
import { DAY_MS, HOUR_MS } from '../../../src/durations.ts';
import { CallIds } from '../../../src/fetch/fetch.ts';
import { Loader } from '../../../src/load/load.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import { WantedPlanner } from '../../../src/plan/wanted/wanted_planner.ts';
import type { Planner } from '../../../src/planner.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { lastCallId } from '../../../src/warehouse/call.ts';
import { openKnowledge } from '../../../src/warehouse/plan_knowledge.ts';
import { startRun } from '../../../src/warehouse/run.ts';
import { openWatchKnowledge } from '../../../src/warehouse/wanted_knowledge.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { dialectFor, MovingRegistry, STYLES, type Style } from './registry.ts';

export interface History {
  readonly seed: number;
  readonly style: Style;
  readonly scope: 'whole' | 'queries';
  readonly calls: number;
  /** The calls for the same registry if nothing changes. */
  readonly stillCalls: number;
  /** The living companies that the mirror does not know, and the living ones that it counts as gone. */
  readonly missing: readonly string[];
  readonly wronglyGone: readonly string[];
}

/** Runs one random history twice: with changes between calls, and without. */
export function runHistory(seed: number): History {
  const random = seededRandom(seed);
  const style = random.pick(STYLES);
  const scope = random.chance(0.05) ? 'whole' : 'queries';
  const settings: Settings = {
    style,
    scope,
    seed,
    size: 4 + random.below(20),
    count: 30 + random.below(scope === 'whole' ? 40 : 120),
    changeShare: 0.2 * random.next(),
    callsPerDay: random.chance(0.5) ? 8 + random.below(20) : Number.POSITIVE_INFINITY,
  };
  const moving = mirrored({ ...settings });
  const still = mirrored({ ...settings, changeShare: 0 });
  return {
    seed,
    style,
    scope,
    calls: moving.calls,
    stillCalls: still.calls,
    missing: moving.missing,
    wronglyGone: moving.wronglyGone,
  };
}

interface Settings {
  readonly style: Style;
  readonly scope: 'whole' | 'queries';
  readonly seed: number;
  readonly size: number;
  readonly count: number;
  /** The probability of a change before a search, until all companies are listed. */
  readonly changeShare: number;
  readonly callsPerDay: number;
}

function mirrored(settings: Settings) {
  const { style, size, count, seed, changeShare, callsPerDay } = settings;
  const registry = new MovingRegistry(style, size, count, seededRandom(seed));
  const folder = mkdtempSync(join(tmpdir(), 'moving-'));
  const warehouse = openWarehouse({ path: join(folder, 'warehouse.db'), nowMs: START_MS });
  // No history is continued after a crash, so its file need not be flushed.
  warehouse.db.pragma('synchronous = OFF');
  const first = new Set(registry.living.map(({ id }) => id));
  const parts = { warehouse, registry, dialect: dialectFor(style, size), settings };
  try {
    let nowMs = START_MS;
    const changes = seededRandom(seed + 1);
    for (let run = 0; run < MOST_RUNS; run++) {
      const most = callsPerDay === Number.POSITIVE_INFINITY && run === 0 ? count : callsPerDay;
      const made = runOnce(parts, { nowMs, most, changeShare, random: changes });
      nowMs += DAY_MS;
      if (made < most) break;
    }
    // The registry stands still for two further runs, in which no listing is due because of its age.
    for (let run = 0; run < 2; run++) {
      runOnce(parts, { nowMs, most: Number.POSITIVE_INFINITY, changeShare: 0, random: changes });
      nowMs += DAY_MS;
    }
    const known = knownIn(warehouse);
    // Companies that were added while the listing was read are found when the listing is next due.
    const living = registry.living.filter(({ id }) => first.has(id)).map(({ id }) => id);
    return {
      calls: registry.calls,
      missing: living.filter((id) => !known.has(id)),
      wronglyGone: living.filter((id) => known.get(id) === 'gone'),
    };
  } finally {
    warehouse.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly warehouse: Warehouse;
  readonly registry: MovingRegistry;
  readonly dialect: Dialect;
  readonly settings: Settings;
}

interface RunBounds {
  readonly nowMs: number;
  readonly most: number;
  readonly changeShare: number;
  readonly random: Random;
}

/** Makes one run's calls in order, as the engine does with one connection. Returns the number of calls. */
function runOnce(parts: Parts, { nowMs: startedAtMs, most, changeShare, random }: RunBounds): number {
  const { warehouse, registry, dialect, settings } = parts;
  const runId = startRun(warehouse.db, { command: 'sync', owner: null, nowMs: startedAtMs });
  const loader = new Loader({ warehouse, dialect, runId });
  const callIds = new CallIds({ last: lastCallId(warehouse.db), runId });
  const classify = openClassify(dialect);
  const planner = plannerOf(parts, startedAtMs);
  let nowMs = startedAtMs;
  let isListed = wasListed(warehouse);
  for (let made = 0; made < most; made++) {
    if (registry.calls > MOST_CALLS) throw new Error(`the run does not end: ${JSON.stringify(settings)}`);
    const plan = planner.next({ nowMs, left: { calls: most - made, lifetimeLimit: null }, most: 1 });
    const [call] = plan.calls;
    if (call === undefined && plan.wakeAtMs !== null && plan.wakeAtMs - nowMs < HOUR_MS) {
      nowMs = Math.max(plan.wakeAtMs, nowMs + 1);
      made -= 1;
      continue;
    }
    if (call === undefined) return made;
    if (call.kind === 'search' && !isListed && random.chance(changeShare)) registry.change();
    const reply = registry.respond(call);
    const callId = callIds.next();
    const verdict = classify(call, reply, { nowMs, keyHasWorked: true });
    const outcome = { callId, call, sentAt: isoTime(nowMs), durationMs: 1, ...reply, verdict };
    for (const result of loader.load([outcome])) planner.learn(result);
    isListed ||= wasListed(warehouse);
    nowMs += 6100;
  }
  return most;
}

function plannerOf({ warehouse, dialect, settings }: Parts, startedAtMs: number): Planner {
  const kinds = new Set<CallKind>(['stats', 'search', 'entity']);
  const maxAge = { statsMs: DAY_MS, summariesMs: 90 * DAY_MS, recordsMs: 90 * DAY_MS };
  if (settings.scope === 'whole') {
    const knowledge = openKnowledge(warehouse);
    const planned = { startedAtMs, maxAge, kinds, focus: 'coverage' } as const;
    return openSyncPlanner({ knowledge, dialect, settings: planned });
  }
  const knowledge = openWatchKnowledge(warehouse, dialect, { nowMs: startedAtMs, ...maxAge });
  const listings = [{ query: { by: 'name', text: '' }, splits: false } as const];
  return new WantedPlanner({
    knowledge,
    dialect,
    wanted: { entityIds: [], names: [], listings, withRecords: true },
    statistics: { startedAtMs, maxAgeMs: maxAge.statsMs },
  });
}

/** Returns whether all companies were listed. From then on, the registry stands still. */
function wasListed({ db }: Warehouse): boolean {
  return (
    db.prepare("SELECT 1 FROM _query WHERE query_key = 'name:' AND status <> 'open'").get() !== undefined
  );
}

function knownIn({ db }: Warehouse): Map<string, 'known' | 'gone'> {
  const rows = db
    .prepare<[], { id: string; isGone: 0 | 1 }>(
      'SELECT entity_id AS id, gone_at IS NOT NULL AS isGone FROM _company',
    )
    .all();
  return new Map(rows.map(({ id, isGone }) => [id, isGone === 1 ? 'gone' : 'known']));
}

const START_MS = Date.parse('2026-03-01T00:00:00Z');
const MOST_RUNS = 400;
const MOST_CALLS = 3000;
