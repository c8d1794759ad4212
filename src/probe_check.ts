import type { House } from './assemble.ts';
import { type Call, callOfTarget, FIRST_PAGE, targetOf } from './call.ts';
import { requireDialect } from './config.ts';
import { openClassify } from './dialect/classify.ts';
import type { Dialect } from './dialect/dialect.ts';
import type { Planner } from './plan/plan.ts';
import type { ProbeRequest } from './plan/probing/exchange.ts';
import { type Change, type Misunderstood, proposeChanges } from './plan/probing/proposal.ts';
import { readReply } from './plan/probing/reply.ts';
import { ALL_KINDS, type RunReport, run } from './run.ts';
import { openKnowledge } from './warehouse/knowledge.ts';
import { type LatestAnswer, latestAnswers } from './warehouse/latest_answers.ts';

export interface CheckOrder {
  /** 0: only the stored answers, for free. */
  readonly maxCalls: number;
  readonly signal: AbortSignal;
}

/** How a dialect fares with the answers that are stored. */
export interface DialectCheck {
  /** null: no call was made. */
  readonly run: RunReport | null;
  readonly answers: number;
  readonly contradictions: readonly Contradiction[];
  /** What would have to change for the contradicting answers to be understood. */
  readonly proposals: readonly Change[];
}

export interface Contradiction {
  readonly callId: number;
  readonly kind: Call['kind'];
  readonly target: string;
  readonly sentAt: string;
  readonly why: string;
}

/**
 * Reads the latest stored answers again by today's dialect; before that, where calls may be spent, asks for the
 * statistics, a query and a record that are known.
 */
export async function checkDialect(house: House, { maxCalls, signal }: CheckOrder): Promise<DialectCheck> {
  const dialect = requireDialect(house.config);
  const report = maxCalls === 0 ? null : await askAgain(house, maxCalls, signal);
  return { run: report, ...checkStored(dialect, latestAnswers(house.warehouse.db, OF_EACH_KIND)) };
}

const OF_EACH_KIND = 200;

/** Reads stored answers by a dialect. Pure. */
export function checkStored(dialect: Dialect, answers: readonly LatestAnswer[]): Omit<DialectCheck, 'run'> {
  const classify = openClassify(dialect);
  const contradictions: Contradiction[] = [];
  const misunderstood: Misunderstood[] = [];
  for (const answer of answers) {
    const { callId, kind, target, sentAt, status, headers, body } = answer;
    const call = callOfTarget(answer, { reason: '', expected: 0 });
    const reply = { status, headers, body };
    const verdict = classify(call, reply, { nowMs: Date.parse(sentAt), keyHasWorked: true });
    if (verdict.is !== 'broken' || status >= 500) continue;
    contradictions.push({ callId, kind, target, sentAt, why: verdict.why });
    const request = requestOf(dialect, call);
    const { exchange } = readReply(request, call, reply, { nowMs: 0, keyHasWorked: true });
    misunderstood.push({ exchange, entityId: call.kind === 'entity' ? call.entityId : null });
  }
  return { answers: answers.length, contradictions, proposals: proposeChanges(dialect, misunderstood) };
}

function requestOf({ search }: Dialect, call: Call): ProbeRequest {
  const params = call.kind === 'search' ? [[search.query_param, call.query.text] as const] : [];
  return { kind: call.kind, path: '', params, why: '' };
}

function askAgain(house: House, maxCalls: number, signal: AbortSignal): Promise<RunReport> {
  return run(house, {
    command: 'probe --check',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: house.config.focus,
    openPlanner: () => plannerOf(knownCalls(house).slice(0, maxCalls)),
    maxCalls,
    maxMinutes: Number.POSITIVE_INFINITY,
    signal,
  });
}

/** One call of each kind, to things that were answered before. */
function knownCalls({ warehouse }: House): Call[] {
  const knowledge = openKnowledge(warehouse);
  const planned = { reason: 'does the dialect still fit?', expected: 0 };
  const calls: Call[] = [{ kind: 'stats', ...planned }];
  for (const { query, rows, status } of knowledge.queries())
    if (rows > 0 && status !== 'refused') {
      calls.push({ kind: 'search', query, page: FIRST_PAGE, ...planned });
      break;
    }
  for (const { entityId } of knowledge.knownCompanies()) {
    calls.push({ kind: 'entity', entityId, ...planned });
    break;
  }
  return calls;
}

/** Plans each of these calls once. */
function plannerOf(calls: readonly Call[]): Planner {
  const left = [...calls];
  return {
    next: ({ most }) => ({ calls: left.splice(0, most), wakeAtMs: null, drift: null }),
    learn: () => {},
    release: (call) => {
      if (left.every((other) => targetOf(other) !== targetOf(call))) left.push(call);
    },
  };
}
