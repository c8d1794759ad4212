import type { Exchange, ProbeRequest } from '../../src/probe/evidence.ts';
import { type Hints, type Probing, probe } from '../../src/probe/probe.ts';
import { probeCall, readReply, urlOfProbe } from '../../src/probe/probe_call.ts';

export const NOTHING_TOLD: Hints = { queryParam: null, examples: [] };

export interface Asking extends Probing {
  readonly exchanges: readonly Exchange[];
}

/** Probes an upstream over HTTP, question by question, without the engine around it. */
export async function askAll(baseUrl: string, key: string, hints = NOTHING_TOLD, most = 16): Promise<Asking> {
  const exchanges: Exchange[] = [];
  const upstream = { base_url: baseUrl };
  for (;;) {
    const probing = probe({ upstream, exchanges, hints });
    if (probing.ask === null || exchanges.length >= most) return { ...probing, exchanges };
    exchanges.push(await ask(new URL(baseUrl).origin, key, probing.ask));
  }
}

async function ask(origin: string, key: string, request: ProbeRequest): Promise<Exchange> {
  const response = await fetch(urlOfProbe(origin, request), { headers: { authorization: `Bearer ${key}` } });
  const body = Buffer.from(await response.arrayBuffer());
  const reply = { status: response.status, headers: Object.fromEntries(response.headers), body };
  return readReply(request, probeCall(request), reply, { nowMs: 0, keyHasWorked: true }).exchange;
}
