import { type Call, FIRST_PAGE } from '../call.ts';
import { bodyOf, type Circumstances, classify, type Reply } from '../dialect/classify.ts';
import { Dialect } from '../dialect/dialect.ts';
import { reportsUsedUpQuota } from '../dialect/quota_words.ts';
import type { Body } from '../dialect/response_body.ts';
import { NOTHING_FOUND } from '../dialect/search_results.ts';
import { placeholdersIn } from '../dialect/template.ts';
import { parametersIn, UnwritableUrl, urlFrom, withoutConstants } from '../dialect/url_template.ts';
import type { Verdict } from '../outcome.ts';
import type { ProbeExchange, ProbeRequest, Reading } from './exchange.ts';
import { softError } from './soft_errors.ts';

/** A call that contains its own request, because there is no dialect yet that could build one. */
type ProbeCall = Call & { readonly probe: ProbeRequest };

export function probeCall(probe: ProbeRequest): ProbeCall {
  const planned = { reason: probe.why, expected: 0, probe };
  switch (probe.kind) {
    case 'stats':
      return { kind: 'stats', ...planned };
    case 'entity':
      return { kind: 'entity', entityId: probe.path, ...planned };
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

export function urlOfProbe(origin: string, { kind, path, params }: ProbeRequest): URL | UnwritableUrl {
  // Only searches have separate parameters. For other requests, the query string is part of the path.
  return kind === 'search' ? urlFrom(origin + path, Object.fromEntries(params)) : new URL(origin + path);
}

/** Returns the text that represents a probe request in `_call.target`. */
export function targetOfProbe(origin: string, probe: ProbeRequest): string {
  const url = urlOfProbe(origin, probe);
  return url instanceof UnwritableUrl ? '' : `${probe.kind} ${url.href}`;
}

/** Parses a `_call.target`. Returns null if it is not a probe request to this host. `template` is the search's URL. */
export function probeOfTarget(
  { origin, template }: { readonly origin: string; readonly template: string },
  target: string,
  why: string,
): ProbeRequest | null {
  const space = target.indexOf(' ');
  const kind = target.slice(0, space);
  if ((kind !== 'stats' && kind !== 'search' && kind !== 'entity') || !URL.canParse(target.slice(space + 1)))
    return null;
  const url = new URL(target.slice(space + 1));
  if (url.origin !== origin) return null;
  if (kind !== 'search') return { kind, path: url.pathname + url.search, params: [], why };
  const path = withoutConstants(template);
  const found = placeholdersIn(path).length === 0 ? null : parametersIn(path, url.href);
  return found === null
    ? { kind, path: url.pathname, params: [...url.searchParams], why }
    : {
        kind,
        path: path.slice(origin.length),
        why,
        params: [...Object.entries(found.named), ...found.others],
      };
}

/**
 * Classifies a response by the default rules, because no dialect is known yet. JSON with a success status is `ok`,
 * unless the body describes an error.
 */
export function readReply(
  request: ProbeRequest,
  call: Call,
  reply: Reply,
  circumstances: Circumstances,
  body = bodyOf(reply),
): { readonly exchange: ProbeExchange; readonly verdict: Verdict } {
  const { json } = body;
  const text = body.text?.slice(0, KEPT_CHARACTERS) ?? '';
  const isGood = reply.status >= 200 && reply.status < 300;
  const soft = isGood ? softError(json) : null;
  // Some APIs send an empty body if nothing was found.
  if (reply.status === 204 || (isGood && body.text === '')) {
    const { status, headers } = reply;
    return {
      exchange: { request, status, headers, json: null, text, reading: 'absent' },
      verdict: okVerdict(call),
    };
  }
  const verdict =
    isGood && soft === null && json !== undefined
      ? okVerdict(call)
      : classify(
          EMPTY_DIALECT,
          call,
          soft === null ? reply : asErrorStatus(reply, body),
          circumstances,
          body,
        );
  const { status, headers } = reply;
  const exchange = {
    request,
    status,
    headers,
    json,
    text,
    flaw: body.flaw,
    reading: readingOf(verdict, status),
  };
  return { exchange, verdict };
}

/** A dialect without a response table, so that the default rules classify every response. */
export const EMPTY_DIALECT = Dialect.parse({
  search: { query_param: 'q', paging: { style: 'none' }, results: '', id: '' },
  entity: { id: '' },
});

const KEPT_CHARACTERS = 20_000;

/**
 * For an error that was sent with a success status, changes the status to 429 if its text mentions a limit, otherwise
 * to 400.
 */
function asErrorStatus(reply: Reply, body: Body): Reply {
  const isLimit = LIMIT_WORDS.test(body.text ?? '') || reportsUsedUpQuota(body);
  return { ...reply, status: isLimit ? 429 : 400 };
}

const LIMIT_WORDS =
  /rate.?limit|too many requests|quota|requests? of this|allowance|limit (was |is |has been )?(reached|exceeded)/i;

function okVerdict(call: Call): Verdict {
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
  if (verdict.is === 'ok') return 'ok';
  if (verdict.is === 'throttled' || verdict.is === 'exhausted' || verdict.is === 'unauthorised')
    return 'rejected';
  if (status === 404 || status === 410) return 'absent';
  return verdict.is === 'refused' || (status >= 400 && status < 500) ? 'refused' : 'broken';
}
