import { isBusy, type Slot } from '../allowance/ledger.ts';
import type { Call } from '../call.ts';
import { type Clock, isoTime } from '../clock.ts';
import type { Reply } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { rateLimitResetMs } from '../dialect/headers.ts';
import { type Language, languageOf } from '../dialect/language.ts';
import { type Endpoints, UnwritableUrl } from '../dialect/request.ts';
import { FailedError } from '../errors.ts';
import type { Attempt, Outcome, Verdict } from '../outcome.ts';
import { openBackoff } from './backoff.ts';
import type { CallIds } from './call_ids.ts';
import type { Connection } from './connection.ts';
import { openConnectionPool } from './connection_pool.ts';
import {
  type NoSlot,
  openRateLimiter,
  type RateLimiterOptions,
  type SendSlot,
  SLOT_TOLERANCE_MS,
} from './rate_limiter.ts';
import { describe, type Send } from './send.ts';

export type { NoSlot, SendSlot } from './rate_limiter.ts';

/** What fetch needs. */
export interface FetchParts extends Omit<RateLimiterOptions, 'pool'> {
  readonly dialect: Dialect;
  readonly endpoints: Endpoints;
  /** Used in place of the dialect: a probe's. */
  readonly language?: Language;
  readonly connections: readonly Connection[];
  readonly send: Send;
  readonly callIds: CallIds;
}

/** No byte of the request left; its unit was returned. */
export interface NotSent {
  readonly call: Call;
  /** The connection failed; null: the slot had passed. */
  readonly why: string | null;
}

export interface Fetch {
  /** Connections without a request. */
  readonly free: number;
  /** Until the key has been accepted once, one call at a time may be in flight: a rejected key costs one call. */
  readonly isKeyAccepted: boolean;
  /** Waits until the account may send: one to `most` slots with their units spent, or why there is none. */
  slots(most: number, signal: AbortSignal): Promise<readonly SendSlot[] | NoSlot>;
  /** Returns the unit of a slot that no call uses. */
  giveBack(slot: SendSlot): Promise<void>;
  /** The outcome of a call for which no URL can be written: it needs no slot; null: it can be sent. */
  unwritable(call: Call): Outcome | null;
  /** Exactly one HTTP attempt. */
  attempt(call: Call, slot: SendSlot): Promise<Attempt | NotSent>;
  /** What a stored attempt meant. Also records what it shows of the key and of the upstream's limits. */
  outcomeOf(attempt: Attempt): Outcome;
  /** Resolves when the ledger knows all that the outcomes so far showed. Rejects if it cannot be written. */
  reported(): Promise<void>;
}

/** One attempt for each call: a slot, a request, a response. */
export function openFetch(parts: FetchParts): Fetch {
  const { connections, send, callIds, ledger, clock } = parts;
  const language = parts.language ?? languageOf(parts.dialect, parts.endpoints);
  const pool = openConnectionPool(connections, clock);
  const limiter = openRateLimiter({ ...parts, pool });
  const reports = openReports(parts);

  async function giveBack(slot: Slot): Promise<void> {
    await whenFree(clock, () => ledger.giveBack(slot));
  }

  async function makeAttempt(call: Call, slot: SendSlot): Promise<Attempt | NotSent> {
    const url = language.urlOf(call);
    if (url instanceof UnwritableUrl) throw new TypeError(`no URL for this call: ${url.why}`);
    const sent = await send(slot.connection, url, slot.atMs + SLOT_TOLERANCE_MS);
    if (sent.is === 'missed' || sent.is === 'unsent') {
      await giveBack(slot);
      return { call, why: sent.is === 'unsent' ? sent.why : null };
    }
    const { sentAtMs, durationMs } = sent;
    const attempt = { callId: callIds.next(sentAtMs), call, sentAt: isoTime(sentAtMs), durationMs };
    if (sent.is === 'lost') return { ...attempt, status: sent.status, body: null, failure: sent.why };
    const { status, body, headers } = sent.reply;
    return { ...attempt, status, body, headers };
  }

  return {
    get free() {
      return pool.free;
    },
    get isKeyAccepted() {
      return reports.isKeyAccepted;
    },
    slots: limiter.slots,
    giveBack: async (slot) => {
      pool.giveBack(slot.connection);
      await giveBack(slot);
    },
    unwritable: (call) => {
      const url = language.urlOf(call);
      if (!(url instanceof UnwritableUrl)) return null;
      const nowMs = clock.now();
      const attempt = { callId: callIds.next(nowMs), call, sentAt: isoTime(nowMs), durationMs: 0 };
      return { ...attempt, status: null, body: null, verdict: { is: 'refused', why: url.why } };
    },
    attempt: async (call, slot) => {
      try {
        return await makeAttempt(call, slot);
      } finally {
        pool.giveBack(slot.connection);
      }
    },
    outcomeOf: (attempt) => {
      const { status, headers = {}, body, failure = 'no response came' } = attempt;
      if (status === null || body === null) return { ...attempt, verdict: { is: 'broken', why: failure } };
      return { ...attempt, verdict: reports.observe(attempt, { status, headers, body }, language) };
    },
    reported: reports.written,
  };
}

/** What responses show of the key and of the upstream's limits, on its way to the ledger. */
interface Reports {
  readonly isKeyAccepted: boolean;
  /** What the reply meant, for a throttle with the pause that the ledger takes. */
  observe(attempt: Attempt, reply: Reply, language: Language): Verdict;
  written(): Promise<void>;
}

function openReports({ ledger, clock, keyFingerprint }: FetchParts): Reports {
  const backoff = openBackoff();
  let keyHasWorked = ledger.hasKeyWorked(keyFingerprint);
  let isKeyAccepted = keyHasWorked;
  /** The ledger knows that the key works and that the allowance is not exhausted. */
  let isProven = false;
  let written: Promise<void> = Promise.resolve();

  async function write(verdict: Verdict, rateResetMs: number | null, nowMs: number): Promise<void> {
    await whenFree(clock, () => {
      if (verdict.is === 'throttled') ledger.pauseUntil(verdict.untilMs, nowMs);
      else if (rateResetMs !== null) ledger.pauseUntil(rateResetMs, nowMs);
      if (verdict.is === 'exhausted') ledger.exhaustedUntil(verdict.untilMs, nowMs);
      if (verdict.is === 'unauthorised') ledger.refuseKey(keyFingerprint, nowMs);
      if (verdict.is === 'ok' && !isProven) ledger.keyWorked(keyFingerprint);
    });
    if (ACCEPTED.has(verdict.is)) isKeyAccepted = true;
    if (verdict.is === 'exhausted') isProven = false;
    if (verdict.is === 'ok') isProven = keyHasWorked = true;
  }

  return {
    get isKeyAccepted() {
      return isKeyAccepted;
    },
    observe: ({ call, sentAt }, reply, language) => {
      const nowMs = clock.now();
      const meant = language.classify(call, reply, { nowMs, keyHasWorked });
      const verdict = backoff.observe(meant, Date.parse(sentAt), nowMs);
      const rateResetMs = rateLimitResetMs(reply.headers, nowMs);
      const isNews = verdict.is !== 'ok' || rateResetMs !== null || !isProven;
      if (isNews) {
        const before = written;
        written = before.then(() => write(verdict, rateResetMs, nowMs));
        // Whoever waits for `written` hears of the failure.
        written.catch(() => {});
      }
      return verdict;
    },
    written: () =>
      written.catch((error: unknown) => {
        throw new LedgerFailure(error);
      }),
  };
}

/** The ledger could not record what a response showed of limits. The response itself is stored. */
class LedgerFailure extends FailedError {
  constructor(cause: unknown) {
    super(`the ledger cannot be written: ${describe(cause)}`, {
      hint: 'Is its disk full, or the file read-only? Every response received is in the warehouse.',
      cause,
    });
  }
}

/** A busy ledger means "try again". */
async function whenFree(clock: Clock, action: () => void): Promise<void> {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error)) throw error;
      await clock.sleep(BUSY_WAIT_MS);
    }
  }
}

/** Verdicts that no upstream gives to a key that it does not know. */
const ACCEPTED = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
const BUSY_WAIT_MS = 20;
