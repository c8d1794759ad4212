/** The result of one check. */
export interface Finding {
  /** The checked subject, in one or two words. */
  readonly check: string;
  /** problem: something does not work; warning: something may go wrong; note: useful information. */
  readonly is: 'ok' | 'note' | 'warning' | 'problem';
  /** The result, as a sentence without full stop. */
  readonly what: string;
  /** The recommended action; null: no action is needed. */
  readonly remedy: string | null;
}

export function ok(check: string, what: string): Finding {
  return { check, is: 'ok', what, remedy: null };
}

export function note(check: string, what: string, remedy: string | null = null): Finding {
  return { check, is: 'note', what, remedy };
}

export function warning(check: string, what: string, remedy: string): Finding {
  return { check, is: 'warning', what, remedy };
}

export function problem(check: string, what: string, remedy: string): Finding {
  return { check, is: 'problem', what, remedy };
}
