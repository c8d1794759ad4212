import type { Call } from '../call.ts';
import { type Json, stringifyJson } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import type { Verdict, VerdictKind } from '../outcome.ts';
import {
  decode,
  decodeTombstone,
  isMarkedGone,
  NOTHING_FOUND,
  NotUnderstood,
  sameScalar,
  scalarText,
} from './decode.ts';
import type { Dialect, ResponseRule } from './dialect.ts';
import { type Headers, rateLimitResetMs, retryAfterMs } from './headers.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { type Body, readBody } from './response_body.ts';
import { responseFormOf } from './response_form.ts';

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

export type Classify = (call: Call, reply: Reply, circumstances: Circumstances) => Verdict;

/**
 * Decides what a reply means: the dialect's response table first, then the defaults of HTTP. Pure, and
 * never throws on any reply; opening throws SyntaxError where a rule's pattern is none.
 */
export function openClassify(dialect: Dialect): Classify {
  const rules = dialect.responses.map(compiled);
  return (call, reply, circumstances) => {
    const body = readBody(reply.body, reply.headers['content-type'] ?? '');
    const rule = rules.find((candidate) => fits(candidate, call, reply, body));
    const subject = { dialect, call, reply, body, nowMs: circumstances.nowMs };
    if (rule !== undefined) return verdictByRule(rule.means, subject);
    return verdictOf(meaningByDefault(call, reply, body, circumstances), subject);
  };
}

/** The same for a single reply. */
export function classify(dialect: Dialect, call: Call, reply: Reply, circumstances: Circumstances): Verdict {
  return openClassify(dialect)(call, reply, circumstances);
}

interface Subject {
  readonly dialect: Dialect;
  readonly call: Call;
  readonly reply: Reply;
  readonly body: Body;
  readonly nowMs: number;
}

/** A rule may say of a search, too, that nothing is there; without a rule, a 404 there is a wrong path. */
function verdictByRule(means: VerdictKind, subject: Subject): Verdict {
  if (means === 'absent' && subject.call.kind === 'search') return { is: 'ok', answer: NOTHING_FOUND };
  return verdictOf(means, subject);
}

function verdictOf(means: VerdictKind, subject: Subject): Verdict {
  const { reply, body, nowMs, call } = subject;
  switch (means) {
    case 'ok':
      return understood(subject);
    case 'gone':
      return gone(subject);
    case 'absent':
      if (call.kind !== 'entity')
        return { is: 'broken', why: `${statusLine(reply)}: the path was not found` };
      return { is: 'absent', shape: responseFormOf(reply.status, body.json, body.text, call.entityId) };
    case 'throttled':
      return {
        is: 'throttled',
        untilMs: namedReturnMs(reply, nowMs) ?? nowMs + DEFAULT_THROTTLE_MS,
        why: gist(reply, body),
      };
    case 'exhausted':
      return { is: 'exhausted', untilMs: namedReturnMs(reply, nowMs), why: gist(reply, body) };
    case 'refused':
    case 'unauthorised':
      return { is: means, why: gist(reply, body) };
    default:
      return { is: 'broken', why: gist(reply, body) };
  }
}

function understood(subject: Subject): Verdict {
  const { dialect, call, reply, body } = subject;
  if (body.json === undefined) {
    const verdict = broken(reply, body.flaw ?? 'the body is no JSON');
    return body.exceedsLimit ? { ...verdict, isLasting: true } : verdict;
  }
  if (call.kind === 'entity' && isMarkedGone(dialect, body.json)) return gone(subject);
  const answer = decode(dialect, call, body.json, reply.headers);
  return answer instanceof NotUnderstood
    ? { is: 'broken', why: `${statusLine(reply)}, but ${answer.why}`, misread: true }
    : { is: 'ok', answer };
}

function gone({ dialect, call, reply, body }: Subject): Verdict {
  if (call.kind !== 'entity') return broken(reply, 'only an entity can be gone');
  const answer = decodeTombstone(dialect, call.entityId, body.json);
  if (!(answer instanceof NotUnderstood)) return { is: 'gone', answer };
  // A status speaks of what was asked for; a mark in a body speaks of the record beside it.
  return isSuccess(reply.status) ? broken(reply, answer.why) : { is: 'gone', answer: null };
}

function broken(reply: Reply, why: string): Verdict & { is: 'broken' } {
  return { is: 'broken', why: `${statusLine(reply)}, but ${why}` };
}

type Rule = Omit<ResponseRule, 'matches' | 'status'> & {
  readonly statuses: readonly number[] | null;
  readonly pattern: Pattern | null;
};

function compiled({ matches, status, ...rule }: ResponseRule): Rule {
  return {
    ...rule,
    statuses: status === undefined ? null : [status].flat(),
    pattern: matches === undefined ? null : compilePattern(matches),
  };
}

function fits(rule: Rule, call: Call, reply: Reply, body: Body): boolean {
  if (rule.kind !== undefined && rule.kind !== call.kind) return false;
  if (rule.statuses !== null && !rule.statuses.includes(reply.status)) return false;
  if (rule.header !== undefined && !Object.hasOwn(reply.headers, rule.header.toLowerCase())) return false;
  const value = rule.at === undefined ? undefined : valueAt(body.json, rule.at);
  if (rule.at !== undefined && value === undefined) return false;
  if (rule.is !== undefined && (value === undefined || !sameScalar(value, rule.is))) return false;
  if (rule.pattern === null) return true;
  const text = rule.at === undefined ? body.text : textOf(value);
  return text !== null && rule.pattern.test(text.slice(0, SEARCHED_TEXT));
}

/** The meaning of statuses where the response table is silent (RFC 9110, RFC 6585, RFC 7725). */
function meaningByDefault(
  call: Call,
  reply: Reply,
  body: Body,
  { nowMs, keyHasWorked }: Circumstances,
): VerdictKind {
  const { status, headers } = reply;
  if (isSuccess(status)) return 'ok';
  switch (status) {
    case 401:
      return 'unauthorised';
    case 402:
      return 'exhausted';
    case 403:
      if (speaksOfLimit(body) || retryAfterMs(headers, nowMs) !== null) return 'throttled';
      if (!keyHasWorked) return 'unauthorised';
      // A page in markup comes from a firewall in front of the API, and says nothing of what was asked for.
      return body.isMarkup ? 'broken' : 'refused';
    case 404:
      return 'absent';
    case 410:
      return call.kind === 'entity' ? 'gone' : 'broken';
    case 400:
    case 413:
    case 414:
    case 416:
    case 422:
    case 451:
      return 'refused';
    case 429:
      return (namedReturnMs(reply, nowMs) ?? 0) - nowMs >= LONG_WAIT_MS ? 'exhausted' : 'throttled';
    case 503:
      return retryAfterMs(headers, nowMs) === null ? 'broken' : 'throttled';
    default:
      return 'broken';
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function speaksOfLimit(body: Body): boolean {
  return LIMIT_WORDS.test((body.text ?? '').slice(0, SEARCHED_TEXT));
}

/** When to come back, where the upstream says it in any of its headers. */
function namedReturnMs({ headers }: Reply, nowMs: number): number | null {
  return retryAfterMs(headers, nowMs) ?? rateLimitResetMs(headers, nowMs);
}

/** The reply in a line, for people: no control characters, whatever the upstream sent. */
function gist(reply: Reply, body: Body): string {
  const { status, headers } = reply;
  const location =
    status >= 300 && status < 400 ? ` (redirects to ${oneLine(headers.location ?? 'nowhere')})` : '';
  const text = oneLine(body.text ?? '');
  return `${statusLine(reply)}${location}${text === '' ? '' : `: ${text}`}`;
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 10 * GIST_LENGTH)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return line.length <= GIST_LENGTH ? line : `${line.slice(0, GIST_LENGTH).toWellFormed()}…`;
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
const GIST_LENGTH = 200;
const LIMIT_WORDS = /rate.?limit|too many requests|quota|limit (was |is |has been )?(reached|exceeded)/i;
