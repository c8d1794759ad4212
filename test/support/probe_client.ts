import type { Hints } from '../../src/probe/beliefs.ts';
import type { ProbeExchange, ProbeRequest } from '../../src/probe/exchange.ts';
import { type ProbeStep, probe } from '../../src/probe/probe.ts';
import { probeCall, readReply, urlOfProbe } from '../../src/probe/probe_call.ts';

export const NO_HINTS: Hints = { queryParam: null, examples: [] };

export interface CompletedProbe extends ProbeStep {
  readonly exchanges: readonly ProbeExchange[];
}

/** Probes an upstream over HTTP without the engine. */
export async function probeAll(
  baseUrl: string,
  key: string,
  hints = NO_HINTS,
  maxCalls = 16,
): Promise<CompletedProbe> {
  const exchanges: ProbeExchange[] = [];
  const upstream = { base_url: baseUrl };
  for (;;) {
    const step = probe({ upstream, exchanges, hints, maxCalls });
    if (step.request === null || exchanges.length >= maxCalls) return { ...step, exchanges };
    exchanges.push(await send(new URL(baseUrl).origin, key, step.request));
  }
}

async function send(origin: string, key: string, request: ProbeRequest): Promise<ProbeExchange> {
  const url = String(urlOfProbe(origin, request));
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const body = Buffer.from(await response.arrayBuffer());
  const reply = { status: response.status, headers: Object.fromEntries(response.headers), body };
  return readReply(request, probeCall(request), reply, { nowMs: 0, keyHasWorked: true }).exchange;
}
