/** The result of one check. */
export interface Finding {
  /** The checked subject, in one or two words. */
  readonly check: string;
  /** problem: something does not work; warning: something may go wrong; note: useful information. */
  readonly status: 'ok' | 'note' | 'warning' | 'problem';
  /** The result, as a sentence without full stop. */
  readonly message: string;
  /** The recommended action; null: no action is needed. */
  readonly remedy: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, remedy: null };
}

export function note(check: string, message: string, remedy: string | null = null): Finding {
  return { check, status: 'note', message, remedy };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, status: 'warning', message, remedy };
}

export function problem(check: string, message: string, remedy: string): Finding {
  return { check, status: 'problem', message, remedy };
}
