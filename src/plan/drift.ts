import type { CallKind } from '../call.ts';
import { targetOf } from '../call.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

/** A planner that stops the kinds of call whose answers the dialect does not fit any more. */
export interface DriftWatch {
  readonly planner: Planner;
  /** Told of every outcome, before `learn`. */
  note(outcomes: readonly Outcome[]): void;
}

/**
 * Watches for answers that came in good order and are not what the dialect says: a missing list, a vanished id, a
 * new envelope. Several in a row stop that kind of call; the others go on, and the run then ends as drifted.
 * `open` makes the planner anew, for the kinds that are left.
 */
export function openDriftWatch(
  kinds: ReadonlySet<CallKind>,
  open: (kinds: ReadonlySet<CallKind>) => Planner,
): DriftWatch {
  const misread = new Map<CallKind, { readonly targets: Set<string>; readonly why: string }>();
  const drifted = new Map<CallKind, string>();
  let planner = open(kinds);
  let inFlight = 0;
  let mustReopen = false;

  const drift = (kind: CallKind, targets: ReadonlySet<string>, why: string) => {
    if (drifted.has(kind)) return;
    drifted.set(
      kind,
      `${targets.size} answers in a row to ${KIND_WORDS[kind]} are not as the dialect says: ${why}`,
    );
    mustReopen = true;
  };

  const words = (more: string | null) => {
    const why = [...drifted.values(), ...(more === null ? [] : [more])];
    return why.length > 0 ? why.join('; ') : null;
  };

  return {
    planner: {
      next: (ask: PlanInput): Plan => {
        // What is in flight is known to the planner that sent it.
        if (mustReopen && inFlight > 0) return { calls: [], wakeAtMs: null, drift: words(null) };
        if (mustReopen) {
          planner = open(new Set([...kinds].filter((kind) => !drifted.has(kind))));
          mustReopen = false;
        }
        const plan = planner.next(ask);
        inFlight += plan.calls.length;
        return { ...plan, drift: words(plan.drift) };
      },
      learn: (result) => {
        inFlight -= 1;
        planner.learn(result);
      },
      release: (call) => {
        inFlight -= 1;
        planner.release(call);
      },
    },
    note: (outcomes) => {
      for (const { call, verdict } of outcomes) {
        if (verdict.is !== 'broken' || verdict.misread !== true) {
          if (isUnderstood(verdict)) misread.delete(call.kind);
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

/** An empty listing shows nothing of how rows stand. */
function isUnderstood(verdict: Verdict): boolean {
  if (verdict.is !== 'ok') return verdict.is === 'gone';
  return verdict.answer.kind !== 'search' || verdict.answer.rows.length > 0;
}

/** There is only one statistics call, and it is asked seldom. */
const MISREAD_IN_A_ROW: Readonly<Record<CallKind, number>> = { stats: 1, search: 3, entity: 3 };

const KIND_WORDS: Readonly<Record<CallKind, string>> = {
  stats: 'the statistics',
  search: 'searches',
  entity: 'records',
};
