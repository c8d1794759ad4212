import { type Answer, JSON_TYPE } from './answer.ts';
import { PROBLEMS, type Problem } from './problems.ts';
import type { ErrorBody, Shape } from './shape/shape.ts';

/** A refusal in the words of the shape. */
export function errorAnswer(shape: Shape, problem: Problem, path: string): Answer {
  const status = statusOf(shape, problem);
  const detail = problem.detail ?? PROBLEMS[problem.code].title;
  const { type, body } = bodyOf(shape.errors.body, { code: problem.code, status, detail, path });
  return {
    status,
    headers: { ...(type === null ? {} : { 'content-type': type }), ...problem.headers },
    body,
  };
}

function statusOf({ errors }: Shape, { code, status }: Problem): number {
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
