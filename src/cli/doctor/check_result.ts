import type { Problem } from '../../report/problems.ts';

/** One check's result. */
export interface CheckResult {
  /** What is checked, in one or two words. */
  readonly check: string;
  /**
   * A problem means that something does not work, and a warning means that something may go wrong. A note gives useful
   * information.
   */
  readonly status: 'ok' | 'note' | 'warning' | 'problem';
  /** The result, as a sentence without a full stop. */
  readonly message: string;
  /** The recommended action, or null if no action is needed. */
  readonly remedy: string | null;
}

export function ok(check: string, message: string): CheckResult {
  return { check, status: 'ok', message, remedy: null };
}

export function note(check: string, message: string, remedy: string | null = null): CheckResult {
  return { check, status: 'note', message, remedy };
}

export function warning(check: string, message: string, remedy: string): CheckResult {
  return { check, status: 'warning', message, remedy };
}

export function problem(check: string, message: string, remedy: string): CheckResult {
  return { check, status: 'problem', message, remedy };
}

/** Reports a problem that other commands report too. */
export function findingOf(
  check: string,
  status: Exclude<CheckResult['status'], 'ok'>,
  { cause, remedy }: Omit<Problem, 'name'>,
): CheckResult {
  return { check, status, message: cause.replace(/\.$/, ''), remedy };
}
