import type { Call, CallKind } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';
import type { Candidate, Guard, Source } from './candidate.ts';
import type { Pending } from './pending.ts';

interface Ranked extends Candidate {
  readonly source: Source;
}

interface Sent {
  readonly value: number;
  /** The call's source; null if a guard replaced the source's call. */
  readonly source: Source | null;
}

/**
 * The planner. Sources propose their best calls, guards keep calls from being sent, and the allowed call with the
 * highest value is planned. If two calls have the same value, the source that is listed first wins.
 */
export class RankedPlanner implements Planner {
  readonly #sources: readonly Source[];
  readonly #guards: readonly Guard[];
  readonly #pending: Pending;
  readonly #kinds: ReadonlySet<CallKind>;
  readonly #knownCount: () => number;
  readonly #onFinished: () => void;
  /** The planned calls without a result. */
  readonly #sent = new Map<Call, Sent>();

  constructor(options: {
    readonly sources: readonly Source[];
    readonly guards: readonly Guard[];
    readonly pending: Pending;
    /** The kinds of call that the sources propose. */
    readonly kinds: ReadonlySet<CallKind>;
    /** Returns the number of known companies. */
    readonly knownCount: () => number;
    /** Called when a call has finished. */
    readonly onFinished?: () => void;
  }) {
    this.#sources = options.sources;
    this.#guards = options.guards;
    this.#pending = options.pending;
    this.#kinds = options.kinds;
    this.#knownCount = options.knownCount;
    this.#onFinished = options.onFinished ?? (() => {});
  }

  next(ask: PlanInput): Plan {
    const most = Math.min(ask.most, ask.left.calls);
    const calls: Call[] = [];
    let wakeAtMs = Number.POSITIVE_INFINITY;
    while (calls.length < most) {
      const { allowed, nextMs } = this.#candidates(ask);
      wakeAtMs = Math.min(wakeAtMs, nextMs);
      const [best] = allowed;
      if (best === undefined || this.#isWaitBetter(best, ask)) break;
      calls.push(this.#plan(best));
    }
    const retryAtMs = this.#pending.earliestRetryMs(this.#kinds, ask.nowMs) ?? Number.POSITIVE_INFINITY;
    wakeAtMs = Math.min(wakeAtMs, retryAtMs);
    return {
      calls,
      wakeAtMs: calls.length > 0 || wakeAtMs === Number.POSITIVE_INFINITY ? null : wakeAtMs,
      drift: this.#drift,
    };
  }

  learn(result: LoadResult): void {
    const { call, failure } = result;
    const sent = this.#sent.get(call);
    this.#sent.delete(call);
    if (sent !== undefined) this.#onFinished();
    this.#pending.landed(call);
    if (failure === null) this.#pending.recovered(call);
    else this.#pending.wait(failure);
    // A guard's own call does not belong to a source, which learns only from a successful response.
    const isGuards = sent?.source === null;
    if (!isGuards || result.verdict === 'ok') for (const source of this.#sources) source.learn?.(result);
    for (const guard of this.#guards) guard.learn?.(result);
  }

  release(call: Call): void {
    const sent = this.#sent.get(call);
    this.#sent.delete(call);
    this.#pending.landed(call);
    sent?.source?.release?.(call);
    for (const guard of this.#guards) guard.release?.(call);
  }

  /** Returns the candidates that may be sent now, best first, and the time at which another one may be sent. */
  #candidates(ask: PlanInput): { readonly allowed: readonly Ranked[]; readonly nextMs: number } {
    const allowed: Ranked[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const source of this.#sources) {
      const candidate = source.best(ask);
      if (candidate === null) continue;
      const fromMs = this.#allowedFromMs(candidate, ask);
      if (fromMs <= ask.nowMs) allowed.push({ ...candidate, source });
      else nextMs = Math.min(nextMs, fromMs);
    }
    return {
      allowed: allowed.sort((one, other) => (one.value === other.value ? 0 : other.value - one.value)),
      nextMs,
    };
  }

  #allowedFromMs(candidate: Candidate, ask: PlanInput): number {
    const { nowMs } = ask;
    const input = { nowMs, inFlight: this.#sent.size };
    return Math.max(nowMs, ...this.#guards.map((guard) => guard.allowedFromMs?.(candidate, input) ?? nowMs));
  }

  #plan({ call: proposed, value, source, planned }: Ranked): Call {
    const call = this.#instead(proposed);
    if (call === proposed) planned?.();
    this.#sent.set(call, { value, source: call === proposed ? source : null });
    this.#pending.sent(call);
    return call;
  }

  #instead(proposed: Call): Call {
    return this.#guards.reduce((call, guard) => guard.instead?.(call) ?? call, proposed);
  }

  /**
   * Returns whether it is better to wait for a search in flight. It is if the search has a higher value than every
   * candidate, and the quota does not suffice for every known company, because later searches will probably be worth as
   * much.
   */
  #isWaitBetter(best: Ranked, { left }: PlanInput): boolean {
    if (best.source.findsCompanies || left.calls >= this.#knownCount()) return false;
    return [...this.#sent.values()].some(({ source, value }) => source?.findsCompanies && value > best.value);
  }

  get #drift(): string | null {
    const sentences = [...this.#guards, ...this.#sources].flatMap(({ drift = null }) => drift ?? []);
    return sentences.length === 0 ? null : sentences.join('; ');
  }
}
