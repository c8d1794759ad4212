import type { Clock } from './clock.ts';

export type Ending =
  | { readonly ended: 'done' | 'max_calls' | 'max_minutes' | 'interrupted' }
  /**
   * The account may not send another call before `resumesAtMs`, or never again if that is null. `why` is the upstream's
   * message, if the upstream reported an exhausted quota or requested a pause during the run.
   */
  | { readonly ended: 'allowance'; readonly resumesAtMs: number | null; readonly why?: string }
  | { readonly ended: 'unauthorised' | 'drift' | 'failed'; readonly why: string };

/**
 * The values of `_run.ended`: in words, and what they mean. After `paused` and `interrupted`, the next run continues.
 * `failed` needs attention.
 */
export const ENDINGS: Readonly<Record<string, RunEnding>> = {
  done: { words: 'done', means: 'finished' },
  allowance: { words: 'quota used up', means: 'paused' },
  max_calls: { words: 'call limit', means: 'paused' },
  max_minutes: { words: 'time limit', means: 'paused' },
  interrupted: { words: 'interrupted', means: 'interrupted' },
  stood_aside: { words: 'paused for a scheduled run', means: 'interrupted' },
  unauthorised: { words: 'key refused', means: 'failed' },
  drift: { words: 'upstream changed', means: 'failed' },
  failed: { words: 'failed', means: 'failed' },
};

interface RunEnding {
  readonly words: string;
  readonly means: 'finished' | 'paused' | 'interrupted' | 'failed';
}

export interface RunEnd {
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
  /** Ends the run. If it has already ended, the first ending stays. */
  end(how: Ending): void;
  /** Ends the run because of a defect or a file that cannot be written. A call's outcome never causes such an error. */
  fail(error: unknown): void;
  /** Records how the responses differ from the dialect; null if they match it. */
  drifted(why: string | null): void;
  /** Records the upstream's message about an exhausted quota or a requested pause. */
  exhausted(why: string): void;
  /** Stops waiting for the deadline and for an interruption. */
  close(): void;
  /** Returns how the run ended, or throws the error that ended it. */
  ending(): Ending;
}

export interface EndBounds {
  /** The time in epoch milliseconds; Infinity if there is no bound. */
  readonly deadlineMs: number;
  /**
   * Aborts on Ctrl-C or SIGTERM. The run then waits for its in-flight calls and loads their responses before it ends.
   */
  readonly signal: AbortSignal;
}

export function openRunEnd({ deadlineMs, signal }: EndBounds, clock: Pick<Clock, 'now'>): RunEnd {
  const stop = new AbortController();
  let ending = null as Ending | null;
  let failure = null as { readonly error: unknown } | null;
  let drift: string | null = null;
  let exhaustion: string | null = null;

  const interrupt = () => end({ ended: 'interrupted' });
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const overtime = startTimer(deadlineMs - clock.now(), () => end({ ended: 'max_minutes' }));

  function end(how: Ending): void {
    ending ??= how;
    stop.abort();
  }

  return {
    signal: stop.signal,
    end,
    fail: (error) => {
      failure ??= { error };
      stop.abort();
    },
    drifted: (why) => {
      drift = why;
    },
    exhausted: (why) => {
      exhaustion = why;
    },
    close: () => {
      overtime.cancel();
      signal.removeEventListener('abort', interrupt);
      stop.abort();
    },
    ending: () => {
      if (failure !== null) throw failure.error;
      const ended = ending ?? { ended: 'done' };
      if (drift !== null && !OUTRANKS_DRIFT.has(ended.ended)) return { ended: 'drift', why: drift };
      return ended.ended === 'allowance' && exhaustion !== null ? { ...ended, why: exhaustion } : ended;
    },
  };
}

/** Drift replaces every other ending, even if the run reached a limit or failed. */
const OUTRANKS_DRIFT: ReadonlySet<Ending['ended']> = new Set(['interrupted', 'unauthorised', 'drift']);

function startTimer(delayMs: number, action: () => void): { cancel(): void } {
  if (delayMs === Infinity) return { cancel: () => {} };
  const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
  return { cancel: () => clearTimeout(timer) };
}
