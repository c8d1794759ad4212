import type { StatedDialect } from '../../src/dialect/dialect.ts';
import type { UpstreamAddress } from '../../src/dialect/request.ts';
import type { ProbeExchange, ProbeRequest } from '../../src/probe/exchange.ts';
import { probe } from '../../src/probe/probe.ts';
import { questionsFor } from '../../src/probe/report.ts';

export const MAX_CALLS = 16;

/** Probes an API that is a function, and returns what the probe believes at its end. */
export function probedWith(
  replyTo: (
    request: ProbeRequest,
  ) => Pick<ProbeExchange, 'status' | 'json'> & Partial<Pick<ProbeExchange, 'headers' | 'text'>>,
  paths: NonNullable<UpstreamAddress['paths']> = {},
  baseUrl = 'https://r.example/api',
  dialect: StatedDialect = {},
  queryParam: string | null = null,
) {
  const exchanges: ProbeExchange[] = [];
  for (;;) {
    const step = probe({
      upstream: { base_url: baseUrl, paths },
      exchanges,
      maxCalls: MAX_CALLS,
      hints: { queryParam, examples: [], dialect },
    });
    const { request } = step;
    const searches = exchanges.map(({ request: sent }) => sent).filter(({ kind }) => kind === 'search');
    if (request === null || exchanges.length >= MAX_CALLS)
      return {
        ...step.beliefs,
        searches,
        calls: exchanges.length,
        questions: questionsFor(step.beliefs, exchanges),
      };
    const { status, json, headers = {}, text = JSON.stringify(json) ?? '' } = replyTo(request);
    const isBroken = status === null || status >= 500;
    const reading = status === 200 ? 'ok' : status === 404 ? 'absent' : isBroken ? 'broken' : 'refused';
    const exchange: ProbeExchange = {
      request,
      status,
      json,
      headers,
      text,
      reading,
    };
    exchanges.push(exchange, ...(isBroken ? [exchange] : []));
  }
}
