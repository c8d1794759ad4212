import { type Call, FIRST_PAGE, queryKey, type SearchCall, targetOf } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import { isSettled } from '../load_result.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/** A planner that notices if the upstream rejects every search or every record call. */
export interface RejectionCheck extends Planner {
  /** The last rejected call, if the upstream rejects every call of its kind; otherwise null. */
  readonly rejection: Rejection | null;
  /** Returns whether the next run must first check calls of this kind. */
  isDoubted(kind: CheckedKind): boolean;
}

/** A rejected call with the upstream's message. */
export interface Rejection {
  readonly call: Call;
  readonly why: string;
}

export type CheckedKind = 'search' | 'entity';

export interface RejectionOptions {
  /** The kinds that an earlier run stopped. The first call of such a kind is a control call. */
  readonly doubted: ReadonlySet<CheckedKind>;
  /** Returns the id of a company whose record was received before; null if there is none. */
  readonly witness: () => string | null;
}

/**
 * Adds a check to a planner. Single rejections prove nothing, because many upstreams reject queries with too many
 * matches, invalid ids or deleted companies. If several calls of a kind in a row are rejected with the same status, a
 * control call is sent. For searches it is a query that matches nothing. For records it is a company whose record was
 * received before, or otherwise the next due record. If the control call is rejected too, no more calls of this kind
 * are planned.
 */
export function withRejectionCheck(planner: Planner, options: RejectionOptions): RejectionCheck {
  const { doubted, witness } = options;
  const open = (rules: KindRules) => openKindCheck(rules, planner, doubted.has(rules.kind));
  const checks = {
    search: open({
      kind: 'search',
      limit: 4,
      laterLimit: Number.POSITIVE_INFINITY,
      controlFor: () => CONTROL,
    }),
    entity: open({
      ...{ kind: 'entity', limit: 4, laterLimit: 20 },
      controlFor: (planned) => witnessCall(witness()) ?? planned,
    }),
  };
  const checkOf = ({ kind }: Call) => (kind === 'stats' ? null : checks[kind]);

  return {
    get rejection() {
      return checks.search.rejection ?? checks.entity.rejection;
    },
    isDoubted: (kind) => checks[kind].isDoubted,
    next: (ask: PlanInput): Plan => {
      const plan = planner.next(ask);
      return { ...plan, calls: checks.entity.admitted(checks.search.admitted(plan.calls)) };
    },
    learn: (result) => {
      const check = checkOf(result.call);
      if (check?.isForeign(result.call) !== true || result.verdict === 'ok') planner.learn(result);
      check?.learn(result);
    },
    release: (call) => {
      const check = checkOf(call);
      if (check?.isForeign(call) !== true) planner.release(call);
      check?.release(call);
    },
  };
}

interface KindRules {
  readonly kind: CheckedKind;
  /** The number of rejected targets that leads to a control call, before the first success and after it. */
  readonly limit: number;
  readonly laterLimit: number;
  /** Returns the call that replaces the planned call as a control call. */
  readonly controlFor: (planned: Call) => Call;
}

interface KindCheck {
  readonly rejection: Rejection | null;
  readonly isDoubted: boolean;
  /** Replaces the planned calls of this kind with a control call, or removes them. */
  admitted(calls: Call[]): Call[];
  /** Returns whether the call is a control call that the planner did not plan. */
  isForeign(call: Call): boolean;
  learn(result: LoadResult): void;
  release(call: Call): void;
}

function openKindCheck(rules: KindRules, planner: Planner, isDoubted: boolean): KindCheck {
  const { kind, laterLimit, controlFor } = rules;
  let { limit } = rules;
  let state: 'open' | 'doubted' | 'asked' | 'rejected' = isDoubted ? 'doubted' : 'open';
  let control: Call | null = null;
  let rejection: Rejection | null = null;
  const foreign = new WeakSet<Call>();
  const rejected = new Map<string, Set<string>>();

  function admitted(calls: Call[]): Call[] {
    const [first, ...rest] = calls.filter((call) => call.kind === kind);
    if (state === 'open' || first === undefined) return calls;
    const others = calls.filter((call) => call.kind !== kind);
    const next = state === 'doubted' ? controlFor(first) : null;
    for (const call of next === first ? rest : [first, ...rest]) planner.release(call);
    if (next === null) return others;
    if (next !== first) foreign.add(next);
    control = next;
    state = 'asked';
    return [...others, next];
  }

  function learn({ call, verdict, note }: LoadResult): void {
    if (state === 'rejected') return;
    const isControl = state === 'asked' && call === control;
    const status = /^HTTP \d+/.exec(note ?? '')?.[0];
    if (verdict === 'refused' && status === undefined) {
      // The call has no valid URL, so it was not sent.
      if (isControl) state = 'doubted';
    } else if (verdict !== 'refused') {
      if (!isControl && !isSettled(verdict)) return;
      state = 'open';
      rejected.clear();
      if (isSettled(verdict)) limit = laterLimit;
    } else if (isControl) {
      state = 'rejected';
      rejection = { call, why: note ?? '' };
      planner.stop?.(kind);
    } else if (state === 'open' && targetsWith(status).add(targetOf(call)).size >= limit) state = 'doubted';
  }

  function targetsWith(status = ''): Set<string> {
    const targets = rejected.get(status) ?? new Set<string>();
    rejected.set(status, targets);
    return targets;
  }

  return {
    get rejection() {
      return rejection;
    },
    get isDoubted() {
      return state !== 'open';
    },
    admitted,
    isForeign: (call) => foreign.has(call),
    learn,
    release: (call) => {
      if (state === 'asked' && call === control) state = 'doubted';
    },
  };
}

function witnessCall(entityId: string | null): Call | null {
  if (entityId === null) return null;
  return {
    kind: 'entity',
    entityId,
    reason: 'checks whether the upstream rejects every record',
    expected: 0,
  };
}

/** A query that matches no company. The upstream cannot reject it for having too many matches. */
const CONTROL: SearchCall = {
  kind: 'search',
  query: { by: 'name', text: 'qzxjvkwq' },
  page: FIRST_PAGE,
  reason: 'checks whether the upstream rejects every search',
  expected: 0,
};

/** This query's key in `_query`. */
export const CONTROL_KEY = queryKey(CONTROL.query);
