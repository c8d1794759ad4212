import type { Call, CallKind } from '../../../src/call.ts';
import { Dialect } from '../../../src/dialect/dialect.ts';
import type { Knowledge } from '../../../src/knowledge.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import type { Focus, Planner } from '../../../src/planner.ts';
import type { Random } from '../../../src/random.ts';
import { answer, MemoryMirror } from './memory_knowledge.ts';
import type { Registry, RegistrySettings } from './registry.ts';

const DAY_MS = 86_400_000;
export const START_MS = Date.UTC(2026, 0, 1);

export interface Discovered {
  /** How many companies are known after each call. */
  readonly known: readonly number[];
  /** The CPU time for each choice, in milliseconds. */
  readonly choiceMs: readonly number[];
  readonly mirror: MemoryMirror;
  readonly calls: readonly Call[];
}

export interface DiscoverOptions {
  readonly mostCalls: number;
  /** Stops when this many companies are known. */
  readonly enough: number;
  /** Stops after this many milliseconds. */
  readonly mostMs?: number;
  readonly mirror?: MemoryMirror;
  /** The planner's dialect, which is the correct one by default. */
  readonly dialect?: Dialect;
  /** Whether the registry reports a count. */
  readonly isCounted?: boolean;
  /** The kinds of call that the planner may plan. By default, it plans no record calls. */
  readonly kinds?: ReadonlySet<CallKind>;
  readonly focus?: Focus;
  /** The number of calls in flight. Without it, each response arrives before the next choice. */
  readonly connections?: number;
  /** Draws the order in which responses arrive. Without it, they arrive in the order of their calls. */
  readonly random?: Random;
}

/** Discovers a simulated registry with the real planner. */
export function discover(registry: Registry, { mostCalls, enough, ...rest }: DiscoverOptions): Discovered {
  const untilMs = performance.now() + (rest.mostMs ?? Number.POSITIVE_INFINITY);
  const mirror = rest.mirror ?? new MemoryMirror(START_MS);
  const kinds = rest.kinds ?? new Set<CallKind>(rest.isCounted === false ? ['search'] : ['stats', 'search']);
  const planner = plannerFor(mirror, {
    kinds,
    dialect: rest.dialect ?? dialectOf(registry.settings),
    focus: rest.focus ?? 'coverage',
  });
  const { connections = 1, random } = rest;
  const known: number[] = [];
  const choiceMs: number[] = [];
  const calls: Call[] = [];
  const inFlight: Call[] = [];
  while (mirror.knownCount() < enough && performance.now() < untilMs) {
    const beforeUs = process.cpuUsage().user;
    const left = { calls: mostCalls - calls.length, lifetimeLimit: null };
    const most = Math.min(left.calls, connections - inFlight.length);
    const planned = most > 0 ? planner.next({ nowMs: mirror.nowMs, left, most }).calls : [];
    calls.push(...planned);
    inFlight.push(...planned);
    const [call] = inFlight.splice(random?.below(inFlight.length) ?? 0, 1);
    if (call === undefined) break;
    planner.learn(answer(mirror, registry, call, mirror.nowMs));
    choiceMs.push((process.cpuUsage().user - beforeUs) / 1000);
    known.push(mirror.knownCount());
    mirror.nowMs += 100;
  }
  return { known, choiceMs, mirror, calls };
}

/** Opens the planner of a run that starts now and in which no listing and no record is due because of its age. */
export function plannerFor(
  knowledge: Knowledge & { readonly nowMs: number },
  given: { readonly dialect: Dialect; readonly kinds: ReadonlySet<CallKind>; readonly focus?: Focus },
): Planner {
  const { dialect, kinds, focus = 'coverage' } = given;
  return openSyncPlanner({
    knowledge,
    dialect,
    settings: {
      startedAtMs: knowledge.nowMs,
      focus,
      kinds,
      maxAge: { statsMs: 7 * DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 9000 * DAY_MS },
    },
  });
}

export function dialectOf(settings: RegistrySettings): Dialect {
  return Dialect.parse({
    search: {
      query_param: 'q',
      paging: { style: 'page', param: 'page', size: settings.pageSize, window: settings.window },
      results: '/results',
      id: '/id',
      matches: settings.semantics,
      identifiers: settings.identifiers,
      min_length: settings.minLength,
      total: settings.totals === 'none' ? null : '/total',
      total_clamped_at: typeof settings.totals === 'object' ? settings.totals.clampedAt : null,
    },
    entity: { id: '/id' },
    stats: { total: '/total' },
  });
}
