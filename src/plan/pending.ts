import { type Call, type CallKind, targetOf } from '../call.ts';
import type { Failure } from '../knowledge.ts';

/** The targets that cannot be planned now, because they are in flight or waiting for a retry. */
export class Pending {
  readonly #inFlight: Record<CallKind, Set<string>> = {
    stats: new Set(),
    search: new Set(),
    entity: new Set(),
  };
  readonly #waiting: Record<CallKind, Map<string, number>> = {
    stats: new Map(),
    search: new Map(),
    entity: new Map(),
  };

  constructor(failures: Iterable<Failure>) {
    for (const failure of failures) this.wait(failure);
  }

  sent(call: Call): void {
    this.#inFlight[call.kind].add(targetOf(call));
  }

  landed(call: Call): void {
    this.#inFlight[call.kind].delete(targetOf(call));
  }

  wait(failure: Failure): void {
    this.#waiting[failure.kind].set(failure.target, failure.nextTryAtMs);
  }

  recovered(call: Call): void {
    this.#waiting[call.kind].delete(targetOf(call));
  }

  isInFlight(kind: CallKind, target: string): boolean {
    return this.#inFlight[kind].has(target);
  }

  inFlightCount(kind: CallKind): number {
    return this.#inFlight[kind].size;
  }

  /** Returns whether the target is neither in flight nor waiting for a retry. */
  isFree(kind: CallKind, target: string, nowMs: number): boolean {
    if (this.isInFlight(kind, target)) return false;
    const untilMs = this.#waiting[kind].get(target);
    return untilMs === undefined || untilMs <= nowMs;
  }

  /** Marks a call as in flight, if it can be sent now. Returns whether it can. */
  reserve(call: Call, nowMs: number): boolean {
    const isFree = this.isFree(call.kind, targetOf(call), nowMs);
    if (isFree) this.sent(call);
    return isFree;
  }

  /** Returns the targets of this kind that cannot be planned now. */
  blocked(kind: CallKind, nowMs: number): Set<string> {
    const blocked = new Set(this.#inFlight[kind]);
    for (const [target, untilMs] of this.#waiting[kind]) if (untilMs > nowMs) blocked.add(target);
    return blocked;
  }

  /** Returns the earliest retry time for these kinds of call, or null if no call is waiting for a retry. */
  earliestRetryMs(kinds: ReadonlySet<CallKind>, nowMs: number): number | null {
    let earliest: number | null = null;
    for (const kind of kinds) {
      for (const untilMs of this.#waiting[kind].values()) {
        if (untilMs > nowMs && Number.isFinite(untilMs) && (earliest === null || untilMs < earliest)) {
          earliest = untilMs;
        }
      }
    }
    return earliest;
  }
}
