import { type Call, type CallKind, targetOf } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import {
  contradictionsIn,
  describeContradiction,
  type Exchange,
  exchangeOf,
} from '../dialect/evidence/dialect_evidence.ts';
import type { LoadResult } from '../knowledge.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import type { Plan, PlanInput, Planner } from '../planner.ts';

export interface DriftWatchParts {
  readonly dialect: Dialect;
  readonly kinds: ReadonlySet<CallKind>;
  /** Opens a planner for the kinds of call that have not drifted. */
  readonly open: (kinds: ReadonlySet<CallKind>) => Planner;
}

/**
 * A planner that checks the dialect while the mirror runs.
 *
 * - Several responses in a row that cannot be read stop calls of that kind. Calls of other kinds continue.
 * - Readable responses that contradict the dialect stop all calls, because they would fill the mirror with wrong data.
 *
 * In both cases, the run ends with `drift`.
 */
export class DriftWatch implements Planner {
  readonly #parts: DriftWatchParts;
  readonly #misread = new Map<CallKind, { readonly targets: Set<string>; readonly why: string }>();
  readonly #drifted = new Map<CallKind, string>();
  readonly #stopped = new Set<CallKind>();
  readonly #inFlight = new Set<Call>();
  readonly #evidence: RunningEvidence;
  #planner: Planner;
  #mustReopen = false;

  constructor(parts: DriftWatchParts) {
    this.#parts = parts;
    this.#evidence = new RunningEvidence(parts.dialect);
    this.#planner = parts.open(parts.kinds);
  }

  next(ask: PlanInput): Plan {
    if (this.#evidence.contradiction !== null)
      return { calls: [], wakeAtMs: null, drift: this.#evidence.contradiction };
    // The planner is replaced only when no call is in flight, because each result must reach the planner that planned
    // the call.
    if (this.#mustReopen && this.#inFlight.size > 0)
      return { calls: [], wakeAtMs: null, drift: this.#describe(null) };
    // A wrong dialect is noticed after few calls only if their responses are judged before many others are sent.
    if (this.#evidence.isYoung && this.#inFlight.size >= MAX_UNJUDGED)
      return { calls: [], wakeAtMs: null, drift: this.#describe(null) };
    if (this.#mustReopen) {
      const { kinds, open } = this.#parts;
      this.#planner = open(new Set([...kinds].filter((kind) => !this.#stopped.has(kind))));
      this.#mustReopen = false;
    }
    const plan = this.#planner.next(ask);
    for (const call of plan.calls) this.#inFlight.add(call);
    return { ...plan, drift: this.#describe(plan.drift) };
  }

  learn(result: LoadResult): void {
    this.#inFlight.delete(result.call);
    this.#planner.learn(result);
  }

  release(call: Call): void {
    this.#inFlight.delete(call);
    this.#planner.release(call);
  }

  stop(kind: CallKind): void {
    this.#stopped.add(kind);
    this.#mustReopen = true;
  }

  /** Records outcomes. Every outcome must be noted before its result is passed to `learn`. */
  note(outcomes: readonly Outcome[]): void {
    for (const { call, verdict } of outcomes) {
      if (verdict.is === 'ok') this.#evidence.add(call, verdict.answer);
      if (verdict.is === 'broken' && verdict.misread === true) this.#noteMisread(call, verdict.why);
      else if (matchesDialect(verdict)) this.#misread.delete(call.kind);
    }
  }

  #noteMisread(call: Call, why: string): void {
    const targets = this.#misread.get(call.kind)?.targets ?? new Set<string>();
    targets.add(targetOf(call));
    this.#misread.set(call.kind, { targets, why });
    if (targets.size < MISREAD_IN_A_ROW[call.kind] || this.#drifted.has(call.kind)) return;
    this.#drifted.set(
      call.kind,
      `${targets.size} responses in a row for ${KIND_NAMES[call.kind]} do not match the dialect: ${why}`,
    );
    this.stop(call.kind);
  }

  #describe(planned: string | null): string | null {
    const sentences = [...this.#drifted.values(), ...(planned === null ? [] : [planned])];
    return sentences.length > 0 ? sentences.join('; ') : null;
  }
}

/** The last exchanges of a run, and what they contradict. */
class RunningEvidence {
  readonly #dialect: Dialect;
  readonly #exchanges: Exchange[] = [];
  #added = 0;
  /** What the exchanges contradict, in one sentence; null as long as they contradict nothing. */
  contradiction: string | null = null;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Whether so few exchanges were judged that they can still show a wrong dialect. */
  get isYoung(): boolean {
    return this.#added < MAX_EXCHANGES;
  }

  add(call: Call, answer: (Verdict & { is: 'ok' })['answer']): void {
    const exchange = this.contradiction === null ? exchangeOf(this.#dialect, call, answer) : null;
    if (exchange === null) return;
    this.#exchanges.push(exchange);
    if (this.#exchanges.length > MAX_EXCHANGES) this.#exchanges.shift();
    this.#added += 1;
    if (this.#added > MAX_EXCHANGES && this.#added % LATER_INTERVAL !== 0) return;
    const found = contradictionsIn(this.#dialect, this.#exchanges);
    if (found.length > 0) this.contradiction = found.map(describeContradiction).join('; ');
  }
}

/** Older exchanges are forgotten, so that a change of the upstream shows soon. */
const MAX_EXCHANGES = 60;
/** The maximum number of calls whose responses were not judged yet, until MAX_EXCHANGES were judged. */
const MAX_UNJUDGED = 10;
/** After the first exchanges, only every tenth is judged, because judging costs more than reading. */
const LATER_INTERVAL = 10;

/**
 * Returns whether the response proves that the dialect still matches. An empty listing does not, because there is no
 * row to check.
 */
function matchesDialect(verdict: Verdict): boolean {
  if (verdict.is !== 'ok') return verdict.is === 'gone';
  return verdict.answer.kind !== 'search' || verdict.answer.rows.length > 0;
}

/**
 * Mismatched responses from this many different targets in a row count as drift. Statistics have only one target and
 * are seldom requested.
 */
const MISREAD_IN_A_ROW: Readonly<Record<CallKind, number>> = { stats: 1, search: 3, entity: 3 };

const KIND_NAMES: Readonly<Record<CallKind, string>> = {
  stats: 'the statistics',
  search: 'searches',
  entity: 'records',
};
