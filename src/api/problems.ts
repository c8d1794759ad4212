import type { FastifyReply } from 'fastify';
import type { ApiProfile } from './api_profile.ts';
import { errorBody } from './error_bodies.ts';
import { pathOf } from './http_server.ts';

/**
 * All reasons for rejecting a request. Their codes never change. A problem document's `type` (RFC 9457) is
 * `/problems/<code>`, and at this path the server returns the code's description.
 */
export const PROBLEMS = {
  credentials_missing: {
    status: 401,
    title: 'The key is missing. Send it as "Authorization: Bearer <key>".',
  },
  credentials_invalid: { status: 401, title: 'No account has this key.' },
  account_suspended: { status: 403, title: 'The account is suspended.' },
  not_found: { status: 404, title: 'This path does not exist.' },
  entity_not_found: { status: 404, title: 'No company has this id.' },
  nothing_found: { status: 404, title: 'No company matches the query.' },
  entity_gone: { status: 410, title: 'The company was removed from the registry.' },
  record_not_mirrored: { status: 504, title: 'The company is known, but its record is not in this mirror.' },
  table_unknown: { status: 404, title: 'This table or format does not exist.' },
  cursor_unknown: {
    status: 410,
    title: 'The cursor belongs to another mirror. Empty the copy and start with since=0.',
  },
  exports_busy: { status: 503, title: 'Too many exports are running. Retry later.' },
  method_not_allowed: { status: 405, title: 'This path supports only GET.' },
  parameter_invalid: { status: 400, title: 'A parameter is missing, unknown or out of range.' },
  query_too_short: { status: 400, title: 'The query is too short.' },
  query_too_broad: { status: 400, title: 'The query matches too many companies.' },
  window_exceeded: {
    status: 400,
    title: 'The page is beyond the last reachable result. Use a longer query.',
  },
  rate_limited: { status: 429, title: 'The account sent too many requests in the last minute.' },
  allowance_exhausted: { status: 429, title: 'The allowance of this account is used up.' },
  request_malformed: { status: 400, title: 'The request cannot be parsed.' },
  mirror_unavailable: { status: 503, title: 'The mirror cannot be read now. Retry later.' },
  internal_error: { status: 500, title: 'The server failed to process the request.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Why one request is rejected. */
export interface ApiProblem {
  readonly code: ProblemCode;
  /** What exactly was wrong. The default is the code's title. */
  readonly detail?: string;
  /** The response status. The default is the code's status. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that rejects the request with a problem. */
export class RejectedRequest extends Error {
  readonly problem: ApiProblem;

  constructor(problem: ApiProblem) {
    super(problem.detail ?? PROBLEMS[problem.code].title);
    this.problem = problem;
  }
}

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}

/** Sends the response to a rejected request, in the profile's error format. */
export function sendProblem(reply: FastifyReply, { errors }: ApiProfile, problem: ApiProblem): FastifyReply {
  const { code } = problem;
  const { title } = PROBLEMS[code];
  const status = statusOf(errors, problem);
  const detail = problem.detail ?? title;
  const path = pathOf({ url: reply.request.originalUrl });
  const { type, body } = errorBody(errors.body, { code, status, title, detail, path });
  if (type !== null) reply.header('content-type', type);
  return reply
    .code(status)
    .headers(problem.headers ?? {})
    .send(type === null ? null : body);
}

function statusOf(errors: ApiProfile['errors'], { code, status }: ApiProblem): number {
  if (code === 'entity_not_found') return errors.unknown_id;
  if (code === 'rate_limited') return errors.throttled.status;
  if (code === 'allowance_exhausted') return errors.exhausted.status;
  return status ?? PROBLEMS[code].status;
}

/** The page for an unknown path. */
export interface ErrorPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
