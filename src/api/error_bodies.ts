import type { ResponseRule } from '../dialect/dialect.ts';
import { type Json, stringifyJson } from '../json/json.ts';
import { placedAt } from '../json/json_template.ts';
import type { Pointer } from '../json/pointer.ts';

/**
 * The forms of error bodies. From the same JSON paths, the service writes an error, and the client's dialect
 * distinguishes a request above the rate from an exhausted allowance.
 */
export const ERROR_BODIES = [
  'problem', // RFC 9457
  'nested',
  'message',
  'flat',
  'list',
  'json_api',
  'spring',
  'text',
  'html',
  'empty',
] as const;
type ErrorBody = (typeof ERROR_BODIES)[number];

/** What an error body can state about a rejected request. */
interface ErrorValues {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly path: string;
}

type Stated = 'type' | 'code' | 'status' | 'statusText' | 'title' | 'detail' | 'path';

/** Where a JSON body states what, in the order of its keys. */
const JSON_FORMS: Record<Exclude<ErrorBody, 'html' | 'empty'>, Readonly<Record<Pointer, Stated>>> = {
  problem: {
    '/type': 'type',
    '/title': 'title',
    '/status': 'status',
    '/detail': 'detail',
    '/instance': 'path',
    '/code': 'code',
  },
  nested: { '/error/code': 'code', '/error/message': 'detail' },
  message: { '/error/message': 'detail' },
  flat: { '/error': 'code', '/message': 'detail', '/status': 'status' },
  list: { '/errors/0/error': 'code', '/errors/0/type': 'type' },
  json_api: {
    '/errors/0/status': 'statusText',
    '/errors/0/code': 'code',
    '/errors/0/title': 'title',
    '/errors/0/detail': 'detail',
  },
  spring: { '/status': 'statusText', '/error': 'title', '/message': 'code', '/path': 'path' },
  text: { '/Message': 'detail' },
};

/** Returns the content type and the text of an error body. */
export function errorBody(
  form: ErrorBody,
  values: ErrorValues,
): { readonly type: string | null; readonly body: string } {
  const { status, title, code } = values;
  if (form === 'empty') return { type: null, body: '' };
  if (form === 'html') {
    const page = `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>${title}</p></body></html>\n`;
    return { type: 'text/html; charset=utf-8', body: page };
  }
  const stated = { ...values, type: `/problems/${code}`, statusText: String(status) };
  let body: Json = {};
  for (const [at, what] of Object.entries(JSON_FORMS[form])) body = placedAt(body, at, stated[what]);
  const type = form === 'problem' ? 'application/problem+json' : 'application/json';
  return { type: `${type}; charset=utf-8`, body: stringifyJson(body) };
}

interface LimitErrors {
  readonly body: ErrorBody;
  readonly throttled: { readonly status: number };
  readonly exhausted: { readonly status: number };
}

/** Returns the rules by which a client recognises a request above the rate and an exhausted allowance. */
export function limitRules({ body, throttled, exhausted }: LimitErrors): ResponseRule[] {
  if (body === 'empty') {
    // Only the status distinguishes throttled from exhausted. If both have the same status, waiting is safer.
    const rule: ResponseRule = { status: throttled.status, means: 'throttled' };
    return exhausted.status === 429 ? [rule] : [{ status: exhausted.status, means: 'exhausted' }, rule];
  }
  const codeAt = pathOf(body, 'code');
  const detailAt = pathOf(body, 'detail');
  const condition = (code: keyof typeof LIMIT_TITLES) => {
    if (codeAt !== null) return { at: codeAt, is: code };
    return { ...(detailAt === null ? {} : { at: detailAt }), matches: LIMIT_TITLES[code] };
  };
  return [
    { status: exhausted.status, ...condition('allowance_exhausted'), means: 'exhausted' },
    { status: throttled.status, ...condition('rate_limited'), means: 'throttled' },
  ];
}

function pathOf(form: Exclude<ErrorBody, 'empty'>, what: Stated): Pointer | null {
  if (form === 'html') return null;
  return Object.entries(JSON_FORMS[form]).find(([, stated]) => stated === what)?.[0] ?? null;
}

/** Patterns that match the problem titles in `problems.ts`. */
const LIMIT_TITLES = {
  rate_limited: 'requests in the last minute',
  allowance_exhausted: 'allowance of this account',
};
