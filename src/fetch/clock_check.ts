import { CLOCK_REMEDY, CLOCK_TOLERANCE_MS, spanText } from '../allowance/ledger_clock.ts';
import { clockSkewMs } from '../dialect/headers.ts';
import { MINUTE_MS } from '../durations.ts';
import type { Attempt } from '../outcome.ts';

interface ClockCheckOptions {
  /** False if the upstream's own clock is wrong (`upstream.check_clock`). */
  readonly checksClock: boolean;
  /** True if a user asked to accept this machine's clock unless a response contradicts it (`doctor --online`). */
  readonly trustsClock: boolean;
  /** Records in the ledger that the clock showed `nowMs` when the real time was `realMs`. */
  readonly setTime: (nowMs: number, realMs: number) => void;
}

/**
 * Compares the clock with the `Date` of every response. If they differ by more than the tolerance, the run ends, and the
 * response gets the time that the upstream states, so that nothing is derived from the wrong time.
 */
export class ClockCheck {
  readonly #options: ClockCheckOptions;
  #offsetMs = 0;
  #confirmedAtMs: number | null = null;

  constructor(options: ClockCheckOptions) {
    this.#options = options;
  }

  /** The clock's time minus the real time; 0 if the clock is right. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Why the run must end; null if the clock is right. */
  get fault(): string | null {
    if (this.#offsetMs === 0) return null;
    const by = spanText(Math.abs(this.#offsetMs));
    const side = this.#offsetMs > 0 ? 'ahead of' : 'behind';
    return `this machine's clock is ${by} ${side} the upstream's clock (Date of the last response). ${CLOCK_REMEDY}. If the upstream's clock is wrong, set upstream.check_clock to false`;
  }

  /** Compares the clock with the headers of a response that arrived at `receivedAtMs`. */
  observe(headers: Attempt['headers'], receivedAtMs: number): void {
    const { checksClock, trustsClock, setTime } = this.#options;
    const skewMs = checksClock ? clockSkewMs(headers, receivedAtMs) : null;
    if (skewMs === null) {
      if (trustsClock) setTime(receivedAtMs, receivedAtMs);
      return;
    }
    const isRight = Math.abs(skewMs) <= CLOCK_TOLERANCE_MS;
    this.#offsetMs = isRight ? 0 : skewMs;
    const sinceMs = Math.abs(receivedAtMs - (this.#confirmedAtMs ?? Number.NEGATIVE_INFINITY));
    if (isRight && sinceMs < CONFIRMED_EVERY_MS) return;
    this.#confirmedAtMs = isRight ? receivedAtMs : null;
    setTime(receivedAtMs - this.#offsetMs, receivedAtMs - skewMs);
  }
}

const CONFIRMED_EVERY_MS = MINUTE_MS;
