import type { Reply } from '../dialect/classify.ts';
import type { Headers } from '../dialect/headers.ts';

/** Takes the key out of a reply: some upstreams repeat it in their errors, and what is received is kept. */
export type Redact = (reply: Reply) => Reply;

export function openRedaction(apiKey: string): Redact {
  // A short key may stand in a name by chance, and a reply must not be altered without need.
  if (apiKey.length < SHORTEST_KEY) return (reply) => reply;
  // As it is, as JSON may write it, as a URL may write it.
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

const SHORTEST_KEY = 12;
