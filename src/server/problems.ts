/**
 * Everything that a request can be refused for. The codes are stable: clients may rely on them. `type` of a
 * problem document (RFC 9457) is `/problems/<code>`, which the server answers with this description.
 */
export const PROBLEMS = {
  credentials_missing: { status: 401, title: 'Send the key of an account as "Authorization: Bearer <key>".' },
  credentials_invalid: { status: 401, title: 'No account has this key.' },
  account_suspended: { status: 403, title: 'The account may not use this service.' },
  not_found: { status: 404, title: 'There is nothing at this path.' },
  entity_not_found: { status: 404, title: 'No company has this id.' },
  entity_gone: { status: 410, title: 'The company was removed from the registry.' },
  record_not_mirrored: { status: 504, title: 'The company is known; its record is not in this mirror.' },
  method_not_allowed: { status: 405, title: 'This path answers to GET alone.' },
  parameter_invalid: { status: 400, title: 'A parameter is missing, unknown or not in its range.' },
  query_too_short: { status: 400, title: 'The query is too short.' },
  query_too_broad: { status: 400, title: 'The query matches too many companies.' },
  window_exceeded: { status: 400, title: 'Results beyond the window cannot be reached: narrow the query.' },
  rate_limited: { status: 429, title: 'The requests of this minute are used up.' },
  allowance_exhausted: { status: 429, title: 'The allowance of this account is spent.' },
  request_malformed: { status: 400, title: 'The request cannot be read.' },
  internal_error: { status: 500, title: 'The server failed.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One refusal: the code, what is special about this case, and the status where a shape has its own. */
export interface Problem {
  readonly code: ProblemCode;
  readonly detail?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}
