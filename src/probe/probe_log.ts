import type { Protocol } from '../dialect/protocol.ts';
import { endpointsOf, UnwritableUrl, type UpstreamAddress } from '../dialect/request.ts';
import { type Attempt, isIncomplete, type Outcome } from '../outcome.ts';
import type { ProbeExchange } from './exchange.ts';
import { isProbeCall, probeOfTarget, readReply, targetOfProbe, urlOfProbe } from './probe_call.ts';
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
  const add = (callId: number, exchange: ProbeExchange | null) => {
    if (exchange !== null) exchanges.push({ ...exchange, callId });
  };
  for (const probe of kept) add(probe.callId, readKept({ origin, template }, probe));
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
    note: (outcome) => add(outcome.callId, exchangeOf(outcome)),
  };
}

function readProbe(...[call, ...given]: Parameters<Protocol['classify']>) {
  if (!isProbeCall(call)) throw new TypeError('Only a probe call can be classified without a dialect');
  return readReply(call.probe, call, ...given);
}

/** Converts an outcome into an exchange. Returns null if it is not of a probe call. */
function exchangeOf(outcome: Outcome): ProbeExchange | null {
  const { call, status, headers, body, sentAt } = outcome;
  if (!isProbeCall(call)) return null;
  if (status === null || body === null || isIncomplete(outcome)) return withoutResponse(call.probe);
  const reply = { status, headers: headers ?? {}, body };
  return readReply(call.probe, call, reply, { nowMs: Date.parse(sentAt), keyHasWorked: true }).exchange;
}

function readKept(
  at: Parameters<typeof probeOfTarget>[0],
  { target, why, status, headers, body }: KeptProbe,
): ProbeExchange | null {
  const request = probeOfTarget(at, target, why);
  if (request === null) return null;
  if (status === null || body === null) return withoutResponse(request);
  const call = { kind: 'stats', reason: '', expected: 0 } as const;
  return readReply(request, call, { status, headers, body }, { nowMs: 0, keyHasWorked: true }).exchange;
}

function withoutResponse(request: ProbeExchange['request']): ProbeExchange {
  return { request, status: null, headers: {}, json: undefined, text: '', reading: 'broken' };
}
