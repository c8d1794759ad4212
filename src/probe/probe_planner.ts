import type { UpstreamAddress } from '../dialect/request.ts';
import type { Plan, Planner } from '../planner.ts';
import type { Hints } from './conclusions.ts';
import type { Exchange, ProbeRequest } from './evidence.ts';
import { probe } from './probe.ts';
import { probeCall } from './probe_call.ts';

/** Every question so far, with its answer. Grows while the engine runs. */
export interface ProbeLog {
  readonly exchanges: readonly Exchange[];
}

/**
 * One more planner over the same engine: asks one question at a time, each chosen by all answers so far, and is
 * done when there is nothing left worth asking.
 */
export function openProbePlanner(options: {
  readonly upstream: UpstreamAddress;
  readonly told: Hints;
  readonly probeLog: ProbeLog;
}): Planner {
  const { upstream, told: hints, probeLog } = options;
  let isAsking = false;
  let unanswered = 0;
  return {
    next: (): Plan => {
      const nothing = { calls: [], wakeAtMs: null, drift: null };
      if (isAsking || unanswered >= MOST_UNANSWERED) return nothing;
      const { exchanges } = probeLog;
      const ask = again(exchanges) ?? probe({ upstream, exchanges, hints }).ask;
      if (ask === null) return nothing;
      isAsking = true;
      return { ...nothing, calls: [probeCall(ask)] };
    },
    learn: ({ verdict }) => {
      isAsking = false;
      const isAnswer = verdict !== 'unsent' && verdict !== 'throttled' && verdict !== 'exhausted';
      unanswered = isAnswer ? 0 : unanswered + 1;
    },
    release: () => {
      isAsking = false;
    },
  };
}

const MOST_UNANSWERED = 3;

/** A fault of the server or of the network says nothing of the question: it is asked once more. */
function again(exchanges: readonly Exchange[]): ProbeRequest | null {
  const last = exchanges.at(-1);
  if (last === undefined || last.reading !== 'broken') return null;
  if (last.status !== null && last.status < 500) return null;
  const tries = exchanges.filter(({ request }) => isSame(request, last.request)).length;
  return tries < 2 ? last.request : null;
}

function isSame(a: ProbeRequest, b: ProbeRequest): boolean {
  return a.path === b.path && JSON.stringify(a.params) === JSON.stringify(b.params);
}
