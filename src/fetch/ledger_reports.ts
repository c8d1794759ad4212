import { isBusy, type Ledger } from '../allowance/ledger.ts';
import type { Clock } from '../clock.ts';
import { bodyOf, type Reply } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { rateLimitResetMs } from '../dialect/headers.ts';
import type { Protocol } from '../dialect/protocol.ts';
import { type LimitReport, openReportedLimits } from '../dialect/reported_limits.ts';
import { FailedError } from '../errors.ts';
import type { Attempt, Verdict } from '../outcome.ts';
import { openBackoff } from './backoff.ts';
import { errorText } from './send.ts';

/** Records in the ledger what responses reveal about the key and the upstream's limits. */
export interface Reports {
  readonly isKeyAccepted: boolean;
  /**
   * Classifies the reply and starts to record it in the ledger. If the reply throttles the call, the verdict and the
   * ledger get the same pause.
   */
  observe(attempt: Attempt, reply: Reply, protocol: Protocol, inFlight: number): Verdict;
  /** Runs an action on the ledger after the earlier ones. If it fails, `written` rejects. */
  record(action: () => void): void;
  written(): Promise<void>;
}

export interface ReportParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly keyFingerprint: string;
  readonly dialect: Dialect;
  /** Returns the real time, even if the clock has been found to be wrong. */
  readonly realNow: () => number;
}

export function openReports({ ledger, clock, keyFingerprint, dialect, realNow }: ReportParts): Reports {
  const backoff = openBackoff();
  const limitsOf = openReportedLimits(dialect.limits);
  let keyHasWorked = ledger.hasKeyWorked(keyFingerprint);
  let isKeyAccepted = keyHasWorked;
  /** True after the ledger has recorded that the key works and the allowance is not exhausted. */
  let isSuccessRecorded = false;
  let written: Promise<void> = Promise.resolve();

  async function write({ verdict, rateResetMs, limits, sentAtMs, inFlight, nowMs }: Report): Promise<void> {
    await whenFree(clock, () => {
      if (verdict.is === 'throttled') ledger.pauseUntil(verdict.untilMs, nowMs);
      else if (rateResetMs !== null) ledger.pauseUntil(rateResetMs, nowMs);
      if (limits.pausedUntilMs !== null) ledger.pauseUntil(limits.pausedUntilMs, nowMs);
      if (limits.spacingMs > 0) ledger.reportSpacing(limits.spacingMs, nowMs);
      if (limits.quotas.length > 0) ledger.reportQuota({ quotas: limits.quotas, sentAtMs, inFlight }, nowMs);
      if (verdict.is === 'exhausted') ledger.exhaustedUntil(verdict.untilMs, nowMs);
      if (verdict.is === 'unauthorised') ledger.refuseKey(keyFingerprint, nowMs);
      if (verdict.is === 'ok' && !isSuccessRecorded) ledger.keyWorked(keyFingerprint);
    });
    if (ACCEPTED.has(verdict.is)) isKeyAccepted = true;
    if (verdict.is === 'exhausted') isSuccessRecorded = false;
    if (verdict.is === 'ok') isSuccessRecorded = keyHasWorked = true;
  }

  return {
    get isKeyAccepted() {
      return isKeyAccepted;
    },
    observe: ({ call, sentAt }, reply, protocol, inFlight) => {
      const nowMs = realNow();
      const body = bodyOf(reply);
      const classified = protocol.classify(call, reply, { nowMs, keyHasWorked }, body);
      const sentAtMs = Date.parse(sentAt);
      const verdict = backoff.observe(classified, sentAtMs, nowMs);
      const rateResetMs = rateLimitResetMs(reply.headers, nowMs);
      const limits = limitsOf({ ...reply, body }, nowMs);
      written = written.then(() => write({ verdict, rateResetMs, limits, sentAtMs, inFlight, nowMs }));
      // Callers that await `written` receive the error.
      written.catch(() => {});
      return verdict;
    },
    record: (action) => {
      written = written.then(() => whenFree(clock, action));
      written.catch(() => {});
    },
    written: () =>
      written.catch((error: unknown) => {
        throw new LedgerFailure(error);
      }),
  };
}

/** The upstream's limits, as reported in one response. */
interface Report {
  readonly verdict: Verdict;
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
export async function whenFree(clock: Clock, action: () => void): Promise<void> {
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
