import { type Call, callOfTarget } from '../call.ts';
import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Endpoints, endpointsOf, UnwritableUrl, urlOf } from '../dialect/request.ts';
import { adoptProbes, readProbes } from '../load/probe_loader.ts';
import type { Outcome } from '../outcome.ts';
import { type Adoption, adoptable } from '../probe/adoption.ts';
import { type DialectDraft, draftDialect } from '../probe/dialect_draft.ts';
import type { Exchange } from '../probe/evidence.ts';
import { requestedSizeOf } from '../probe/findings/max_page_size.ts';
import { type Conclusions, probe as conclude, type Hints } from '../probe/probe.ts';
import { type KeptProbe, type OpenProbeLog, openProbeLog } from '../probe/probe_log.ts';
import { type Question, questionsFor } from '../probe/user_questions.ts';
import { answersOfCommand } from '../warehouse/latest_answers.ts';
import { assembleProbe, type Workspace } from './assemble.ts';
import { ALL_KINDS, type RunReport, run } from './run.ts';

export interface ProbeOrder {
  readonly hints: Hints;
  /** What calls up to this one brought is left aside. */
  readonly after?: number;
  readonly maxCalls: number;
  readonly maxMinutes: number;
  readonly signal: AbortSignal;
  /** Told of every question as its answer came, with what all answers so far amount to. */
  readonly onAnswer?: (exchange: Exchange, conclusions: Conclusions) => void;
}

export interface ProbeReport {
  readonly run: RunReport;
  readonly conclusions: Conclusions;
  /** null: search or record are not understood. */
  readonly draft: DialectDraft | null;
  readonly questions: readonly Question[];
  /** Every question so far with its answer, those of earlier runs included. */
  readonly exchanges: readonly Exchange[];
}

/**
 * Learns how the upstream speaks, in a handful of calls: the engine with another planner. Every answer is kept as
 * it comes; once there is a dialect, what the answers turned out to be is loaded, so that nothing is asked twice.
 */
export async function probe(workspace: Workspace, order: ProbeOrder): Promise<ProbeReport> {
  const { upstream } = workspace.config;
  const { hints } = order;
  const probeLog = openProbeLog(new URL(upstream.base_url).origin, keptProbes(workspace, order.after ?? 0));
  const now = () => conclude({ upstream, exchanges: probeLog.exchanges, hints }).conclusions;
  const report = await run(workspace, {
    command: 'probe',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: workspace.config.focus,
    maxCalls: order.maxCalls,
    maxMinutes: order.maxMinutes,
    signal: order.signal,
    assemble: (runId) => assembleProbe(workspace, { runId, purpose: 'scheduled', told: hints, probeLog }),
    onProgress: () => {
      const last = probeLog.exchanges.at(-1);
      if (last !== undefined) order.onAnswer?.(last, now());
    },
    onEnded: (runId) => adopt(workspace, runId, probeLog, now()),
  });
  const conclusions = now();
  const draft = draftDialect(conclusions);
  return {
    run: report,
    conclusions,
    draft,
    questions: questionsFor(conclusions, probeLog.exchanges),
    exchanges: probeLog.exchanges,
  };
}

/**
 * What earlier probes learned: their answers as they came, and those that were taken in since, as the questions
 * that today's dialect would ask.
 */
function keptProbes({ config, warehouse }: Workspace, after: number): KeptProbe[] {
  const kept = readProbes(warehouse).filter(({ callId }) => callId > after);
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

/** As a probe would have asked for it: without turning to the first page, and with the size that it tried. */
function targetOfAdopted(endpoints: Endpoints, dialect: Dialect, call: Call): string | null {
  const url = urlOf(endpoints, dialect, call);
  if (url instanceof UnwritableUrl) return null;
  const { paging } = dialect.search;
  if ('param' in paging) url.searchParams.delete(paging.param);
  const size = requestedSizeOf(call.reason);
  if (size !== null && paging.size_param !== null) url.searchParams.set(paging.size_param, size);
  return `${call.kind} ${url.href}`;
}

/** Takes the answers in as what they turned out to be. */
function adopt(workspace: Workspace, runId: number, probeLog: OpenProbeLog, conclusions: Conclusions): void {
  const draft = draftDialect(conclusions);
  if (draft === null) return;
  const { dialect } = draft;
  const stored = new Map(readProbes(workspace.warehouse).map((kept) => [kept.callId, kept]));
  const meaning = openMeaning(dialect);
  const outcomes = adoptable(probeLog.exchanges, conclusions, dialect).flatMap((adoption): Outcome[] => {
    const kept = stored.get(probeLog.callIdOf(adoption.exchange) ?? 0);
    if (kept === undefined || kept.status === null || kept.body === null) return [];
    const { callId, status, headers, body } = kept;
    const { sentAt, ms: durationMs } = kept;
    const verdict = meaning(adoption, { status, headers, body }, Date.parse(sentAt));
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

function openMeaning(dialect: Dialect) {
  const classify = openClassify(dialect);
  return ({ call }: Adoption, reply: Parameters<typeof classify>[1], nowMs: number): Outcome['verdict'] =>
    classify(call, reply, { nowMs, keyHasWorked: true });
}
