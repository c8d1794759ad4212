import { isUtf8 } from 'node:buffer';
import type { Call } from '../call.ts';
import type { RecordAnswer, Verdict, VerdictKind } from '../outcome.ts';
import { decode, decodeRecord, isMarkedGone, NotUnderstood, sameScalar, scalarText } from './decode.ts';
import type { Dialect, ResponseRule } from './dialect.ts';
import { type Headers, rateLimitResetMs, retryAfterMs } from './headers.ts';
import { isJsonObject, type Json, parseJson, stringifyJson } from './json.ts';
import { valueAt } from './pointer.ts';

/** What came back for one call. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Circumstances {
  readonly nowMs: number;
  /** The key has been accepted before: then a 403 is about the thing asked for, not about the key. */
  readonly keyHasWorked: boolean;
}

/**
 * Decides what a reply means: the dialect's response table first, then the defaults of HTTP. Pure, and
 * never throws on any reply.
 */
export function classify(dialect: Dialect, call: Call, reply: Reply, circumstances: Circumstances): Verdict {
  const body = readBody(reply);
  const rule = dialect.responses.find((candidate) => fits(candidate, call, reply, body));
  return verdictOf(rule?.means ?? meaningByDefault(call, reply, body, circumstances), {
    dialect,
    call,
    reply,
    body,
    nowMs: circumstances.nowMs,
  });
}

/** A reply's body, read once: text where its bytes are text, JSON where the text is JSON. */
interface Body {
  readonly text: string | null;
  readonly json: Json | undefined;
  readonly flaw: string | null;
}

interface Subject {
  readonly dialect: Dialect;
  readonly call: Call;
  readonly reply: Reply;
  readonly body: Body;
  readonly nowMs: number;
}

function verdictOf(means: VerdictKind, subject: Subject): Verdict {
  const { reply, body, nowMs, call } = subject;
  switch (means) {
    case 'ok':
      return understood(subject);
    case 'gone':
      return { is: 'gone', answer: tombstone(subject) };
    case 'absent':
      if (call.kind !== 'entity')
        return { is: 'broken', why: `${statusLine(reply)}: the path was not found` };
      return { is: 'absent', shape: shapeOf(reply.status, body.json, body.text, call.entityId) };
    case 'throttled': {
      const untilMs = retryAfterMs(reply.headers, nowMs) ?? rateLimitResetMs(reply.headers, nowMs);
      return { is: 'throttled', untilMs: untilMs ?? nowMs + DEFAULT_THROTTLE_MS, why: gist(reply, body) };
    }
    case 'exhausted': {
      const untilMs = retryAfterMs(reply.headers, nowMs) ?? rateLimitResetMs(reply.headers, nowMs);
      return { is: 'exhausted', untilMs, why: gist(reply, body) };
    }
    case 'refused':
    case 'unauthorised':
      return { is: means, why: gist(reply, body) };
    default:
      return { is: 'broken', why: gist(reply, body) };
  }
}

function understood({ dialect, call, reply, body }: Subject): Verdict {
  if (body.json === undefined) return { is: 'broken', why: `${statusLine(reply)}, but ${body.flaw}` };
  if (call.kind === 'entity' && isMarkedGone(dialect, body.json))
    return { is: 'gone', answer: recordIn(dialect, call.entityId, body.json) };
  const answer = decode(dialect, call, body.json, reply.headers);
  if (answer instanceof NotUnderstood)
    return { is: 'broken', why: `${statusLine(reply)}, but ${answer.why}` };
  return { is: 'ok', answer };
}

function tombstone({ dialect, call, body }: Subject): RecordAnswer | null {
  return call.kind === 'entity' && body.json !== undefined
    ? recordIn(dialect, call.entityId, body.json)
    : null;
}

function recordIn(dialect: Dialect, entityId: string, json: Json): RecordAnswer | null {
  const answer = decodeRecord(dialect, entityId, json);
  return answer instanceof NotUnderstood ? null : answer;
}

function fits(rule: ResponseRule, call: Call, reply: Reply, body: Body): boolean {
  if (rule.kind !== undefined && rule.kind !== call.kind) return false;
  if (rule.status !== undefined && ![rule.status].flat().includes(reply.status)) return false;
  if (rule.header !== undefined && reply.headers[rule.header.toLowerCase()] === undefined) return false;
  const value = rule.at === undefined ? undefined : valueAt(body.json, rule.at);
  if (rule.at !== undefined && value === undefined) return false;
  if (rule.is !== undefined && (value === undefined || !sameScalar(value, rule.is))) return false;
  if (rule.matches === undefined) return true;
  const text = rule.at === undefined ? body.text : textOf(value);
  return text !== null && new RegExp(rule.matches, 'iu').test(text.slice(0, SEARCHED_TEXT));
}

/** The meaning of statuses where the response table is silent (RFC 9110, RFC 6585). */
function meaningByDefault(
  call: Call,
  reply: Reply,
  body: Body,
  { nowMs, keyHasWorked }: Circumstances,
): VerdictKind {
  const { status, headers } = reply;
  if (status >= 200 && status < 300) return 'ok';
  const speaksOfLimit = LIMIT_WORDS.test((body.text ?? '').slice(0, SEARCHED_TEXT));
  switch (status) {
    case 401:
      return 'unauthorised';
    case 402:
      return 'exhausted';
    case 403:
      if (speaksOfLimit || retryAfterMs(headers, nowMs) !== null) return 'throttled';
      return keyHasWorked ? 'refused' : 'unauthorised';
    case 404:
      return 'absent';
    case 410:
      return call.kind === 'entity' ? 'gone' : 'broken';
    case 400:
    case 413:
    case 414:
    case 416:
    case 422:
      return 'refused';
    case 429: {
      const untilMs = retryAfterMs(headers, nowMs) ?? 0;
      return untilMs - nowMs >= LONG_WAIT_MS ? 'exhausted' : 'throttled';
    }
    case 503:
      return retryAfterMs(headers, nowMs) === null ? 'broken' : 'throttled';
    default:
      return 'broken';
  }
}

function readBody(reply: Reply): Body {
  if (reply.body.length === 0) return { text: null, json: undefined, flaw: 'the body is empty' };
  const text = decodeText(reply.body, reply.headers['content-type'] ?? '');
  if (text === null) return { text: null, json: undefined, flaw: 'the body is not valid UTF-8' };
  try {
    return { text, json: parseJson(text), flaw: null };
  } catch {
    const flaw = /^\s*</.test(text)
      ? 'the body is HTML or XML, not JSON'
      : 'the body is not JSON, or not all of it came';
    return { text, json: undefined, flaw };
  }
}

/** JSON is UTF-8 (RFC 8259) unless the answer names another character set; bytes that fit none are no text. */
function decodeText(bytes: Buffer, contentType: string): string | null {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return null;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * The shape of an answer, without what differs from one id to the next: its status, its keys, and the
 * values of keys that hold codes. Two 404s of one shape say the same thing.
 */
export function shapeOf(
  status: number,
  json: Json | undefined,
  text: string | null,
  entityId: string,
): string {
  if (json === undefined)
    return `${status} ${text === null ? 'empty' : /^\s*</.test(text) ? 'markup' : 'text'}`;
  const parts: string[] = [];
  outline(json, '', entityId, parts);
  return `${status} ${parts.sort().join(' ')}`.slice(0, 500);
}

function outline(value: Json, path: string, entityId: string, parts: string[]): void {
  if (parts.length > 40) return;
  if (Array.isArray(value)) {
    if (value[0] !== undefined) outline(value[0], `${path}[]`, entityId, parts);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) outline(value[key] as Json, `${path}/${key}`, entityId, parts);
  } else if (CODE_KEYS.test(path)) {
    parts.push(`${path}=${String(scalarText(value)).replaceAll(entityId, '{id}').slice(0, 60)}`);
  } else {
    parts.push(path);
  }
}

function gist(reply: Reply, body: Body): string {
  const text = body.text?.replace(/\s+/g, ' ').trim() ?? '';
  const location =
    reply.status >= 300 && reply.status < 400 ? ` (redirects to ${redirectTarget(reply)})` : '';
  return `${statusLine(reply)}${location}${text === '' ? '' : `: ${text.slice(0, 200)}`}`;
}

function redirectTarget(reply: Reply): string {
  const location = reply.headers.location;
  return location === undefined ? 'nowhere' : location.slice(0, 200);
}

function statusLine(reply: Reply): string {
  return `HTTP ${reply.status}`;
}

function textOf(value: Json | undefined): string | null {
  if (value === undefined) return null;
  return scalarText(value) ?? stringifyJson(value);
}

const DEFAULT_THROTTLE_MS = 60_000;
const LONG_WAIT_MS = 3_600_000;
const SEARCHED_TEXT = 20_000;
const LIMIT_WORDS = /rate.?limit|too many requests|quota|limit (was |is |has been )?(reached|exceeded)/i;
const CODE_KEYS = /\/(code|error|type|title|reason|status)$/i;
