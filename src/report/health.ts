import type { LedgerState } from '../allowance/ledger.ts';
import { count, counted } from './figures.ts';
import { type FormatTime, findProblems, type HealthFacts, type Problem } from './problems.ts';

/**
 * A mirror's health. `status`, the status page and the worker all show it, and so report the same state in the same
 * words.
 */
export type Health = ReturnType<typeof healthOf>;

/** A mirror that has only been prepared is `empty`, unless it has a problem or is waiting for quota. */
export type HealthState = 'needs_you' | 'working' | 'waiting' | 'empty' | 'healthy';

export function healthOf(facts: HealthFacts, formatTime: FormatTime) {
  const problems = findProblems(facts, formatTime);
  const waitsUntilMs = quotaReturnsAtMs(facts.allowance);
  return {
    state: stateOf(facts, problems, waitsUntilMs),
    /** The causes of the state `needs_you`, most urgent first. */
    problems,
    /** The time at which calls are possible again; null if the mirror is not waiting for quota. */
    waitsUntilMs,
    /** Clauses about what a healthy mirror may lack. */
    doubts: doubtsIn(facts),
  };
}

/**
 * If neither a count nor a listing shows how many companies there are, companies without a name may be of a kind that
 * searches miss.
 */
function doubtsIn({ completeness, latestRecords: { companies, unnamed } }: HealthFacts): string[] {
  if (completeness?.isShown !== false) return [];
  const unknown = 'it is unknown whether companies are missing';
  return unnamed === 0
    ? [unknown]
    : [unknown, `${count(unnamed)} of the last ${counted(companies, 'company', 'companies')} have no name`];
}

function stateOf(
  { isRunning, runs }: HealthFacts,
  problems: readonly Problem[],
  waitsUntilMs: number | null,
): HealthState {
  if (problems.length > 0) return 'needs_you';
  if (isRunning) return 'working';
  if (waitsUntilMs !== null) return 'waiting';
  // Older runs than the latest ones are unknown, so the first run has to be one of them.
  const isPrepared = runs.every(({ command }) => PREPARATIONS.has(command));
  return isPrepared && (runs.at(-1)?.runId ?? 1) === 1 ? 'empty' : 'healthy';
}

/** The commands that send calls, but do not mirror companies. */
const PREPARATIONS: ReadonlySet<string> = new Set(['probe', 'doctor']);

function quotaReturnsAtMs({ left, resumesAtMs, pausedUntilMs }: LedgerState): number | null {
  return left <= 0 ? resumesAtMs : pausedUntilMs;
}

/** Returns the health as one sentence: `Needs you: 3 responses are in quarantine …`. */
export function healthSentence(
  { state, problems: [first], waitsUntilMs, doubts }: Health,
  formatTime: FormatTime,
): string {
  if (first !== undefined) return `${HEALTH_WORDS.needs_you}: ${first.cause}`;
  if (state === 'waiting' && waitsUntilMs !== null)
    return `${HEALTH_WORDS.waiting} until ${formatTime(waitsUntilMs)}`;
  return state === 'healthy' && doubts.length > 0
    ? `${HEALTH_WORDS.healthy}, but ${doubts.join(', and ')}`
    : HEALTH_WORDS[state];
}

export const HEALTH_WORDS: Readonly<Record<HealthState, string>> = {
  needs_you: 'Needs you',
  working: 'Working',
  waiting: 'Waiting for quota',
  empty: 'Not started',
  healthy: 'Healthy',
};
