import type { ApiProfile, ErrorBody } from './api_profile.ts';
import { type ApiResponse, JSON_TYPE } from './request_context.ts';

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

/** A refusal in the words of the shape. */
export function errorResponse(profile: ApiProfile, problem: Problem, path: string): ApiResponse {
  const status = statusOf(profile, problem);
  const detail = problem.detail ?? PROBLEMS[problem.code].title;
  const { type, body } = bodyOf(profile.errors.body, { code: problem.code, status, detail, path });
  return {
    status,
    headers: { ...(type === null ? {} : { 'content-type': type }), ...problem.headers },
    body,
  };
}

function statusOf({ errors }: ApiProfile, { code, status }: Problem): number {
  if (code === 'rate_limited') return errors.throttled.status;
  if (code === 'allowance_exhausted') return errors.exhausted.status;
  return status ?? PROBLEMS[code].status;
}

interface Facts {
  readonly code: Problem['code'];
  readonly status: number;
  readonly detail: string;
  readonly path: string;
}

function bodyOf(
  style: ErrorBody,
  { code, status, detail, path }: Facts,
): { type: string | null; body: string } {
  const json = (body: unknown) => ({ type: JSON_TYPE, body: JSON.stringify(body) });
  const { title } = PROBLEMS[code];
  switch (style) {
    case 'problem': {
      const body = JSON.stringify({ type: `/problems/${code}`, title, status, detail, instance: path, code });
      return { type: 'application/problem+json; charset=utf-8', body };
    }
    case 'nested':
      return json({ error: { code, message: detail } });
    case 'message':
      return json({ error: { message: detail } });
    case 'flat':
      return json({ error: code, message: detail, status });
    case 'list':
      return json({ errors: [{ error: code.replaceAll('_', '-'), type: 'registry:service' }] });
    case 'json_api':
      return json({ errors: [{ status: String(status), code, title, detail }] });
    case 'spring':
      return json({ status: String(status), error: title, message: code, path });
    case 'html':
      return { type: 'text/html; charset=utf-8', body: htmlOf(status, title) };
    case 'empty':
      return { type: null, body: '' };
  }
}

function htmlOf(status: number, title: string): string {
  return `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>${title}</p></body></html>\n`;
}
