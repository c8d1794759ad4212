import { type Call, type CallKind, targetOf } from '../call.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/** Wraps a planner, and stops planning a kind of call when its responses no longer match the dialect. */
export interface DriftWatch {
  readonly planner: Planner;
  /** Records outcomes. Every outcome must be passed to `note` before its result is passed to `learn`. */
  note(outcomes: readonly Outcome[]): void;
}

/**
 * Detects valid JSON responses that do not match the dialect, for example because the result list or the ids are
 * missing. Several such responses in a row stop that kind of call. Calls of other kinds continue, and the run ends with
 * `drift`. `open` opens a planner for the remaining kinds.
 */
export function openDriftWatch(
  kinds: ReadonlySet<CallKind>,
  open: (kinds: ReadonlySet<CallKind>) => Planner,
): DriftWatch {
  const misread = new Map<CallKind, { readonly targets: Set<string>; readonly why: string }>();
  const drifted = new Map<CallKind, string>();
  const stopped = new Set<CallKind>();
  const inFlight = new Set<Call>();
  let planner = open(kinds);
  let mustReopen = false;

  const stop = (kind: CallKind) => {
    stopped.add(kind);
    mustReopen = true;
  };

  const drift = (kind: CallKind, targets: ReadonlySet<string>, why: string) => {
    if (drifted.has(kind)) return;
    drifted.set(
      kind,
      `${targets.size} responses in a row for ${KIND_NAMES[kind]} do not match the dialect: ${why}`,
    );
    stop(kind);
  };

  const describeDrift = (planned: string | null) => {
    const sentences = [...drifted.values(), ...(planned === null ? [] : [planned])];
    return sentences.length > 0 ? sentences.join('; ') : null;
  };

  return {
    planner: {
      next: (ask: PlanInput): Plan => {
        // The planner is replaced only when no call is in flight, because each result must reach the planner that
        // planned the call.
        if (mustReopen && inFlight.size > 0) return { calls: [], wakeAtMs: null, drift: describeDrift(null) };
        if (mustReopen) {
          planner = open(new Set([...kinds].filter((kind) => !stopped.has(kind))));
          mustReopen = false;
        }
        const plan = planner.next(ask);
        for (const call of plan.calls) inFlight.add(call);
        return { ...plan, drift: describeDrift(plan.drift) };
      },
      learn: (result) => {
        inFlight.delete(result.call);
        planner.learn(result);
      },
      release: (call) => {
        inFlight.delete(call);
        planner.release(call);
      },
      stop,
    },
    note: (outcomes) => {
      for (const { call, verdict } of outcomes) {
        if (verdict.is !== 'broken' || verdict.misread !== true) {
          if (matchesDialect(verdict)) misread.delete(call.kind);
          continue;
        }
        const targets = misread.get(call.kind)?.targets ?? new Set<string>();
        targets.add(targetOf(call));
        misread.set(call.kind, { targets, why: verdict.why });
        if (targets.size >= MISREAD_IN_A_ROW[call.kind]) drift(call.kind, targets, verdict.why);
      }
    },
  };
}

/**
 * Returns whether the response proves that the dialect still matches. An empty listing does not, because there is no
 * row to check.
 */
function matchesDialect(verdict: Verdict): boolean {
  if (verdict.is !== 'ok') return verdict.is === 'gone';
  return verdict.answer.kind !== 'search' || verdict.answer.rows.length > 0;
}

/**
 * Mismatched responses from this many different targets in a row count as drift. Statistics have only one target and
 * are seldom requested.
 */
const MISREAD_IN_A_ROW: Readonly<Record<CallKind, number>> = { stats: 1, search: 3, entity: 3 };

const KIND_NAMES: Readonly<Record<CallKind, string>> = {
  stats: 'the statistics',
  search: 'searches',
  entity: 'records',
};
