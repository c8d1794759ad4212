import { isBusy, type Ledger } from '../allowance/ledger.ts';
import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import type { Reply } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { rateLimitResetMs } from '../dialect/headers.ts';
import { type Language, languageOf } from '../dialect/language.ts';
import { type Endpoints, UnwritableUrl } from '../dialect/request.ts';
import { FailedError } from '../errors.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import type { CallIds } from './call_ids.ts';
import type { Lane } from './lane.ts';
import { type NoSlot, type Pace, SLOT_TOLERANCE_MS } from './pace.ts';
import { openPatience } from './patience.ts';
import { describe, type Send, type Sent } from './send.ts';

/** What fetch needs; all of it is made in assemble.ts. */
export interface FetchParts {
  readonly dialect: Dialect;
  readonly endpoints: Endpoints;
  /** Speaks in place of the dialect: a probe's. */
  readonly language?: Language;
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly send: Send;
  readonly clock: Clock;
  readonly callIds: CallIds;
  readonly keyFingerprint: string;
}

/** Why no unit could be had: the allowance is spent, the key is refused, or the run was interrupted. */
export type Halt = Exclude<NoSlot, { is: 'unprepared' }>;

/** The call was not made, because no unit could be had for it. */
export interface NotMade {
  readonly call: Call;
  readonly because: Halt;
}

export type Fetch = (call: Call, lane: Lane, signal: AbortSignal) => Promise<Outcome | NotMade>;

/**
 * Makes exactly one attempt: connect, spend, send, classify, and tell the ledger what the upstream said of
 * limits. Until the key has been accepted once, calls go one at a time: a key that is refused costs one call.
 */
export function openFetch(parts: FetchParts): Fetch {
  const { ledger, clock, keyFingerprint } = parts;
  const { urlOf, classify } = parts.language ?? languageOf(parts.dialect, parts.endpoints);
  const patience = openPatience();
  const inTurn = openTurns();
  let keyHasWorked = ledger.hasKeyWorked(keyFingerprint);
  let isKeyAccepted = keyHasWorked;
  let isProven = false;

  return (call, lane, signal) =>
    isKeyAccepted
      ? make(call, lane, signal)
      : inTurn(
          () => make(call, lane, signal),
          () => isKeyAccepted,
        );

  async function make(call: Call, lane: Lane, signal: AbortSignal): Promise<Outcome | NotMade> {
    const url = urlOf(call);
    if (url instanceof UnwritableUrl) return unmade(call, { is: 'refused', why: url.why });
    const sent = await attempt(parts, lane, url, signal);
    if (sent.is === 'no_slot') return { call, because: sent.because };
    if (sent.is === 'unsent') return unmade(call, { is: 'unsent', why: sent.why });
    if (sent.is === 'lost') return outcome(call, sent, sent.status, null, { is: 'broken', why: sent.why });

    const { reply, sentAtMs } = sent;
    const nowMs = clock.now();
    const meant = classify(call, reply, { nowMs, keyHasWorked });
    const verdict = patience.observe(meant, sentAtMs, nowMs);
    const made = { ...outcome(call, sent, reply.status, reply.body, verdict), headers: reply.headers };
    await tellLedger(verdict, reply, nowMs).catch((error: unknown) => {
      throw new LedgerFailure(made, error);
    });
    return made;
  }

  async function tellLedger(verdict: Verdict, reply: Reply, nowMs: number): Promise<void> {
    const rateResetMs = rateLimitResetMs(reply.headers, nowMs);
    await whenFree(clock, () => {
      if (verdict.is === 'throttled') ledger.pauseUntil(verdict.untilMs, nowMs);
      else if (rateResetMs !== null) ledger.pauseUntil(rateResetMs, nowMs);
      if (verdict.is === 'exhausted') ledger.exhaustedUntil(verdict.untilMs, nowMs);
      if (verdict.is === 'unauthorised') ledger.refuseKey(keyFingerprint, nowMs);
      if (verdict.is === 'ok' && !isProven) ledger.keyWorked(keyFingerprint);
    });
    if (ACCEPTED.has(verdict.is)) isKeyAccepted = true;
    if (verdict.is === 'exhausted') isProven = false;
    if (verdict.is === 'ok') {
      isProven = true;
      keyHasWorked = true;
    }
  }

  function outcome(
    call: Call,
    sent: { sentAtMs: number; durationMs: number },
    status: number | null,
    body: Buffer | null,
    verdict: Verdict,
  ): Outcome {
    const { sentAtMs, durationMs } = sent;
    return { callId: parts.callIds.next(sentAtMs), call, sentAtMs, durationMs, status, body, verdict };
  }

  function unmade(call: Call, verdict: Verdict): Outcome {
    return outcome(call, { sentAtMs: clock.now(), durationMs: 0 }, null, null, verdict);
  }
}

/** The ledger could not take down what an answer said of limits. The answer was paid for: it comes with the error. */
export class LedgerFailure extends FailedError {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, cause: unknown) {
    super(`the ledger cannot be written: ${describe(cause)}`, {
      hint: 'Is its disk full, or the file read-only? What was received is in the warehouse.',
      cause,
    });
    this.outcome = outcome;
  }
}

type Attempted = Exclude<Sent, { is: 'missed' }> | { readonly is: 'no_slot'; readonly because: Halt };

/**
 * Connects, spends and sends. A slot that was missed, or whose connection was lost before the request left,
 * gives its unit back and another is taken: still one attempt, since nothing left.
 */
async function attempt(parts: FetchParts, lane: Lane, url: URL, signal: AbortSignal): Promise<Attempted> {
  const { ledger, pace, send, clock } = parts;
  for (let lostConnections = 0; ; ) {
    const slot = await pace.nextSlot(lane, signal);
    if ('is' in slot) {
      if (slot.is === 'unprepared') return { is: 'unsent', why: describe(slot.error) };
      return { is: 'no_slot', because: slot };
    }
    const sent = await send(lane, url, slot.atMs + SLOT_TOLERANCE_MS);
    if (sent.is === 'reply' || sent.is === 'lost') return sent;
    await whenFree(clock, () => ledger.giveBack(slot));
    if (sent.is === 'unsent') lostConnections += 1;
    if (sent.is === 'unsent' && lostConnections >= MOST_LOST_CONNECTIONS) return sent;
  }
}

/** A busy ledger means "ask again". */
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

type Turns = <T>(action: () => Promise<T>, isFree: () => boolean) => Promise<T>;

/** Lets one action run at a time, until all are free to run. */
function openTurns(): Turns {
  let current: Promise<unknown> | null = null;
  return async (action, isFree) => {
    while (current !== null && !isFree()) await current;
    if (isFree()) return action();
    const turn = action();
    current = turn
      .catch(() => {})
      .finally(() => {
        current = null;
      });
    return turn;
  };
}

/** What no upstream says to a key that it does not know. */
const ACCEPTED = new Set<Verdict['is']>(['ok', 'absent', 'gone', 'refused']);
const MOST_LOST_CONNECTIONS = 3;
const BUSY_WAIT_MS = 20;
