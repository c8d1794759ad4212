import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** One mistake in a request. */
export type Mistake =
  | { readonly is: 'unknown'; readonly name: string; readonly values: readonly string[] | null }
  | { readonly is: 'missing'; readonly name: string; readonly values: readonly string[] | null }
  | { readonly is: 'value'; readonly name: string; readonly values: readonly string[] }
  | { readonly is: 'short'; readonly name: string; readonly length: number }
  | { readonly is: 'large'; readonly name: string; readonly maximum: number };

type Templates = Readonly<Record<string, unknown>>;
type Group<Content> = Readonly<Record<string, Content>>;

/** The messages in several languages, the messages of frameworks, and parameter names that the probe does not guess. */
export const {
  languages: LANGUAGES,
  frameworks,
  names: NAMES,
} = parse(readFileSync(new URL('strict_messages.yaml', import.meta.url), 'utf8')) as {
  languages: Group<Group<string>>;
  frameworks: Group<Templates>;
  names: Group<string>;
};

/** Returns the sentence about a mistake in this language. */
export function sentenceOf(mistake: Mistake, language: string): string {
  const sentences = LANGUAGES[language] ?? {};
  const listed = mistake.is === 'unknown' ? sentences.allowed : sentences.values;
  const values = 'values' in mistake && mistake.values !== null ? [listed] : [];
  const parts = mistake.is === 'value' ? ['{name}:', ...values] : [sentences[mistake.is], ...values];
  return String(filledIn(parts.join(' '), mistake));
}

/** Returns a framework's text or object for a mistake, or the sentence if the framework has none of its own. */
function writtenBy(framework: string, mistake: Mistake, sentence = sentenceOf(mistake, 'en')): unknown {
  const templates = frameworks[framework] ?? {};
  const hasValues = 'values' in mistake && mistake.values !== null;
  const template = (hasValues ? templates[`${mistake.is} with values`] : undefined) ?? templates[mistake.is];
  return filledIn(template ?? '{sentence}', mistake, sentence);
}

/** Replaces placeholders in all texts below a template. A text that is only a placeholder can become a number or a list. */
function filledIn(template: unknown, mistake: Mistake, sentence = ''): unknown {
  if (Array.isArray(template)) return template.map((one) => filledIn(one, mistake, sentence));
  if (template !== null && typeof template === 'object')
    return Object.fromEntries(
      Object.entries(template).map(([key, value]) => [key, filledIn(value, mistake, sentence)]),
    );
  if (typeof template !== 'string') return template;
  const values = ('values' in mistake && mistake.values) || [];
  const quotedBy = (mark: string) => values.map((value) => `${mark}${value}${mark}`);
  const content: Readonly<Record<string, unknown>> = {
    ...mistake,
    sentence,
    list: values,
    values: values.join(', '),
    allowed: values.join(', '),
    words: mistake.name.replaceAll('_', ' '),
    'plain or': values.join(' or '),
    'quoted or': quotedBy("'").join(' or '),
    'quoted |': quotedBy('"').join('|'),
  };
  const [, only] = /^\{(length|maximum|list)\}$/.exec(template) ?? [];
  if (only !== undefined) return content[only];
  return template.replace(/\{([\w |]+)\}/g, (_, key: string) => String(content[key]));
}

export interface ErrorReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Format = (mistakes: readonly Mistake[], say: (mistake: Mistake) => string, path: string) => ErrorReply;

const json = (status: number, body: unknown, type = 'application/json'): ErrorReply => ({
  status,
  type,
  body: JSON.stringify(body),
});

const byName = <T>(mistakes: readonly Mistake[], text: (mistake: Mistake) => T): Record<string, T[]> =>
  Object.fromEntries(mistakes.map((mistake) => [mistake.name, [text(mistake)]]));

/** The error formats by name. */
export const FORMATS: Readonly<Record<string, Format>> = {
  problem: ([first], say, instance) =>
    json(
      400,
      { type: 'about:blank', title: 'Bad Request', status: 400, detail: first && say(first), instance },
      'application/problem+json',
    ),
  'problem with invalid-params': (mistakes, say) =>
    json(
      422,
      {
        title: 'Your request is not valid',
        status: 422,
        'invalid-params': mistakes.map((one) => ({ name: one.name, reason: say(one) })),
      },
      'application/problem+json',
    ),
  'json:api': (mistakes, say) =>
    json(400, {
      errors: mistakes.map((one) => ({
        status: '400',
        title: 'Invalid query parameter',
        detail: say(one),
        source: { parameter: one.name },
      })),
    }),
  'json:api titles': (mistakes, say) => json(400, { errors: mistakes.map((one) => ({ title: say(one) })) }),
  spring: ([first], say, path) =>
    json(400, {
      timestamp: '2026-03-01T12:00:00Z',
      status: 400,
      error: 'Bad Request',
      message: first && writtenBy('spring', first, say(first)),
      path,
    }),
  'spring errors': (mistakes, say, path) =>
    json(400, {
      status: 400,
      error: 'Bad Request',
      path,
      errors: mistakes.map((one) => ({ field: one.name, code: 'Invalid', defaultMessage: say(one) })),
    }),
  laravel: (mistakes, say) =>
    json(422, {
      message: mistakes[0] && say(mistakes[0]),
      errors: byName(mistakes, (one) => writtenBy('laravel', one)),
    }),
  fastapi: (mistakes) =>
    json(422, {
      detail: mistakes.map((one) => ({
        ...(writtenBy('pydantic', one) as object),
        loc: ['query', one.name],
      })),
    }),
  dotnet: (mistakes, say) =>
    json(400, {
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: byName(mistakes, say),
      traceId: '00-a1',
    }),
  zod: (mistakes) =>
    json(400, {
      success: false,
      error: { name: 'ZodError', issues: mistakes.map((one) => writtenBy('zod', one)) },
    }),
  fastify: ([first]) =>
    json(400, {
      statusCode: 400,
      code: 'FST_ERR_VALIDATION',
      error: 'Bad Request',
      message: first && writtenBy('ajv', first),
    }),
  'class-validator': (mistakes) =>
    json(400, {
      statusCode: 400,
      error: 'Bad Request',
      message: mistakes.map((one) => writtenBy('class-validator', one)),
    }),
  django: (mistakes, say) => json(400, byName(mistakes, say)),
  flat: ([first], say) => json(400, { error: 'invalid_request', message: first && say(first) }),
  xml: (mistakes, say) => ({
    status: 400,
    type: 'application/xml',
    body: `<?xml version="1.0" encoding="UTF-8"?><errors>${mistakes.map((one) => `<error><code>E17</code><parameter>${one.name}</parameter><message>${escaped(say(one))}</message></error>`).join('')}</errors>`,
  }),
  html: ([first], say) => ({
    status: 400,
    type: 'text/html',
    body: `<!doctype html><html><head><title>400</title></head><body><h1>400</h1><p>${first ? escaped(say(first)) : ''}</p></body></html>`,
  }),
  sentence: ([first], say) => ({ status: 400, type: 'text/plain', body: first ? say(first) : '' }),
};

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;');
}
