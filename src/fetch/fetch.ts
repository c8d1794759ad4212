import type { Ledger, Slot } from '../allowance/ledger.ts';
import type { Call } from '../call.ts';
import { type Clock, isoTime } from '../clock.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Protocol, protocolOf } from '../dialect/protocol.ts';
import { type Endpoints, UnwritableUrl } from '../dialect/request.ts';
import { type Attempt, isIncomplete, isTooLarge, type Outcome } from '../outcome.ts';
import type { Connection } from './connection.ts';
import { ConnectionPool } from './connection_pool.ts';
import { ClockCheck, Reports, retryWhileBusy } from './ledger_reports.ts';
import {
  type NoSlot,
  RateLimiter,
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

/** Makes one attempt for each call: take a slot, send the request, receive the response. */
export class Fetch {
  readonly #send: Send;
  readonly #callIds: CallIds;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #protocol: Protocol;
  readonly #pool: ConnectionPool;
  readonly #limiter: RateLimiter;
  readonly #clockCheck: ClockCheck;
  readonly #reports: Reports;
  /** The number of units spent on calls whose responses have not been classified yet. */
  #inFlight = 0;

  constructor(parts: FetchParts) {
    const { ledger, clock } = parts;
    this.#send = parts.send;
    this.#callIds = parts.callIds;
    this.#ledger = ledger;
    this.#clock = clock;
    this.#protocol = parts.protocol ?? protocolOf(parts.dialect, parts.endpoints);
    this.#pool = new ConnectionPool(parts.connections, clock);
    this.#limiter = new RateLimiter({ ...parts, pool: this.#pool });
    this.#clockCheck = new ClockCheck({
      checksClock: parts.checksClock ?? true,
      trustsClock: parts.trustsClock ?? false,
      setTime: (nowMs, realMs) => this.#reports.record(() => ledger.setTime(nowMs, realMs)),
    });
    this.#reports = new Reports({ ...parts, realNow: () => clock.now() - this.#clockCheck.offsetMs });
  }

  /** The number of connections that carry no request. */
  get free(): number {
    return this.#pool.free;
  }

  /**
   * False until the upstream has accepted the key. Until then, only one call at a time may be in flight, so that a
   * rejected key costs only one call.
   */
  get isKeyAccepted(): boolean {
    return this.#reports.isKeyAccepted;
  }

  /** Why the run must end because the clock differs from the upstream's; null if it does not. */
  get clockFault(): string | null {
    return this.#clockCheck.fault;
  }

  /**
   * Waits until the account may send. Resolves with one to `maxCount` slots, with their units already spent, or with
   * the reason if there is no slot.
   */
  async slots(maxCount: number, signal: AbortSignal): Promise<readonly SendSlot[] | NoSlot> {
    const slots = await this.#limiter.slots(maxCount, signal);
    if (!('is' in slots)) this.#inFlight += slots.length;
    return slots;
  }

  /** Gives back the units spent on slots that no call uses. */
  async giveBack(slots: readonly SendSlot[]): Promise<void> {
    for (const { connection } of slots) this.#pool.giveBack(connection);
    await this.#returnUnits(slots);
  }

  /**
   * Returns the outcome if a call cannot be sent because it has no valid URL, or null if it can be sent. A call without
   * a valid URL needs no slot.
   */
  unwritable(call: Call): Outcome | null {
    const url = this.#protocol.urlOf(call);
    if (!(url instanceof UnwritableUrl)) return null;
    const sentAt = isoTime(this.#clock.now());
    const attempt = { callId: this.#callIds.next(), call, sentAt, durationMs: 0 };
    return { ...attempt, status: null, body: null, verdict: { is: 'refused', why: url.why } };
  }

  /** Makes exactly one HTTP attempt. */
  async attempt(call: Call, slot: SendSlot): Promise<Attempt | NotSent> {
    try {
      return await this.#makeAttempt(call, slot);
    } finally {
      this.#pool.giveBack(slot.connection);
    }
  }

  /**
   * Classifies a stored attempt. Reports to the ledger what the response reveals about the key and the upstream's
   * limits.
   */
  outcomeOf(attempt: Attempt): Outcome {
    const { status, headers = {}, body, failure = 'no response arrived' } = attempt;
    this.#inFlight -= 1;
    if (isTooLarge(attempt)) return { ...attempt, verdict: { is: 'broken', why: failure, isLasting: true } };
    if (status === null || body === null || isIncomplete(attempt))
      return { ...attempt, verdict: { is: 'broken', why: failure } };
    const reply = { status, headers, body };
    const verdict = this.#reports.observe(attempt, reply, this.#protocol, this.#inFlight);
    return { ...attempt, verdict };
  }

  /** Resolves when the ledger has recorded all reports. Rejects if the ledger cannot be written. */
  reported(): Promise<void> {
    return this.#reports.written();
  }

  async #makeAttempt(call: Call, slot: SendSlot): Promise<Attempt | NotSent> {
    const url = this.#protocol.urlOf(call);
    if (url instanceof UnwritableUrl) throw new TypeError(`this call has no valid URL: ${url.why}`);
    const sentAfter = this.#callIds.last;
    const sent = await this.#send(slot.connection, url, slot.atMs + SLOT_TOLERANCE_MS);
    if (sent.is === 'missed' || sent.is === 'unsent') {
      await this.#returnUnits([slot]);
      return { call, why: sent.is === 'unsent' ? sent.why : null };
    }
    const { durationMs } = sent;
    const clockCheck = this.#clockCheck;
    if (sent.is === 'reply') clockCheck.observe(sent.reply.headers, sent.sentAtMs + durationMs);
    const sentAtMs = sent.sentAtMs - clockCheck.offsetMs;
    if (clockCheck.offsetMs !== 0) this.#reports.record(() => this.#ledger.redate(slot, sentAtMs));
    const callId = this.#callIds.next();
    const attempt = { callId, call, sentAt: isoTime(sentAtMs), sentAfter, durationMs };
    if (sent.is === 'lost')
      return { ...attempt, status: sent.status, body: null, ...sent.reply, failure: sent.why };
    const { status, body, headers } = sent.reply;
    return { ...attempt, status, body, headers };
  }

  async #returnUnits(slots: readonly Slot[]): Promise<void> {
    this.#inFlight -= slots.length;
    await retryWhileBusy(this.#clock, () => this.#ledger.giveBack(slots));
  }
}

/**
 * Mints call ids: integers that increase with each call and continue from the last id in the warehouse. They are also
 * larger than all ids that the ledger's debits can have paid for, so that a restored warehouse uses no id again.
 *
 * All ids of a run have the same remainder, which differs from that of the next 255 runs. Two runs therefore never mint
 * the same id, not even if one of them has lost the lock without noticing it yet.
 */
export class CallIds {
  readonly #remainder: number;
  #last: number;

  constructor({ last, debits = 0, runId }: MintedBefore) {
    this.#last = Math.max(last, debits * RUNS);
    this.#remainder = runId % RUNS;
  }

  /** The last id that was minted. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    const earliest = this.#last + 1;
    this.#last = earliest + ((this.#remainder - (earliest % RUNS) + RUNS) % RUNS);
    return this.#last;
  }
}

interface MintedBefore {
  /** The last id in the warehouse. */
  readonly last: number;
  /** The units that the ledger ever debited for the account. */
  readonly debits?: number;
  readonly runId: number;
}

/** An id is at most this number larger than the last one. */
const RUNS = 256;
