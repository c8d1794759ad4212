import type { Call, CallKind } from '../call.ts';
import type { VerdictKind } from '../outcome.ts';
import { type Headers, retryAfterMs, returnMs } from './headers.ts';
import { MAX_SEARCHED_CHARS, reportsUsedUpQuota } from './quota_words.ts';
import type { Body } from './response_body.ts';

/** A response and its call, as far as the default rules need them. */
interface DefaultCase {
  readonly call: Call;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly nowMs: number;
  readonly keyHasWorked: boolean;
}

interface DefaultRule {
  readonly status: readonly number[] | 'success';
  /** The rule applies only to calls of this kind. */
  readonly kind?: CallKind;
  readonly if?: (response: DefaultCase) => boolean;
  readonly means: VerdictKind;
}

/**
 * The default meanings of responses, which apply if no row in the dialect's response table matches (RFC 9110, RFC 6585,
 * RFC 7725). The first matching row decides. A response that matches no row is `broken`.
 */
const DEFAULT_RULES: readonly DefaultRule[] = [
  { status: [204], kind: 'search', means: 'absent' },
  { status: 'success', means: 'ok' },

  { status: [400, 413, 414, 416, 422, 451], means: 'refused' },
  // A JSON body shows that the upstream can write JSON, so it does not accept the parameters.
  { status: [406], kind: 'search', if: ({ body }) => body.json !== undefined, means: 'refused' },
  { status: [401], means: 'unauthorised' },
  { status: [402], means: 'exhausted' },

  { status: [403, 429], if: isQuotaUsedUp, means: 'exhausted' },
  { status: [403], if: mentionsLimit, means: 'throttled' },
  { status: [403], if: hasRetryAfter, means: 'throttled' },
  { status: [403], kind: 'search', if: asksForFilter, means: 'refused' },
  { status: [403], if: ({ keyHasWorked }) => !keyHasWorked, means: 'unauthorised' },
  // A firewall in front of the API returns HTML. Such a response reveals nothing about the requested resource.
  { status: [403], if: ({ body }) => body.isMarkup, means: 'broken' },
  { status: [403], means: 'refused' },

  { status: [404], means: 'absent' },
  { status: [410], kind: 'entity', means: 'gone' },

  { status: [429], if: hasLongWait, means: 'exhausted' },
  { status: [429], means: 'throttled' },
  { status: [503], if: hasRetryAfter, means: 'throttled' },
];

/** Returns what a response means according to the default rules. */
export function meaningByDefault(response: DefaultCase): VerdictKind {
  return DEFAULT_RULES.find((rule) => applies(rule, response))?.means ?? 'broken';
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function applies(rule: DefaultRule, response: DefaultCase): boolean {
  const { status, call } = response;
  const hasStatus = rule.status === 'success' ? isSuccess(status) : rule.status.includes(status);
  return hasStatus && (rule.kind ?? call.kind) === call.kind && (rule.if?.(response) ?? true);
}

function mentionsLimit({ body }: DefaultCase): boolean {
  return LIMIT_WORDS.test((body.text ?? '').slice(0, MAX_SEARCHED_CHARS));
}

/** Returns whether the body asks for a filter or names a parameter. The upstream then refuses the search and not the key. */
function asksForFilter({ body }: DefaultCase): boolean {
  const text = (body.text ?? '').slice(0, MAX_SEARCHED_CHARS);
  return !body.isMarkup && FILTER_WORDS.test(text) && !KEY_WORDS.test(text);
}

/** Returns whether the body reports a used-up quota, unless a header requests a short wait. */
function isQuotaUsedUp({ body, headers, nowMs }: DefaultCase): boolean {
  const waitMs = (retryAfterMs(headers, nowMs) ?? Number.POSITIVE_INFINITY) - nowMs;
  return waitMs >= LONG_WAIT_MS && reportsUsedUpQuota(body);
}

function hasRetryAfter({ headers, nowMs }: DefaultCase): boolean {
  return retryAfterMs(headers, nowMs) !== null;
}

/**
 * Returns whether the requested wait is too long for a rate limit, so that a daily or monthly allowance must be
 * exhausted.
 */
function hasLongWait({ headers, nowMs }: DefaultCase): boolean {
  return (returnMs(headers, nowMs) ?? 0) - nowMs >= LONG_WAIT_MS;
}

const LONG_WAIT_MS = 3_600_000;
const FILTER_WORDS =
  /\b(add|specify|provide|supply|use) (\w+ ){0,4}(filter|query|search term|criteri)|(?<!\p{L})(param|parám|парам)/iu;
const KEY_WORDS = /\b(key|token|credential|authori[sz]|permission|subscri|licen[cs]e|plan)|ключ/i;
const LIMIT_WORDS = /rate.?limit|too many requests|quota|limit (was |is |has been )?(reached|exceeded)/i;
