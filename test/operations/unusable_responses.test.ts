import { expect, it } from 'vitest';
import { configFrom } from '../../src/config/load_config.ts';
import { explainedEnding } from '../../src/operations/unusable_responses.ts';
import type { Outcome, Verdict } from '../../src/outcome.ts';
import { EMPTY_TOTALS } from '../../src/run_totals.ts';
import { dialectWith } from '../support/loader_dialect.ts';

const config = configFrom({
  version: 1,
  upstream: { base_url: 'http://registry.example/api', api_key: 'a-key-of-a-test' },
  allowance: { unlimited: true },
  dialect: dialectWith(),
});
const totals = { ...EMPTY_TOTALS, calls: 1 };

function statistics(verdict: Verdict, status = 400): Outcome {
  const call = { kind: 'stats', reason: '', expected: 0 } as const;
  return { callId: 1, call, sentAt: '', durationMs: 0, status, body: null, verdict };
}

it('a sync without any usable response is reported as failed, even if the upstream rejected every call', () => {
  const lastUnusable = statistics({ is: 'refused', why: 'HTTP 400' });
  const ending = { ended: 'done' } as const;
  expect(
    explainedEnding(ending, { config, totals, lastUnusable, rejection: null, foundNothing: true }),
  ).toEqual({
    ended: 'failed',
    why: 'no response could be used: HTTP 400 (http://registry.example/api/registry/stats). Check upstream.base_url, then run `registry-mirror probe --check`',
  });
  expect(
    explainedEnding(ending, { config, totals, lastUnusable, rejection: null, foundNothing: false }),
  ).toEqual(ending);
  expect(
    explainedEnding(ending, { config, totals, lastUnusable: null, rejection: null, foundNothing: true }),
  ).toEqual(ending);
});
