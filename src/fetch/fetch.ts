import type { Ledger } from '../allowance/ledger.ts';
import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import { classify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { rateLimitResetMs } from '../dialect/headers.ts';
import { type Endpoints, UnwritableUrl, urlOf } from '../dialect/request.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import type { CallIds } from './call_ids.ts';
import type { Lane } from './lane.ts';
import { type NoSlot, type Pace, SLOT_TOLERANCE_MS } from './pace.ts';
import { describe, type Send, type Sent } from './send.ts';

/** What fetch needs; all of it is made in assemble.ts. */
export interface FetchParts {
  readonly dialect: Dialect;
  readonly endpoints: Endpoints;
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

/** Makes exactly one attempt: connect, spend, send, classify, and tell the ledger what the upstream said of limits. */
export function openFetch(parts: FetchParts): Fetch {
  const { dialect, endpoints, ledger, clock, keyFingerprint } = parts;
  let keyHasWorked = ledger.hasKeyWorked(keyFingerprint);

  return async (call, lane, signal) => {
    const url = urlOf(endpoints, dialect, call);
    if (url instanceof UnwritableUrl) return unmade(call, { is: 'refused', why: url.why });
    const sent = await attempt(parts, lane, url, signal);
    if (sent.is === 'no_slot') return { call, because: sent.because };
    if (sent.is === 'unsent') return unmade(call, { is: 'unsent', why: sent.why });
    if (sent.is === 'lost') return outcome(call, sent, sent.status, null, { is: 'broken', why: sent.why });

    const { reply } = sent;
    const nowMs = clock.now();
    const verdict = classify(dialect, call, reply, { nowMs, keyHasWorked });
    tellLedger(verdict, rateLimitResetMs(reply.headers, nowMs), nowMs);
    return outcome(call, sent, reply.status, reply.body, verdict);
  };

  function tellLedger(verdict: Verdict, rateResetMs: number | null, nowMs: number): void {
    if (verdict.is === 'throttled') ledger.pauseUntil(verdict.untilMs);
    if (verdict.is === 'exhausted') ledger.exhaustedUntil(verdict.untilMs, nowMs);
    if (verdict.is === 'unauthorised') ledger.refuseKey(keyFingerprint, nowMs);
    if (verdict.is !== 'throttled' && rateResetMs !== null) ledger.pauseUntil(rateResetMs);
    if (!keyHasWorked && verdict.is === 'ok') {
      keyHasWorked = true;
      ledger.keyWorked(keyFingerprint);
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

type Attempted = Exclude<Sent, { is: 'missed' }> | { readonly is: 'no_slot'; readonly because: Halt };

/**
 * Connects, spends and sends. A slot that was missed gives its unit back and another is taken: still one
 * attempt, since nothing left.
 */
async function attempt(parts: FetchParts, lane: Lane, url: URL, signal: AbortSignal): Promise<Attempted> {
  const { ledger, pace, send } = parts;
  for (;;) {
    const slot = await pace.nextSlot(() => lane.connect(), signal);
    if ('is' in slot) {
      if (slot.is === 'unprepared') return { is: 'unsent', why: describe(slot.error) };
      return { is: 'no_slot', because: slot };
    }
    const sent = await send(lane, url, slot.atMs + SLOT_TOLERANCE_MS);
    if (sent.is === 'missed' || sent.is === 'unsent') ledger.giveBack(slot);
    if (sent.is !== 'missed') return sent;
  }
}
