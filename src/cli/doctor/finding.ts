/** What one check found. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string;
  /** problem: something does not work; warning: something may go wrong; note: worth knowing. */
  readonly is: 'ok' | 'note' | 'warning' | 'problem';
  /** What was found, as a sentence without its full stop. */
  readonly what: string;
  /** What to do about it; null where nothing is to be done. */
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
