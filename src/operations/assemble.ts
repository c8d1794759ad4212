import { readFileSync } from 'node:fs';
import type { Ledger } from '../allowance/ledger.ts';
import type { Purpose } from '../allowance/windows.ts';
import type { CallKind } from '../call.ts';
import { type Clock, systemClock } from '../clock.ts';
import { type Config, requireDialect } from '../config/config.ts';
import { credentialsOf, keyFingerprint } from '../config/credentials.ts';
import { assertWritable } from '../config/paths.ts';
import { endpointsOf } from '../dialect/request.ts';
import { type Connection, openConnections } from '../fetch/connection.ts';
import { CallIds, Fetch } from '../fetch/fetch.ts';
import { Sender } from '../fetch/send.ts';
import type { BackfillKnowledge } from '../knowledge.ts';
import { Loader } from '../load/load.ts';
import { openProbeLoader } from '../load/probe_loader.ts';
import type { MirrorParts } from '../mirror.ts';
import type { Guard } from '../plan/candidate.ts';
import { DriftWatch } from '../plan/drift.ts';
import { openSyncPlanner } from '../plan/sync_planner.ts';
import { WantedPlanner } from '../plan/wanted/wanted_planner.ts';
import type { Focus, MaxAge, Pace, Planner } from '../planner.ts';
import type { Hints } from '../probe/beliefs.ts';
import { EMPTY_DIALECT } from '../probe/probe_call.ts';
import type { OpenProbeLog } from '../probe/probe_log.ts';
import { openProbePlanner } from '../probe/probe_planner.ts';
import { lastCallId } from '../warehouse/call.ts';
import { openSpaceCheck } from '../warehouse/free_space.ts';
import { recordSource } from '../warehouse/meta.ts';
import { openKnowledge } from '../warehouse/plan_knowledge.ts';
import { openWatchKnowledge } from '../warehouse/wanted_knowledge.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { readWatchlist, watchedBy } from './backfill_items.ts';
import { configuredPace, openLedgerOf } from './configured_ledger.ts';
import { VERSION } from './version.ts';

/** The open warehouse and ledger for one configuration. */
export interface Workspace extends Disposable {
  readonly config: Config;
  readonly clock: Clock;
  readonly warehouse: Warehouse;
  readonly ledger: Ledger;
  close(): void;
}

export function openWorkspace(config: Config, clock: Clock = systemClock): Workspace {
  // Check both paths first, so that no file is created if one path is wrong.
  for (const path of [config.warehouse, config.ledger]) assertWritable(path);
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: clock.now() });
  try {
    const ledger = openLedgerOf(config, clock);
    ledger.usedBy(config.warehouse, clock.now());
    recordSource(warehouse.db, { ...config.source, tier: config.account.tier });
    const close = () => {
      warehouse.close();
      ledger.close();
    };
    return { config, clock, warehouse, ledger, close, [Symbol.dispose]: close };
  } catch (error) {
    warehouse.close();
    throw error;
  }
}

/** The purpose and limits of one run of the engine. */
export interface Order {
  readonly runId: number;
  readonly purpose: Purpose;
  readonly kinds: ReadonlySet<CallKind>;
  readonly focus: Focus;
  /** False to send every due call, even if the budget then ends early. Default: true. */
  readonly isPaced?: boolean;
  /** True if the run may send a call although the clock is in doubt, to compare it with the upstream's. */
  readonly trustsClock?: boolean;
  /** Opens a planner that replaces the sync planner. Called after the lock is taken. */
  readonly openPlanner?: (guards: readonly Guard[]) => Planner;
  /** Further rules that can keep calls from being sent. */
  readonly guards?: readonly Guard[];
}

export function assembleMirror(workspace: Workspace, order: Order): MirrorParts & { close(): void } {
  const { config, clock, warehouse, ledger } = workspace;
  const dialect = requireDialect(config);
  const { entity: entityTemplate } = endpointsOf(config.upstream);
  const { runId } = order;
  const { compress } = config.responses;
  const loader = new Loader({ warehouse, dialect, entityTemplate, mapping: config.mapping, runId, compress });
  // Before the planner reads the mirror, process the responses that earlier runs left unprocessed.
  loader.recover();
  const connections = openConfiguredConnections(config);
  const fetch = new Fetch({ ...fetchParts(workspace, order), connections, dialect });
  const close = () => closeAll(connections);
  const parts = { fetch, ledger, clock, close, requireSpace: spaceCheckOf(workspace) };
  const startedAtMs = clock.now();
  const watch = new DriftWatch(dialect);
  const guards = [watch, ...(order.guards ?? [])];
  const pace =
    order.isPaced === false ? null : configuredPace(config, ledger.state(startedAtMs), startedAtMs);
  const planner =
    order.openPlanner?.(guards) ?? syncPlanner(workspace, { ...order, startedAtMs, guards, pace });
  const watched: MirrorParts['loader'] = {
    store: (attempts) => loader.store(attempts),
    process: (outcomes) => {
      watch.note(outcomes);
      return loader.process(outcomes);
    },
  };
  return { ...parts, planner, loader: watched };
}

/**
 * Assembles the engine for a probe. A probe needs its own planner, request format and loader, because there is no
 * dialect yet.
 */
export function assembleProbe(
  workspace: Workspace,
  order: {
    readonly runId: number;
    readonly hints: Hints;
    readonly probeLog: OpenProbeLog;
    readonly maxCalls: number;
  },
): MirrorParts & { close(): void } {
  const { config, clock, warehouse, ledger } = workspace;
  const { runId, hints, probeLog } = order;
  const maxCalls = Math.min(order.maxCalls, ledger.state(clock.now()).left);
  const connections = openConfiguredConnections(config);
  const fetch = new Fetch({
    ...fetchParts(workspace, { purpose: 'scheduled', runId }),
    connections,
    dialect: EMPTY_DIALECT,
    protocol: probeLog.protocol,
  });
  const planner = openProbePlanner({ upstream: config.upstream, hints, probeLog, maxCalls });
  const loader = openProbeLoader({ warehouse, runId, probeLog });
  const requireSpace = spaceCheckOf(workspace);
  return { planner, fetch, loader, ledger, clock, requireSpace, close: () => closeAll(connections) };
}

function spaceCheckOf({ warehouse, config: { upstream } }: Workspace): () => void {
  return openSpaceCheck(warehouse.path, {
    count: upstream.concurrency,
    maxBodyBytes: upstream.max_body.bytes,
  });
}

function fetchParts(
  workspace: Workspace,
  { purpose, runId, trustsClock = false }: Pick<Order, 'purpose' | 'runId' | 'trustsClock'>,
) {
  const { config, clock, warehouse, ledger } = workspace;
  const { upstream } = config;
  return {
    endpoints: endpointsOf(upstream),
    ledger,
    perMinute: config.allowance.per_minute,
    purpose,
    send: new Sender(
      {
        credentials: credentialsOf(upstream),
        userAgent: userAgentOf(config),
        responseTimeoutMs: upstream.timeouts.response.ms,
        maxBodyBytes: upstream.max_body.bytes,
      },
      clock,
    ).send,
    clock,
    callIds: new CallIds({ last: lastCallId(warehouse.db), debits: ledger.mark().debits, runId }),
    keyFingerprint: keyFingerprint(upstream),
    checksClock: upstream.check_clock,
    trustsClock,
  };
}

interface SyncPlanOrder extends Pick<Order, 'focus' | 'kinds' | 'guards'> {
  /** The start of the run, which determines what is due. */
  readonly startedAtMs: number;
  /** The budget that must last; null if calls are sent as soon as they are due. */
  readonly pace: Pace | null;
}

/** Opens the planner for a sync of the configured scope. */
export function syncPlanner(
  mirror: Pick<Workspace, 'config' | 'warehouse'>,
  { startedAtMs, focus, kinds, guards = [], pace }: SyncPlanOrder,
): Planner {
  const { config, warehouse } = mirror;
  const dialect = requireDialect(config);
  const maxAge = maxAgeOf(config);
  const watchlist = readWatchlist(config.scope);
  if (watchlist === null)
    return openSyncPlanner({
      guards,
      knowledge: openKnowledge(warehouse),
      dialect,
      settings: { startedAtMs, maxAge, focus, kinds, pace },
    });
  return new WantedPlanner({
    guards,
    dialect,
    wanted: watchedBy(watchlist),
    knowledge: watchKnowledge(mirror, startedAtMs),
    statistics: maxAge.statsMs === null ? null : { startedAtMs, maxAgeMs: maxAge.statsMs },
  });
}

/** Returns what is known about a watchlist's companies at `nowMs`. */
export function watchKnowledge(
  { config, warehouse }: Pick<Workspace, 'config' | 'warehouse'>,
  nowMs: number,
): BackfillKnowledge {
  const { summariesMs, recordsMs } = maxAgeOf(config);
  return openWatchKnowledge(warehouse, requireDialect(config), { nowMs, summariesMs, recordsMs });
}

export function maxAgeOf({ max_age, upstream }: Config): MaxAge {
  return {
    statsMs: upstream.paths.stats === null ? null : max_age.stats.ms,
    summariesMs: max_age.summaries.ms,
    recordsMs: max_age.records.ms,
  };
}

function closeAll(connections: readonly Connection[]): void {
  for (const connection of connections) connection.close();
}

export function openConfiguredConnections({ upstream }: Config): Connection[] {
  return openConnections(upstream.concurrency, {
    origin: new URL(upstream.base_url),
    connectTimeoutMs: upstream.timeouts.connect.ms,
    ca: upstream.ca_file === null ? null : readFileSync(upstream.ca_file, 'utf8'),
    proxy: upstream.proxy === null ? null : new URL(upstream.proxy.reveal()),
  });
}

function userAgentOf({ upstream }: Config): string {
  const contact = upstream.contact === null ? '' : ` (${upstream.contact})`;
  return upstream.user_agent ?? `registry-mirror/${VERSION}${contact}`;
}
