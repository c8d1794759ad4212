import { type Call, FIRST_PAGE } from '../call.ts';
import { type Circumstances, classify, type Reply } from '../dialect/classify.ts';
import { NOTHING_FOUND } from '../dialect/decode.ts';
import { Dialect } from '../dialect/dialect.ts';
import { readBody } from '../dialect/response_body.ts';
import type { Verdict } from '../outcome.ts';
import { type Exchange, type ProbeRequest, type Reading, softError } from './evidence.ts';

/** A call that carries its own address, because no dialect can write it yet. */
export type ProbeCall = Call & { readonly probe: ProbeRequest };

export function probeCall(probe: ProbeRequest): ProbeCall {
  const planned = { reason: probe.why, expected: 0, probe };
  switch (probe.kind) {
    case 'stats':
      return { kind: 'stats', ...planned };
    case 'entity':
      return { kind: 'entity', entityId: decodeURIComponent(probe.path.split('/').at(-1) ?? ''), ...planned };
    case 'search':
      return {
        kind: 'search',
        query: { by: 'name', text: probe.params[0]?.[1] ?? '' },
        page: FIRST_PAGE,
        ...planned,
      };
  }
}

export function isProbeCall(call: Call): call is ProbeCall {
  return 'probe' in call;
}

export function urlOfProbe(origin: string, { path, params }: ProbeRequest): URL {
  const url = new URL(origin + path);
  for (const [name, value] of params) url.searchParams.append(name, value);
  return url;
}

/** The text of a probe in `_call.target`. */
export function targetOfProbe(origin: string, probe: ProbeRequest): string {
  return `${probe.kind} ${urlOfProbe(origin, probe).href}`;
}

/** Reads a target back; null where it is of another host. */
export function probeOfTarget(origin: string, target: string, why: string): ProbeRequest | null {
  const space = target.indexOf(' ');
  const kind = target.slice(0, space);
  if ((kind !== 'stats' && kind !== 'search' && kind !== 'entity') || !URL.canParse(target.slice(space + 1)))
    return null;
  const url = new URL(target.slice(space + 1));
  return url.origin === origin ? { kind, path: url.pathname, params: [...url.searchParams], why } : null;
}

/**
 * What a reply means before there is a dialect. The defaults of HTTP decide, as they do with one; a good status
 * with JSON is an answer, unless the body is an error.
 */
export function readReply(
  request: ProbeRequest,
  call: Call,
  reply: Reply,
  circumstances: Circumstances,
): { readonly exchange: Exchange; readonly verdict: Verdict } {
  const { text: whole, json } = readBody(reply.body, reply.headers['content-type'] ?? '');
  const text = whole ?? '';
  const isGood = reply.status >= 200 && reply.status < 300;
  const soft = isGood ? softError(json) : null;
  const verdict =
    isGood && soft === null && json !== undefined
      ? understood(call)
      : classify(SILENT_DIALECT, call, soft === null ? reply : asRefusal(reply), circumstances);
  const { status, headers } = reply;
  const exchange = {
    request,
    status,
    headers,
    json,
    text: text.slice(0, KEPT_TEXT),
    reading: readingOf(verdict, status),
  };
  return { exchange, verdict };
}

// Knows nothing: every meaning comes from the defaults.
export const SILENT_DIALECT = Dialect.parse({
  search: { query_param: 'q', paging: { style: 'none' }, results: '', id: '' },
  entity: { id: '' },
});

const KEPT_TEXT = 20_000;

/** An error under a good status is read as the refusal that it is: its words decide between a limit and the rest. */
function asRefusal(reply: Reply): Reply {
  const speaksOfLimit = LIMIT_WORDS.test(reply.body.toString('utf8').slice(0, KEPT_TEXT));
  return { ...reply, status: speaksOfLimit ? 429 : 400 };
}

const LIMIT_WORDS =
  /rate.?limit|too many requests|quota|requests? of this|allowance|limit (was |is |has been )?(reached|exceeded)/i;

function understood(call: Call): Verdict {
  switch (call.kind) {
    case 'search':
      return { is: 'ok', answer: { ...NOTHING_FOUND, total: null } };
    case 'stats':
      return { is: 'ok', answer: { kind: 'stats', total: null, document: {} } };
    case 'entity':
      return { is: 'ok', answer: { kind: 'record', entityId: call.entityId, name: null, document: {} } };
  }
}

function readingOf(verdict: Verdict, status: number): Reading {
  if (verdict.is === 'ok') return 'answered';
  if (verdict.is === 'throttled' || verdict.is === 'exhausted' || verdict.is === 'unauthorised')
    return 'turned_away';
  if (status === 404 || status === 410) return 'absent';
  return verdict.is === 'refused' ? 'refused' : 'broken';
}
