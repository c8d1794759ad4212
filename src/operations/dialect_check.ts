import { type Call, callOfTarget, FIRST_PAGE } from '../call.ts';
import { requireDialect } from '../config/config.ts';
import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import {
  contradictionsIn,
  describeContradiction,
  type Exchange,
  exchangeOf,
  missingSearchOf,
} from '../dialect/evidence/dialect_evidence.ts';
import { planCalls } from '../plan/listed_calls.ts';
import { type DialectChange, type Mismatch, proposeChanges } from '../probe/dialect_changes.ts';
import type { ProbeRequest } from '../probe/exchange.ts';
import { readReply } from '../probe/probe_call.ts';
import { type LatestAnswer, latestAnswers } from '../warehouse/answered_calls.ts';
import { openKnowledge } from '../warehouse/plan_knowledge.ts';
import type { Workspace } from './assemble.ts';
import { type RunReport, runEngine } from './run.ts';

interface CheckOrder {
  /** The maximum number of calls. With 0, only stored responses are checked. */
  readonly maxCalls: number;
  readonly signal: AbortSignal;
}

/** The result of a check: the stored responses that a dialect can read and those that it cannot. */
export interface DialectCheck {
  /** The run that made the calls; null if no call was made. */
  readonly run: RunReport | null;
  readonly answers: number;
  readonly contradictions: readonly Contradiction[];
  /** Changes to the dialect that would make the remaining responses readable. */
  readonly proposals: readonly DialectChange[];
}

interface Contradiction {
  readonly callId: number;
  readonly kind: Call['kind'];
  readonly target: string;
  readonly sentAt: string;
  readonly why: string;
}

/**
 * Reads the last stored responses with the current dialect. If `maxCalls` permits, it first requests the statistics, a
 * known query and a known record.
 */
export async function checkDialect(
  workspace: Workspace,
  { maxCalls, signal }: CheckOrder,
): Promise<DialectCheck> {
  const dialect = requireDialect(workspace.config);
  const report = maxCalls === 0 ? null : await sendKnownCalls(workspace, maxCalls, signal);
  return { run: report, ...checkStored(dialect, latestAnswers(workspace.warehouse.db, OF_EACH_KIND)) };
}

const OF_EACH_KIND = 200;

/** Checks which stored responses a dialect can read. This function is pure. */
export function checkStored(dialect: Dialect, answers: readonly LatestAnswer[]): Omit<DialectCheck, 'run'> {
  const classify = openClassify(dialect);
  const contradictions: Contradiction[] = [];
  const misunderstood: Mismatch[] = [];
  const rejected: Contradiction[] = [];
  const readable: { readonly exchange: Exchange; readonly answer: LatestAnswer }[] = [];
  for (const answer of answers) {
    const { callId, kind, target, sentAt, status, headers, body } = answer;
    const call = callOfTarget(answer, { reason: '', expected: 0 });
    const reply = { status, headers, body };
    const verdict = classify(call, reply, { nowMs: Date.parse(sentAt), keyHasWorked: true });
    const exchange =
      verdict.is === 'ok'
        ? exchangeOf(dialect, call, verdict.answer)
        : missingSearchOf({ call, status, headers, body, verdict });
    if (exchange !== null) readable.push({ exchange, answer });
    if (verdict.is === 'refused') rejected.push({ callId, kind, target, sentAt, why: verdict.why });
    if (verdict.is !== 'broken' || status >= 500) continue;
    contradictions.push({ callId, kind, target, sentAt, why: verdict.why });
    const request = requestOf(dialect, call);
    const reading = readReply(request, call, reply, { nowMs: 0, keyHasWorked: true });
    misunderstood.push({
      exchange: reading.exchange,
      entityId: call.kind === 'entity' ? call.entityId : null,
    });
  }
  // A single rejected call is normal, because a query can have too many matches. If every search or every record call
  // is rejected, the dialect is probably wrong.
  for (const [kind, name] of [['search', 'search'] as const, ['entity', 'record call'] as const]) {
    const ofKind = rejected.filter((one) => one.kind === kind);
    const [latest] = ofKind;
    if (latest !== undefined && ofKind.length === answers.filter((one) => one.kind === kind).length)
      contradictions.push({ ...latest, why: `the upstream rejected every stored ${name}: ${latest.why}` });
  }
  const contradicted = contradictedKeys(dialect, readable);
  return {
    answers: answers.length,
    contradictions: [...contradicted.map(({ contradiction }) => contradiction), ...contradictions],
    proposals: [
      ...contradicted.flatMap(({ change }) => (change === null ? [] : [change])),
      ...proposeChanges(dialect, misunderstood),
    ],
  };
}

/** Returns the keys that readable responses contradict, each with the latest response of the kind that shows it. */
function contradictedKeys(
  dialect: Dialect,
  readable: readonly { readonly exchange: Exchange; readonly answer: LatestAnswer }[],
) {
  const exchanges = readable.map(({ exchange }) => exchange);
  return contradictionsIn(dialect, exchanges).flatMap((found) => {
    const kind = found.key.startsWith('entity.') ? 'entity' : 'search';
    const answer = readable.map((one) => one.answer).find((one) => one.kind === kind);
    if (answer === undefined) return [];
    const { callId, target, sentAt } = answer;
    const from = valueOfKey(dialect, found.key);
    const change: DialectChange | null =
      found.to === undefined ? null : { key: found.key, from, to: found.to, because: found.because };
    return [
      { contradiction: { callId, kind, target, sentAt, why: describeContradiction(found) } as const, change },
    ];
  });
}

function valueOfKey(dialect: Dialect, key: string): string | null {
  const [section, name = ''] = key.split('.');
  const values: Readonly<Record<string, unknown>> = section === 'entity' ? dialect.entity : dialect.search;
  const value = values[name];
  return typeof value === 'string' ? value : null;
}

function requestOf({ search }: Dialect, call: Call): ProbeRequest {
  const params = call.kind === 'search' ? [[search.query_param ?? '', call.query.text] as const] : [];
  return { kind: call.kind, path: '', params, why: '' };
}

function sendKnownCalls(workspace: Workspace, maxCalls: number, signal: AbortSignal): Promise<RunReport> {
  return runEngine(workspace, {
    command: 'probe --check',
    openPlanner: (guards) => planCalls(knownCalls(workspace).slice(0, maxCalls), guards),
    maxCalls,
    signal,
  });
}

/** Returns one call of each kind that the API has, for a target that has returned a result before. */
export function knownCalls({ config, warehouse }: Workspace): Call[] {
  const knowledge = openKnowledge(warehouse);
  const planned = { reason: 'checks the dialect', expected: 0 };
  const calls: Call[] = config.upstream.paths.stats === null ? [] : [{ kind: 'stats', ...planned }];
  for (const { query, rows, status } of knowledge.queries())
    if (rows > 0 && status !== 'refused') {
      calls.push({ kind: 'search', query, page: FIRST_PAGE, ...planned });
      break;
    }
  for (const { entityId, name } of knowledge.knownCompanies()) {
    // Without a known query, a word of a known name should have matches.
    const [word] = name?.split(' ') ?? [];
    if (calls.every(({ kind }) => kind !== 'search') && word !== undefined)
      calls.push({ kind: 'search', query: { by: 'name', text: word }, page: FIRST_PAGE, ...planned });
    calls.push({ kind: 'entity', entityId, ...planned });
    break;
  }
  return calls;
}
