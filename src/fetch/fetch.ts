import type { Slot } from '../allowance/ledger.ts';
import type { Call } from '../call.ts';
import { isoTime } from '../clock.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Protocol, protocolOf } from '../dialect/protocol.ts';
import { type Endpoints, UnwritableUrl } from '../dialect/request.ts';
import { type Attempt, isIncomplete, isTooLarge, type Outcome } from '../outcome.ts';
import type { CallIds } from './call_ids.ts';
import { ClockCheck } from './clock_check.ts';
import type { Connection } from './connection.ts';
import { openConnectionPool } from './connection_pool.ts';
import { openReports, whenFree } from './ledger_reports.ts';
import {
  type NoSlot,
  openRateLimiter,
  type RateLimiterOptions,
  type SendSlot,
  SLOT_TOLERANCE_MS,
} from './rate_limiter.ts';
import type { Send } from './send.ts';

export type { NoSlot, SendSlot } from './rate_limiter.ts';

interface FetchParts extends Omit<RateLimiterOptions, 'pool'> {
  readonly dialect: Dialect;
  readonly endpoints: Endpoints;
  /** A probe's protocol, used instead of the dialect's protocol. */
  readonly protocol?: Protocol;
  readonly connections: readonly Connection[];
  readonly send: Send;
  readonly callIds: CallIds;
  /** False if the upstream's own clock is wrong (`upstream.check_clock`). Default: true. */
  readonly checksClock?: boolean;
}

/** The call was not sent: no byte left the machine, and the unit was returned. */
export interface NotSent {
  readonly call: Call;
  /** The connection error; null if the slot had expired. */
  readonly why: string | null;
}

export interface Fetch {
  /** The number of connections that carry no request. */
  readonly free: number;
  /**
   * False until the upstream has accepted the key. Until then, only one call at a time may be in flight, so that a
   * rejected key costs only one call.
   */
  readonly isKeyAccepted: boolean;
  /** Why the run must end because the clock differs from the upstream's; null if it does not. */
  readonly clockFault: string | null;
  /**
   * Waits until the account may send. Resolves with one to `maxCount` slots, with their units already spent, or with
   * the reason if there is no slot.
   */
  slots(maxCount: number, signal: AbortSignal): Promise<readonly SendSlot[] | NoSlot>;
  /** Gives back the unit spent on a slot that no call uses. */
  giveBack(slot: SendSlot): Promise<void>;
  /**
   * Returns the outcome if a call cannot be sent because it has no valid URL, or null if it can be sent. A call without
   * a valid URL needs no slot.
   */
  unwritable(call: Call): Outcome | null;
  /** Makes exactly one HTTP attempt. */
  attempt(call: Call, slot: SendSlot): Promise<Attempt | NotSent>;
  /**
   * Classifies a stored attempt. Reports to the ledger what the response reveals about the key and the upstream's
   * limits.
   */
  outcomeOf(attempt: Attempt): Outcome;
  /** Resolves when the ledger has recorded all reports. Rejects if the ledger cannot be written. */
  reported(): Promise<void>;
}

/** Makes one attempt for each call: take a slot, send the request, receive the response. */
export function openFetch(parts: FetchParts): Fetch {
  const { connections, send, callIds, ledger, clock } = parts;
  const protocol = parts.protocol ?? protocolOf(parts.dialect, parts.endpoints);
  const pool = openConnectionPool(connections, clock);
  const limiter = openRateLimiter({ ...parts, pool });
  const clockCheck = new ClockCheck({
    checksClock: parts.checksClock ?? true,
    trustsClock: parts.trustsClock ?? false,
    setTime: (nowMs, realMs) => reports.record(() => ledger.setTime(nowMs, realMs)),
  });
  const reports = openReports({ ...parts, realNow: () => clock.now() - clockCheck.offsetMs });

  /** The number of units spent on calls whose responses have not been classified yet. */
  let inFlight = 0;

  async function giveBack(slot: Slot): Promise<void> {
    inFlight -= 1;
    await whenFree(clock, () => ledger.giveBack(slot));
  }

  async function makeAttempt(call: Call, slot: SendSlot): Promise<Attempt | NotSent> {
    const url = protocol.urlOf(call);
    if (url instanceof UnwritableUrl) throw new TypeError(`this call has no valid URL: ${url.why}`);
    const sentAfter = callIds.last;
    const sent = await send(slot.connection, url, slot.atMs + SLOT_TOLERANCE_MS);
    if (sent.is === 'missed' || sent.is === 'unsent') {
      await giveBack(slot);
      return { call, why: sent.is === 'unsent' ? sent.why : null };
    }
    const { durationMs } = sent;
    if (sent.is === 'reply') clockCheck.observe(sent.reply.headers, sent.sentAtMs + durationMs);
    const sentAtMs = sent.sentAtMs - clockCheck.offsetMs;
    if (clockCheck.offsetMs !== 0) reports.record(() => ledger.redate(slot, sentAtMs));
    const attempt = {
      callId: callIds.next(sentAtMs),
      call,
      sentAt: isoTime(sentAtMs),
      sentAfter,
      durationMs,
    };
    if (sent.is === 'lost')
      return { ...attempt, status: sent.status, body: null, ...sent.reply, failure: sent.why };
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
    get clockFault() {
      return clockCheck.fault;
    },
    slots: async (maxCount, signal) => {
      const slots = await limiter.slots(maxCount, signal);
      if (!('is' in slots)) inFlight += slots.length;
      return slots;
    },
    giveBack: async (slot) => {
      pool.giveBack(slot.connection);
      await giveBack(slot);
    },
    unwritable: (call) => {
      const url = protocol.urlOf(call);
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
      const { status, headers = {}, body, failure = 'no response arrived' } = attempt;
      inFlight -= 1;
      if (isTooLarge(attempt))
        return { ...attempt, verdict: { is: 'broken', why: failure, isLasting: true } };
      if (status === null || body === null || isIncomplete(attempt))
        return { ...attempt, verdict: { is: 'broken', why: failure } };
      return { ...attempt, verdict: reports.observe(attempt, { status, headers, body }, protocol, inFlight) };
    },
    reported: reports.written,
  };
}
