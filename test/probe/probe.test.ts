import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/json/json.ts';
import type { ProbeExchange, Reading } from '../../src/probe/exchange.ts';
import { probe } from '../../src/probe/probe.ts';

const READINGS: Readonly<Record<number, Reading>> = {
  200: 'ok',
  400: 'refused',
  404: 'absent',
  500: 'broken',
};
const MAX_CALLS = 60;

describe('a probe of arbitrary responses', () => {
  it('a probe of arbitrary responses ends without an error', () => {
    const response = fc.record({
      status: fc.constantFrom(200, 200, 200, 400, 404, 500),
      body: fc.json(),
    });
    fc.assert(
      fc.property(fc.array(response, { minLength: 1 }), (responses) => {
        const exchanges: ProbeExchange[] = [];
        const upstream = { base_url: 'https://r.example/api' };
        for (let calls = 0; calls < MAX_CALLS; calls++) {
          const { request } = probe({ upstream, exchanges, hints: { queryParam: null, examples: [] } });
          if (request === null) return;
          const { status, body } = responses[calls % responses.length] ?? { status: 200, body: '{}' };
          const reading = READINGS[status] ?? 'broken';
          exchanges.push({ request, status, headers: {}, json: parseJson(body), text: body, reading });
        }
        expect.fail(`the probe sends more than ${MAX_CALLS} calls`);
      }),
      { numRuns: 20 },
    );
  });
});
