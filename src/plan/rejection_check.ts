import { type Call, FIRST_PAGE, queryKey, type SearchCall, targetOf } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';
import { isSettled } from '../load_result.ts';
import type { Candidate, Guard, GuardInput } from './candidate.ts';

/** A rejected call with the upstream's message. */
export interface Rejection {
  readonly call: Call;
  readonly why: string;
}

export type CheckedKind = 'search' | 'entity';

interface RejectionOptions {
  /** The kinds that an earlier run stopped. The first call of such a kind is a control call. */
  readonly doubted: ReadonlySet<CheckedKind>;
  /** Returns the id of a company whose record was received before; null if there is none. */
  readonly witness: () => string | null;
}

/**
 * Notices if the upstream rejects every search or every record call. Single rejections prove nothing, because many
 * upstreams reject queries with too many matches, invalid ids or deleted companies. If several calls of a kind in a row
 * are rejected with the same status, a control call is sent. For searches it is a query that matches nothing. For
 * records it is a company whose record was received before, or otherwise the next due record. If the control call is
 * rejected too, no more calls of this kind are sent.
 */
export class RejectionCheck implements Guard {
  readonly #checks: Readonly<Record<CheckedKind, KindCheck>>;

  constructor({ doubted, witness }: RejectionOptions) {
    this.#checks = {
      search: new KindCheck(
        { limit: 4, laterLimit: Number.POSITIVE_INFINITY, controlFor: () => CONTROL },
        doubted.has('search'),
      ),
      entity: new KindCheck(
        { limit: 4, laterLimit: 20, controlFor: (planned) => witnessCall(witness()) ?? planned },
        doubted.has('entity'),
      ),
    };
  }

  /** The last rejected call, if the upstream rejects every call of its kind; otherwise null. */
  get rejection(): Rejection | null {
    return this.#checks.search.rejection ?? this.#checks.entity.rejection;
  }

  /** Returns whether the next run must first check calls of this kind. */
  isDoubted(kind: CheckedKind): boolean {
    return this.#checks[kind].isDoubted;
  }

  allowedFromMs({ call: { kind } }: Candidate, { nowMs }: GuardInput): number {
    return kind === 'stats' || this.#checks[kind].isAllowed ? nowMs : Number.POSITIVE_INFINITY;
  }

  instead(call: Call): Call {
    return call.kind === 'stats' ? call : this.#checks[call.kind].instead(call);
  }

  learn(result: LoadResult): void {
    if (result.call.kind !== 'stats') this.#checks[result.call.kind].learn(result);
  }

  release(call: Call): void {
    if (call.kind !== 'stats') this.#checks[call.kind].release(call);
  }
}

interface KindRules {
  /** The number of rejected targets that leads to a control call, before the first success and after it. */
  readonly limit: number;
  readonly laterLimit: number;
  /** Returns the call that replaces the planned call as a control call. */
  readonly controlFor: (planned: Call) => Call;
}

class KindCheck {
  readonly #rules: KindRules;
  /** The targets that were rejected in a row, by status. */
  readonly #rejected = new Map<string, Set<string>>();
  #hasSucceeded = false;
  #state: 'open' | 'doubted' | 'asked' | 'rejected';
  #control: Call | null = null;
  rejection: Rejection | null = null;

  constructor(rules: KindRules, isDoubted: boolean) {
    this.#rules = rules;
    this.#state = isDoubted ? 'doubted' : 'open';
  }

  get isDoubted(): boolean {
    return this.#state !== 'open';
  }

  get isAllowed(): boolean {
    return this.#state === 'open' || this.#state === 'doubted';
  }

  instead(call: Call): Call {
    if (this.#state !== 'doubted') return call;
    this.#state = 'asked';
    this.#control = this.#rules.controlFor(call);
    return this.#control;
  }

  learn({ call, verdict, note }: LoadResult): void {
    if (this.#state === 'rejected') return;
    const isControl = this.#state === 'asked' && call === this.#control;
    const status = /^HTTP \d+/.exec(note ?? '')?.[0];
    if (verdict === 'refused' && status === undefined) {
      // The call has no valid URL, so it was not sent.
      if (isControl) this.#state = 'doubted';
    } else if (verdict !== 'refused') {
      if (!isControl && !isSettled(verdict)) return;
      this.#state = 'open';
      this.#rejected.clear();
      if (isSettled(verdict)) this.#hasSucceeded = true;
    } else if (isControl) {
      this.#state = 'rejected';
      this.rejection = { call, why: note ?? '' };
    } else if (this.#state === 'open' && this.#isLimit(targetOf(call), status)) this.#state = 'doubted';
  }

  release(call: Call): void {
    if (this.#state === 'asked' && call === this.#control) this.#state = 'doubted';
  }

  #isLimit(target: string, status = ''): boolean {
    const targets = this.#rejected.get(status) ?? new Set<string>();
    this.#rejected.set(status, targets.add(target));
    const { limit, laterLimit } = this.#rules;
    return targets.size >= (this.#hasSucceeded ? laterLimit : limit);
  }
}

function witnessCall(entityId: string | null): Call | null {
  if (entityId === null) return null;
  return {
    kind: 'entity',
    entityId,
    reason: 'checks whether the upstream rejects every record',
    expected: 0,
  };
}

/** A query that matches no company. The upstream cannot reject it for having too many matches. */
const CONTROL: SearchCall = {
  kind: 'search',
  query: { by: 'name', text: 'qzxjvkwq' },
  page: FIRST_PAGE,
  reason: 'checks whether the upstream rejects every search',
  expected: 0,
};

/** This query's key in `_query`. */
export const CONTROL_KEY = queryKey(CONTROL.query);
