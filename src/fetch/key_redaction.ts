import type { Reply } from '../dialect/classify.ts';
import type { Headers } from '../dialect/headers.ts';

/** Removes the key from a reply. Some upstreams repeat it in their errors, and replies are stored. */
export type Redact = (reply: Reply) => Reply;

export function openRedaction(apiKey: string): Redact {
  // A short key can be part of a name by chance, and a reply must not change without need.
  if (apiKey.length < MIN_KEY_CHARS) return (reply) => reply;
  // Plain, as in JSON, and as in a URL.
  const forms = [...new Set([apiKey, apiKey.replaceAll('/', '\\/'), encodeURIComponent(apiKey)])];
  const isIn = (text: string) => forms.some((form) => text.includes(form));
  const without = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, '[key]'), text);

  return (reply) => ({
    ...reply,
    headers: hasKey(reply.headers, isIn) ? withoutKey(reply.headers, without) : reply.headers,
    body: forms.some((form) => reply.body.includes(form))
      ? Buffer.from(without(reply.body.toString('latin1')), 'latin1')
      : reply.body,
  });
}

function hasKey(headers: Headers, isIn: (text: string) => boolean): boolean {
  return Object.values(headers).some((value) => isIn(String(value)));
}

function withoutKey(headers: Headers, without: (text: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, without(String(value))]));
}

const MIN_KEY_CHARS = 12;
