import type { Call } from '../call.ts';
import type { Planner } from '../planner.ts';

/** Plans a single call, once, to check whether the upstream responds. */
export function planSingleCall(call: Call): Planner {
  let isPlanned = false;
  return {
    next: ({ most }) => {
      const calls = isPlanned || most < 1 ? [] : [call];
      isPlanned = isPlanned || calls.length > 0;
      return { calls, wakeAtMs: null, drift: null };
    },
    learn: () => {},
    release: () => {
      isPlanned = false;
    },
  };
}
