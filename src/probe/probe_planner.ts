import type { UpstreamAddress } from '../dialect/request.ts';
import type { Plan, Planner } from '../planner.ts';
import type { Hints } from './beliefs.ts';
import { isSameRequest, type ProbeExchange, type ProbeRequest } from './exchange.ts';
import { probe } from './probe.ts';
import { probeCall } from './probe_call.ts';

/** All of a probe's requests and their responses. The list becomes longer while the engine runs. */
export interface ProbeLog {
  readonly exchanges: readonly ProbeExchange[];
}

/**
 * Opens a planner that sends one request at a time, choosing each request on the basis of all earlier responses. The
 * planner ends when no further request is justified, or after three consecutive calls without a response.
 */
export function openProbePlanner(options: {
  readonly upstream: UpstreamAddress;
  readonly hints: Hints;
  readonly probeLog: ProbeLog;
  /** The maximum number of calls in this run, or Infinity for no limit. */
  readonly maxCalls: number;
}): Planner {
  const { upstream, hints, probeLog } = options;
  const maxCalls = probeLog.exchanges.length + options.maxCalls;
  let isInFlight = false;
  let withoutResponse = 0;
  return {
    next: (): Plan => {
      const idle = { calls: [], wakeAtMs: null, drift: null };
      if (isInFlight || withoutResponse >= MAX_WITHOUT_RESPONSE) return idle;
      const { exchanges } = probeLog;
      const request = failedRequest(exchanges) ?? probe({ upstream, exchanges, hints, maxCalls }).request;
      if (request === null) return idle;
      isInFlight = true;
      return { ...idle, calls: [probeCall(request)] };
    },
    learn: ({ verdict }) => {
      isInFlight = false;
      const hasResponse = verdict !== 'throttled' && verdict !== 'exhausted';
      withoutResponse = hasResponse ? 0 : withoutResponse + 1;
    },
    release: () => {
      isInFlight = false;
    },
  };
}

const MAX_WITHOUT_RESPONSE = 3;

/**
 * Returns the last request if it failed with a server or network error, otherwise null. A request is sent at most twice.
 * If the second one fails too, later requests with the same error are sent once, because it may be how the API refuses.
 */
function failedRequest(exchanges: readonly ProbeExchange[]): ProbeRequest | null {
  const last = exchanges.at(-1);
  if (last === undefined || last.reading !== 'broken') return null;
  if (last.status !== null && last.status < 500) return null;
  const isAgain = exchanges.some(
    ({ status, request }, at) =>
      status === last.status &&
      at > 0 &&
      isSameRequest(request, (exchanges[at - 1] as ProbeExchange).request),
  );
  return isAgain ? null : last.request;
}
