import { isBusy, type Ledger } from '../allowance/ledger.ts';
import { CLOCK_REMEDY, CLOCK_TOLERANCE_MS, spanText } from '../allowance/ledger_clock.ts';
import { targetOf } from '../call.ts';
import type { Clock } from '../clock.ts';
import { bodyOf, type Reply } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { clockSkewMs, rateLimitResetMs } from '../dialect/headers.ts';
import type { Protocol } from '../dialect/protocol.ts';
import { type LimitReport, openReportedLimits, type ReadLimits } from '../dialect/reported_limits.ts';
import { MINUTE_MS } from '../durations.ts';
import { FailedError } from '../errors.ts';
import type { Attempt, Verdict } from '../outcome.ts';
import { errorText } from './send.ts';

interface ReportParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly keyFingerprint: string;
  readonly dialect: Dialect;
  /** Returns the real time, even if the clock has been found to be wrong. */
  readonly realNow: () => number;
}

/** Records in the ledger what responses reveal about the key and the upstream's limits. */
export class Reports {
  readonly #parts: ReportParts;
  readonly #limitsOf: ReadLimits;
  readonly #backoff = new Backoff();
  #keyHasWorked: boolean;
  #isKeyAccepted: boolean;
  #doubt: Doubt | null;
  /** True after the ledger has recorded that the key works and the allowance is not exhausted. */
  #isSuccessRecorded = false;
  #written: Promise<void> = Promise.resolve();

  constructor(parts: ReportParts) {
    this.#parts = parts;
    this.#limitsOf = openReportedLimits(parts.dialect.limits);
    const { hasWorked, doubtedTarget } = parts.ledger.keyState(parts.keyFingerprint);
    this.#keyHasWorked = hasWorked;
    this.#isKeyAccepted = hasWorked && doubtedTarget === null;
    this.#doubt = doubtedTarget === null ? null : { target: doubtedTarget, pausedUntilMs: 0 };
  }

  get isKeyAccepted(): boolean {
    return this.#isKeyAccepted;
  }

  /**
   * Classifies the reply and starts to record it in the ledger. If the reply throttles the call, the verdict and the
   * ledger get the same pause.
   */
  observe({ call, sentAt }: Attempt, reply: Reply, protocol: Protocol, inFlight: number): Verdict {
    const nowMs = this.#parts.realNow();
    const body = bodyOf(reply);
    const classified = protocol.classify(call, reply, { nowMs, keyHasWorked: this.#keyHasWorked }, body);
    const sentAtMs = Date.parse(sentAt);
    const paused = this.#backoff.observe(classified, sentAtMs, nowMs);
    const verdict =
      paused.is === 'unauthorised'
        ? this.#rejection(paused, `${call.kind} ${targetOf(call)}`, { sentAtMs, nowMs })
        : paused;
    if (verdict.is === 'ok') this.#doubt = null;
    const doubted = verdict.is === 'unauthorised' && verdict.isUnconfirmed ? this.#doubt : null;
    const rateResetMs = rateLimitResetMs(reply.headers, nowMs);
    const stated = this.#limitsOf({ ...reply, body }, nowMs);
    const measuredMs = verdict.is === 'throttled' ? this.#backoff.spacingMs : 0;
    const limits = { ...stated, spacingMs: Math.max(stated.spacingMs, measuredMs) };
    const report = { verdict, doubted, rateResetMs, limits, sentAtMs, inFlight, nowMs };
    this.#enqueue(() => this.#write(report));
    return verdict;
  }

  /** Runs an action on the ledger after the earlier ones. If it fails, `written` rejects. */
  record(action: () => void): void {
    this.#enqueue(() => retryWhileBusy(this.#parts.clock, action));
  }

  async written(): Promise<void> {
    try {
      await this.#written;
    } catch (error) {
      throw new LedgerFailure(error);
    }
  }

  #enqueue(write: () => Promise<void>): void {
    this.#written = this.#written.then(write);
    // Callers that await `written` receive the error.
    this.#written.catch(() => {});
  }

  /** Returns the verdict for a rejected key, which is unconfirmed if the key has worked and this is the first rejection. */
  #rejection(
    verdict: Verdict & { is: 'unauthorised' },
    target: string,
    { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number },
  ): Verdict {
    const doubt = this.#doubt;
    const isAgain = doubt !== null && doubt.target !== target && sentAtMs >= doubt.pausedUntilMs;
    if (!this.#keyHasWorked || isAgain) return verdict;
    this.#isKeyAccepted = false;
    this.#doubt ??= { target, pausedUntilMs: nowMs + CONFIRM_AFTER_MS };
    return { ...verdict, isUnconfirmed: true };
  }

  async #write(report: Report): Promise<void> {
    const { ledger, clock, keyFingerprint } = this.#parts;
    const { verdict, doubted, rateResetMs, limits, sentAtMs, inFlight, nowMs } = report;
    await retryWhileBusy(clock, () => {
      if (verdict.is === 'throttled') ledger.pauseUntil(verdict.untilMs, nowMs);
      else if (rateResetMs !== null) ledger.pauseUntil(rateResetMs, nowMs);
      if (limits.pausedUntilMs !== null) ledger.pauseUntil(limits.pausedUntilMs, nowMs);
      if (limits.spacingMs > 0) ledger.reportSpacing(limits.spacingMs, nowMs);
      if (limits.quotas.length > 0) ledger.reportQuota({ quotas: limits.quotas, sentAtMs, inFlight }, nowMs);
      if (verdict.is === 'exhausted') ledger.exhaustedUntil(verdict.untilMs, nowMs);
      if (verdict.is === 'unauthorised' && !verdict.isUnconfirmed) ledger.refuseKey(keyFingerprint, nowMs);
      if (doubted !== null) ledger.doubtKey(doubted.target, doubted.pausedUntilMs, nowMs);
      if (verdict.is === 'ok' && !this.#isSuccessRecorded) ledger.keyWorked(keyFingerprint);
    });
    if (ACCEPTED.has(verdict.is)) this.#isKeyAccepted = true;
    if (verdict.is === 'exhausted' || doubted !== null) this.#isSuccessRecorded = false;
    if (verdict.is === 'ok') this.#isSuccessRecorded = this.#keyHasWorked = true;
  }
}

/**
 * The first call that the upstream rejected although the key has worked. No call is sent before `pausedUntilMs`. Then a
 * call for another target shows whether the upstream rejects the key or only that target, or had failed.
 */
interface Doubt {
  readonly target: string;
  readonly pausedUntilMs: number;
}

/** The upstream's limits, as reported in one response. */
interface Report {
  readonly verdict: Verdict;
  /** The doubt if this response has left the key in doubt; null otherwise. */
  readonly doubted: Doubt | null;
  readonly rateResetMs: number | null;
  readonly limits: LimitReport;
  readonly sentAtMs: number;
  readonly inFlight: number;
  readonly nowMs: number;
}

/** The ledger could not record a limit from a response. The response itself is stored. */
class LedgerFailure extends FailedError {
  constructor(cause: unknown) {
    super(`the ledger cannot be written: ${errorText(cause)}`, {
      hint: 'Check whether its disk is full or the file is read-only. Every received response is in the warehouse.',
      cause,
    });
  }
}

/** Runs the action, retrying it while the ledger is busy. */
export async function retryWhileBusy(clock: Clock, action: () => void): Promise<void> {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error)) throw error;
      await clock.sleep(BUSY_WAIT_MS);
    }
  }
}

/** Verdicts that prove that the upstream accepts the key. */
const ACCEPTED = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
const BUSY_WAIT_MS = 20;
/** A gateway that restarts rejects valid keys for some seconds. */
const CONFIRM_AFTER_MS = MINUTE_MS;

/**
 * Doubles the pause after each throttled call, because every such call costs a unit. Between the first two throttled
 * calls, it measures the rate that the upstream accepts. Each later throttled call lowers this rate.
 */
export class Backoff {
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #throttledAtMs = Number.NEGATIVE_INFINITY;
  #throttles = 0;
  #served = 0;
  #spacingMs = 0;

  /** The shortest time between two calls that the upstream accepts; 0 if it is unknown. */
  get spacingMs(): number {
    return this.#spacingMs;
  }

  /**
   * Returns the verdict. After the n-th throttled call in a row, its pause lasts at least min(1 s · 2^(n−1), 15 min).
   */
  observe(verdict: Verdict, sentAtMs: number, nowMs: number): Verdict {
    if (verdict.is !== 'throttled') {
      // A call that was in flight when another one was throttled does not show that the upstream serves calls again.
      if (SERVED.has(verdict.is) && sentAtMs >= this.#pausedUntilMs) {
        this.#throttles = 0;
        this.#served += 1;
      }
      return verdict;
    }
    // Calls that were in flight at the same time are throttled together, so they count as one throttled call.
    if (sentAtMs >= this.#pausedUntilMs) {
      this.#throttles += 1;
      this.#measure(sentAtMs);
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#throttles - 1), MAX_PAUSE_MS);
    const untilMs = Math.max(verdict.untilMs, nowMs + pauseMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    return { ...verdict, untilMs, inARow: this.#throttles };
  }

  #measure(throttledAtMs: number): void {
    const elapsedMs = throttledAtMs - this.#throttledAtMs;
    if (this.#served > 0 && elapsedMs <= MAX_PAUSE_MS) {
      const spacingMs = this.#spacingMs > 0 ? this.#spacingMs : elapsedMs / this.#served;
      this.#spacingMs = Math.min(spacingMs * LONGER, MINUTE_MS);
    }
    this.#throttledAtMs = throttledAtMs;
    this.#served = 0;
  }
}

const SERVED = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
/** The factor by which calls are spaced further apart than the upstream seems to require. */
const LONGER = 1.05;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15 * MINUTE_MS;

interface ClockCheckOptions {
  /** False if the upstream's own clock is wrong (`upstream.check_clock`). */
  readonly checksClock: boolean;
  /** True if a user asked to accept this machine's clock unless a response contradicts it (`doctor --online`). */
  readonly trustsClock: boolean;
  /** Records in the ledger that the clock showed `nowMs` when the real time was `realMs`. */
  readonly setTime: (nowMs: number, realMs: number) => void;
}

/**
 * Compares the clock with the `Date` of every response. If they differ by more than the tolerance, the run ends. The
 * response then gets the time that the upstream states, so nothing is derived from the wrong time.
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
