import { type Call, callOfTarget } from '../call.ts';
import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Endpoints, endpointsOf, UnwritableUrl, urlOf } from '../dialect/request.ts';
import { adoptProbes } from '../load/probe_loader.ts';
import type { Outcome } from '../outcome.ts';
import { type Adoption, adoptable } from '../probe/adoption.ts';
import { type Beliefs, believe, type Hints } from '../probe/beliefs.ts';
import { draftDialect } from '../probe/dialect_draft.ts';
import type { ProbeExchange } from '../probe/exchange.ts';
import { type KeptProbe, type OpenProbeLog, openProbeLog } from '../probe/probe_log.ts';
import { questionsFor } from '../probe/report.ts';
import { requestedSizeOf } from '../probe/size_experiments.ts';
import { answersOfCommand, storedProbes } from '../warehouse/answered_calls.ts';
import { assembleProbe, type Workspace } from './assemble.ts';
import { runEngine } from './run.ts';

interface ProbeOrder {
  readonly hints: Hints;
  /** Responses to calls up to and including this id are ignored. */
  readonly after?: number;
  readonly maxCalls: number;
  readonly maxMinutes: number;
  readonly signal: AbortSignal;
  /** Called after each exchange with the hypotheses after all exchanges so far. */
  readonly onAnswer?: (exchange: ProbeExchange) => void;
}

export type ProbeReport = Awaited<ReturnType<typeof probeUpstream>>;

/**
 * Learns the upstream's dialect in a few calls, by running the engine with the probe planner. Every response is stored.
 * Once the dialect is known, the stored responses are loaded like a sync's, so that no call is repeated.
 */
export async function probeUpstream(workspace: Workspace, order: ProbeOrder) {
  const { upstream } = workspace.config;
  const { maxCalls, maxMinutes, signal } = order;
  const hints = { ...order.hints, dialect: workspace.config.incomplete?.stated ?? {} };
  const probeLog = openProbeLog(upstream, keptProbes(workspace, order.after ?? 0));
  const currentBeliefs = () => believe({ upstream, exchanges: probeLog.exchanges, hints });
  const report = await runEngine(workspace, {
    command: 'probe',
    maxCalls,
    maxMinutes,
    signal,
    assemble: (runId) => assembleProbe(workspace, { runId, hints, probeLog, maxCalls }),
    onProgress: () => {
      const last = probeLog.exchanges.at(-1);
      if (last !== undefined) order.onAnswer?.(last);
    },
    onEnded: (runId) => adopt(workspace, runId, probeLog, currentBeliefs()),
  });
  const beliefs = currentBeliefs();
  return {
    run: report,
    beliefs,
    /** The learned dialect; null if the probe could not learn the search or record endpoint. */
    draft: draftDialect(beliefs),
    questions: questionsFor(beliefs, probeLog.exchanges),
    /** All exchanges, including those from earlier runs. */
    exchanges: probeLog.exchanges,
  };
}

/**
 * Returns the earlier probes' responses. If a response has been loaded since, its request is reconstructed from the
 * current dialect.
 */
function keptProbes({ config, warehouse }: Workspace, after: number): KeptProbe[] {
  const kept = storedProbes(warehouse.db).filter(({ callId }) => callId > after);
  const { dialect } = config;
  if (dialect === undefined) return kept;
  const endpoints = endpointsOf(config.upstream);
  const adopted = answersOfCommand(warehouse.db, 'probe').flatMap((answer): KeptProbe[] => {
    if (answer.callId <= after) return [];
    const call = callOfTarget(answer, { reason: answer.reason, expected: 0 });
    const target = targetOfAdopted(endpoints, dialect, call);
    return target === null ? [] : [{ ...answer, target, why: answer.reason }];
  });
  return [...kept, ...adopted].sort((a, b) => a.callId - b.callId);
}

/**
 * Restores the request that the probe sent, without the parameter for the first page and with the page size that the
 * probe tried.
 */
function targetOfAdopted(endpoints: Endpoints, dialect: Dialect, call: Call): string | null {
  const { size_param, size, window, uneven } = dialect.search.paging;
  const tried = requestedSizeOf(call.reason);
  const firstPage = {
    style: 'none',
    size_param,
    size: tried === null ? size : Number(tried),
    window,
    uneven,
  } as const;
  const url = urlOf(endpoints, { ...dialect, search: { ...dialect.search, paging: firstPage } }, call);
  return url instanceof UnwritableUrl ? null : `${call.kind} ${url.href}`;
}

/** Loads the probe's responses with the dialect that it found. */
function adopt(workspace: Workspace, runId: number, probeLog: OpenProbeLog, beliefs: Beliefs): void {
  const draft = draftDialect(beliefs);
  if (draft === null) return;
  const { dialect } = draft;
  const stored = new Map(storedProbes(workspace.warehouse.db).map((kept) => [kept.callId, kept]));
  const verdictOf = openVerdict(dialect);
  const outcomes = adoptable(probeLog.exchanges, beliefs, dialect).flatMap((adoption): Outcome[] => {
    const kept = stored.get(adoption.exchange.callId ?? 0);
    if (kept === undefined || kept.status === null || kept.body === null) return [];
    const { callId, status, headers, body, sentAt, ms: durationMs } = kept;
    const verdict = verdictOf(adoption, { status, headers, body }, Date.parse(sentAt));
    const isGood = verdict.is === 'ok' || verdict.is === 'absent' || verdict.is === 'gone';
    return isGood
      ? [{ callId, call: adoption.call, sentAt, durationMs, status, body, headers, verdict }]
      : [];
  });
  adoptProbes({
    warehouse: workspace.warehouse,
    dialect,
    mapping: workspace.config.mapping,
    runId,
    outcomes,
  });
}

function openVerdict(dialect: Dialect) {
  const classify = openClassify(dialect);
  return ({ call }: Adoption, reply: Parameters<typeof classify>[1], nowMs: number): Outcome['verdict'] =>
    classify(call, reply, { nowMs, keyHasWorked: true });
}
