import { type Call, type CallKind, targetOf } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import {
  contradictionsIn,
  describeContradiction,
  type Exchange,
  exchangeOf,
  isUnnamed,
  type ListedPage,
  missingSearchOf,
} from '../dialect/evidence/dialect_evidence.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import type { Candidate, Guard, GuardInput } from './candidate.ts';

/**
 * Checks the dialect while the mirror runs.
 *
 * - Several responses in a row that cannot be read stop calls of that kind. Calls of other kinds continue.
 * - Readable responses that contradict the dialect stop all calls, because they would fill the mirror with wrong data.
 *
 * In both cases, the run ends with `drift`.
 */
export class DriftWatch implements Guard {
  readonly #misread = new Map<CallKind, { readonly targets: Set<string>; readonly why: string }>();
  readonly #drifted = new Map<CallKind, string>();
  readonly #evidence: RunningEvidence;

  constructor(dialect: Dialect) {
    this.#evidence = new RunningEvidence(dialect);
  }

  get drift(): string | null {
    if (this.#evidence.contradiction !== null) return this.#evidence.contradiction;
    return this.#drifted.size === 0 ? null : [...this.#drifted.values()].join('; ');
  }

  allowedFromMs({ call: { kind } }: Candidate, { nowMs, inFlight }: GuardInput): number {
    if (this.#evidence.contradiction !== null || this.#drifted.has(kind)) return Number.POSITIVE_INFINITY;
    // A wrong dialect is noticed after few calls only if their responses are judged before many others are sent.
    const isUnjudged = this.#evidence.isYoung && inFlight >= MAX_UNJUDGED;
    return isUnjudged ? Number.POSITIVE_INFINITY : nowMs;
  }

  /** Records outcomes. Every outcome must be noted before its result is passed to `learn`. */
  note(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const { call, verdict } = outcome;
      this.#evidence.add(outcome);
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
  }
}

/**
 * The last exchanges of a run, and what they contradict. The first two pages of a query are kept together, because many
 * other responses can come between them if the upstream is slow. Pages with unnamed companies are kept because few pages
 * have any.
 */
class RunningEvidence {
  readonly #dialect: Dialect;
  readonly #exchanges: Exchange[] = [];
  readonly #pairs: Exchange[] = [];
  readonly #unnamed: Exchange[] = [];
  /** The first pages whose second page was not received yet, by query. */
  readonly #first = new Map<string, Exchange>();
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

  add(outcome: Outcome): void {
    if (this.contradiction !== null) return;
    const { call, verdict } = outcome;
    const exchange =
      verdict.is === 'ok' ? exchangeOf(this.#dialect, call, verdict.answer) : missingSearchOf(outcome);
    if (exchange === null) return;
    this.#exchanges.push(exchange);
    if (this.#exchanges.length > MAX_EXCHANGES) this.#exchanges.shift();
    const isNewPair = exchange.kind === 'search' && this.#pair(exchange) && this.#pairs.length < MAX_PAIRED;
    const hasUnnamed =
      exchange.kind === 'search' && this.#unnamed.length < MAX_UNNAMED && exchange.rows.some(isUnnamed);
    if (hasUnnamed) this.#unnamed.push(exchange);
    this.#added += 1;
    const isSkipped = this.#added > MAX_EXCHANGES && this.#added % LATER_INTERVAL !== 0;
    if (isSkipped && !isNewPair && !hasUnnamed && exchange.kind !== 'missing') return;
    const exchanges = new Set([...this.#pairs, ...this.#unnamed, ...this.#exchanges]);
    const found = contradictionsIn(this.#dialect, [...exchanges]);
    if (found.length > 0) this.contradiction = found.map(describeContradiction).join('; ');
  }

  /** Returns whether the page is the second one of a query whose first one is kept. */
  #pair(page: ListedPage): boolean {
    if (page.index === 0) this.#first.set(page.key, page);
    const [oldest] = this.#first.keys();
    if (this.#first.size > MAX_FIRST && oldest !== undefined) this.#first.delete(oldest);
    const first = page.index === 1 ? this.#first.get(page.key) : undefined;
    if (first === undefined) return false;
    this.#first.delete(page.key);
    this.#pairs.push(first, page);
    this.#pairs.splice(0, Math.max(0, this.#pairs.length - MAX_PAIRED));
    return true;
  }
}

/** Older exchanges are forgotten, so that a change of the upstream shows soon. */
const MAX_EXCHANGES = 60;
/** The maximum number of first pages that wait for their second page. */
const MAX_FIRST = 500;
/** A few pairs show whether pages continue. */
const MAX_PAIRED = 20;
/** If more pages have companies without a name, the registry has many of them. */
const MAX_UNNAMED = 20;
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
