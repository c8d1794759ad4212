import { type Call, targetOf } from '../../src/call.ts';
import { type LoadResult, noChange } from '../../src/load_result.ts';

/** The result of a call that returned HTTP 500, with the time of its next try. */
export function failedCall(call: Call, nextTryAtMs: number, tries = 1): LoadResult {
  const target = { kind: call.kind, target: targetOf(call) };
  const failure = { ...target, tries, step: tries, nextTryAtMs, why: 'HTTP 500' };
  return { ...noChange({ call, verdict: { is: 'broken' } }), failure };
}
