import type { Clock } from './clock.ts';

export type Ending =
  | { readonly ended: 'done' | 'max_calls' | 'max_minutes' | 'interrupted' }
  /**
   * The account may not send another call before `resumesAtMs`, or never again if that is null. `why` is the upstream's
   * message, if the upstream reported an exhausted quota or requested a pause during the run. `isReported` is
   * true if it did so during the run or earlier.
   */
  | {
      readonly ended: 'allowance';
      readonly resumesAtMs: number | null;
      readonly why?: string;
      readonly isReported?: boolean;
    }
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

export interface EndBounds {
  /** The time in epoch milliseconds; Infinity if there is no bound. */
  readonly deadlineMs: number;
  /**
   * Aborts on Ctrl-C or SIGTERM. The run then waits for its in-flight calls and loads their responses before it ends.
   */
  readonly signal: AbortSignal;
}

/** Collects the causes that end a run. The first one counts, but drift replaces most others. */
export class RunEnd {
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal;
  readonly #overtime: { cancel(): void };
  readonly #interrupt = () => this.end({ ended: 'interrupted' });
  #ending: Ending | null = null;
  #failure: { readonly error: unknown } | null = null;
  #drift: string | null = null;
  #exhaustion: string | null = null;

  constructor({ deadlineMs, signal }: EndBounds, clock: Pick<Clock, 'now'>) {
    this.#outer = signal;
    signal.addEventListener('abort', this.#interrupt);
    if (signal.aborted) this.#interrupt();
    this.#overtime = startTimer(deadlineMs - clock.now(), () => this.end({ ended: 'max_minutes' }));
  }

  /** Aborts when the run ends. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the run. If it has already ended, the first ending stays. */
  end(how: Ending): void {
    this.#ending ??= how;
    this.#stop.abort();
  }

  /** Ends the run because of a defect or a file that cannot be written. A call's outcome never causes such an error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop.abort();
  }

  /** Records how the responses differ from the dialect; null if they match it. */
  drifted(why: string | null): void {
    this.#drift = why;
  }

  /** Records the upstream's message about an exhausted quota or a requested pause. */
  exhausted(why: string): void {
    this.#exhaustion = why;
  }

  /** Stops waiting for the deadline and for an interruption. */
  close(): void {
    this.#overtime.cancel();
    this.#outer.removeEventListener('abort', this.#interrupt);
    this.#stop.abort();
  }

  /** Returns how the run ended, or throws the error that ended it. */
  ending(): Ending {
    if (this.#failure !== null) throw this.#failure.error;
    const ended = this.#ending ?? { ended: 'done' };
    if (this.#drift !== null && !OUTRANKS_DRIFT.has(ended.ended)) return { ended: 'drift', why: this.#drift };
    return ended.ended === 'allowance' && this.#exhaustion !== null
      ? { ...ended, why: this.#exhaustion }
      : ended;
  }
}

/** Drift replaces every other ending, even if the run reached a limit or failed. */
const OUTRANKS_DRIFT: ReadonlySet<Ending['ended']> = new Set(['interrupted', 'unauthorised', 'drift']);

function startTimer(delayMs: number, action: () => void): { cancel(): void } {
  if (delayMs === Infinity) return { cancel: () => {} };
  const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
  return { cancel: () => clearTimeout(timer) };
}

/** A run in `_run`, as far as its ending is concerned. */
interface RecordedEnding {
  readonly command: string;
  /** Null if the run is in progress or was killed. */
  readonly ended: string | null;
  readonly error: string | null;
}

/** Returns why a run ended, with its error: `done`, `quota used up`, `failed: disk full`. */
export function runEnding(run: RecordedEnding, isRunning = false): string {
  const ending = shortEnding(run, isRunning);
  return run.error === null || run.ended === null ? ending : `${ending}: ${run.error}`;
}

/** Returns why a run ended, without its error. */
export function shortEnding(
  { command, ended }: Pick<RecordedEnding, 'command' | 'ended'>,
  isRunning = false,
): string {
  if (ended === null) return isRunning ? 'running' : 'killed';
  // A backfill leaves the allowance's reserve.
  if (ended === 'allowance' && command === 'backfill') return 'quota for backfills used up';
  return ENDINGS[ended]?.words ?? ended.replaceAll('_', ' ');
}

/** Returns whether the run ended for a reason that needs attention. */
export function hasFailed({ ended }: Pick<RecordedEnding, 'ended'>): boolean {
  return ended !== null && ENDINGS[ended]?.means === 'failed';
}
