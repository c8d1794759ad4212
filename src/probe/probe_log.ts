import type { Protocol } from '../dialect/protocol.ts';
import { endpointsOf, UnwritableUrl, type UpstreamAddress } from '../dialect/request.ts';
import { type Attempt, isIncomplete, type Outcome } from '../outcome.ts';
import type { ProbeExchange, ProbeRequest } from './exchange.ts';
import { isProbeCall, probeCall, probeOfTarget, readReply, targetOfProbe, urlOfProbe } from './probe_call.ts';
import type { ProbeLog } from './probe_planner.ts';

/** A stored request from an earlier probe, with its response. */
export interface KeptProbe {
  readonly callId: number;
  readonly target: string;
  readonly why: string;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer | null;
}

/** All of a probe's requests and responses, including those from earlier runs, and the protocol for its calls. */
export interface OpenProbeLog extends ProbeLog {
  readonly protocol: Protocol;
  /** Returns the text that represents a request in `_call.target`. */
  targetOf(attempt: Attempt): string;
  note(outcome: Outcome): void;
}

/** Opens the probe log for one host. Stored requests to other hosts are ignored. */
export function openProbeLog(upstream: UpstreamAddress, kept: readonly KeptProbe[]): OpenProbeLog {
  const { origin } = new URL(upstream.base_url);
  const template = endpointsOf(upstream).search;
  const exchanges: ProbeExchange[] = [];
  const add = (request: ProbeRequest, { callId, ...response }: Omit<KeptProbe, 'target' | 'why'>) => {
    exchanges.push({ ...exchangeOf(request, response), callId });
  };
  for (const { target, why, ...stored } of kept) {
    const request = probeOfTarget({ origin, template }, target, why);
    if (request !== null) add(request, stored);
  }
  return {
    exchanges,
    protocol: {
      urlOf: (call) =>
        isProbeCall(call)
          ? urlOfProbe(origin, call.probe)
          : new UnwritableUrl('a probe sends only its own calls'),
      classify: (...given) => readProbe(...given).verdict,
    },
    targetOf: ({ call }) => (isProbeCall(call) ? targetOfProbe(origin, call.probe) : ''),
    note: ({ call, callId, status, headers, ...outcome }) => {
      const body = isIncomplete(outcome) ? null : outcome.body;
      if (isProbeCall(call)) add(call.probe, { callId, status, headers: headers ?? {}, body });
    },
  };
}

function readProbe(...[call, ...given]: Parameters<Protocol['classify']>) {
  if (!isProbeCall(call)) throw new TypeError('Only a probe call can be classified without a dialect');
  return readReply(call.probe, call, ...given);
}

/** Reads a response to a probe's request. A request without a complete response is broken. */
function exchangeOf(
  request: ProbeRequest,
  { status, headers, body }: Pick<KeptProbe, 'status' | 'headers' | 'body'>,
): ProbeExchange {
  if (status === null || body === null)
    return { request, status: null, headers: {}, json: undefined, text: '', reading: 'broken' };
  const reply = { status, headers, body };
  return readReply(request, probeCall(request), reply, { nowMs: 0, keyHasWorked: true }).exchange;
}
