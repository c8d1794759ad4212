import type { Call } from '../call.ts';
import { isJsonObject, type Json, scalarText, stringifyJson } from '../json/json.ts';
import { onlyValueAt, type Pointer } from '../json/pointer.ts';
import { RECORD_OF, REPLACED_BY, REPORTED_GONE, type Verdict, type VerdictKind } from '../outcome.ts';
import { idText, isSameId, NotUnderstood } from './body_values.ts';
import { decode, decodeTombstone, hasNoRecord, isMarkedGone, sameScalar } from './decode.ts';
import { isSuccess, meaningByDefault } from './default_responses.ts';
import type { Dialect, ResponseRule } from './dialect.ts';
import { type Headers, returnMs } from './headers.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { limitReportedIn, MAX_SEARCHED_CHARS } from './quota_words.ts';
import { idInPath } from './request.ts';
import { type Body, readBody } from './response_body.ts';
import { responseFormOf } from './response_form.ts';
import { elementsAt, NOTHING_FOUND, resultsIn } from './search_results.ts';

/** The response to one call. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Circumstances {
  readonly nowMs: number;
  /** True if the upstream has accepted the key before. A 403 then concerns the requested resource, not the key. */
  readonly keyHasWorked: boolean;
}

/** Classifies a reply. `body` is the parsed body, if the caller has already parsed it. */
export type Classify = (call: Call, reply: Reply, circumstances: Circumstances, body?: Body) => Verdict;

/** Parses a reply's body. */
export function bodyOf({ body, headers }: Reply): Body {
  return readBody(body, headers['content-type'] ?? '');
}

/**
 * Returns a function that classifies replies, first by the dialect's response table and then by the default rules. The
 * function is pure and never throws. `entityTemplate` is the records' URL with `{id}`. Without it, redirects between
 * records are not recognized.
 */
export function openClassify(dialect: Dialect, entityTemplate: string | null = null): Classify {
  const rules = dialect.responses.map(compiled);
  return (call, reply, { nowMs, keyHasWorked }, body = bodyOf(reply)) => {
    const { status, headers } = reply;
    const subject = { dialect, entityTemplate, call, reply, body, nowMs };
    const rule = rules.find((candidate) => applies(candidate, call, reply, body));
    // A rule that recognises an error by its key cannot distinguish a refused query from an exceeded limit.
    const limit = rule === undefined || rule.means === 'refused' ? limitIn(subject) : null;
    if (limit !== null) return verdictOf(limit, subject);
    return rule === undefined
      ? verdictOf(meaningByDefault({ call, status, headers, body, nowMs, keyHasWorked }), subject)
      : verdictByRule(rule, subject);
  };
}

/** Classifies a single reply. To classify many, use `openClassify`. */
export function classify(dialect: Dialect, ...given: Parameters<Classify>): Verdict {
  return openClassify(dialect)(...given);
}

interface Subject {
  readonly dialect: Dialect;
  readonly entityTemplate: string | null;
  readonly call: Call;
  readonly reply: Reply;
  readonly body: Body;
  readonly nowMs: number;
}

/**
 * Returns a rule's verdict. For a search, `absent` means that the search found nothing, and so does `ok` for a status that
 * comes without results, such as 204 or 404. Without such a rule, a 404 for a search means that the path is wrong.
 */
function verdictByRule({ means, at, total }: Rule, subject: Subject): Verdict {
  if (subject.call.kind === 'search' && meansNothingFound(means, subject))
    return { is: 'ok', answer: NOTHING_FOUND };
  const verdict = verdictOf(means, subject);
  if (means === 'ok' && verdict.is === 'broken' && subject.call.kind === 'search')
    return { ...verdict, why: `${verdict.why}; if the search found nothing, the rule's meaning is absent` };
  if (verdict.is !== 'refused' || total === null) return verdict;
  const matches = numberIn(total.firstGroup(searchedText(subject.body, at) ?? ''));
  return matches === null ? verdict : { ...verdict, total: matches };
}

function meansNothingFound(means: VerdictKind, { dialect: { search }, reply, body }: Subject): boolean {
  if (means !== 'ok') return means === 'absent';
  const hasList = elementsAt(resultsIn(body.json, search.results), search.results) !== null;
  return reply.status !== 200 && !hasList;
}

/** Parses a number such as `581 859`, `581.859` or `581,859`. Returns null for any other text. */
function numberIn(text: string | null): number | null {
  const digits = text?.replace(/[\s.,'’_]/g, '') ?? '';
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}

function verdictOf(means: VerdictKind, subject: Subject): Verdict {
  const { reply, body, nowMs, call } = subject;
  switch (means) {
    case 'ok':
      return understood(subject);
    case 'gone':
      return gone(subject);
    case 'absent':
      // A search without matches can have no content, and the page after the last one is often not found.
      if (call.kind === 'search' && reply.status === 204) return { is: 'ok', answer: NOTHING_FOUND };
      if (call.kind === 'search' && call.page.index > 0 && body.json !== undefined)
        return { is: 'ok', answer: { ...NOTHING_FOUND, total: null } };
      if (call.kind !== 'entity') {
        const hint = call.kind === 'search' && !body.isMarkup ? `; ${NOTHING_FOUND_HINT}` : '';
        const why = `${statusLine(reply)}: the path was not found${hint}`;
        return { is: 'broken', why, isWrongAddress: true };
      }
      return (
        replaced(subject) ?? {
          is: 'absent',
          shape: responseFormOf(reply.status, body.json, body.text, call.entityId),
        }
      );
    case 'throttled':
      return {
        is: 'throttled',
        untilMs: returnMs(reply.headers, nowMs) ?? nowMs + DEFAULT_THROTTLE_MS,
        why: summaryOf(reply, body),
      };
    case 'exhausted':
      return { is: 'exhausted', untilMs: returnMs(reply.headers, nowMs), why: summaryOf(reply, body) };
    case 'refused':
    case 'unauthorised':
      return { is: means, why: summaryOf(reply, body) };
    default:
      return replaced(subject) ?? otherwiseBroken(subject);
  }
}

/**
 * A retry of a permanent redirect would have the same result. For a record, it is a rejection. For a search, a rejection
 * would mean that the query is unsuitable.
 */
function otherwiseBroken({ call, reply, body }: Subject): Verdict {
  const why = summaryOf(reply, body);
  if (reply.status !== 301 && reply.status !== 308) return { is: 'broken', why };
  return call.kind === 'entity' ? { is: 'refused', why } : { is: 'broken', why, isLasting: true };
}

/** Returns the verdict if the response refers to the record of another entity, and null otherwise. */
function replaced(
  { entityTemplate: template, call, reply, body }: Subject,
  otherId: string | null = null,
): Verdict | null {
  if (call.kind !== 'entity') return null;
  const { entityId } = call;
  if (otherId !== null) return { is: 'absent', shape: RECORD_OF + otherId, replacedBy: otherId };
  const replacedBy =
    (template === null ? null : redirectedTo(reply, { template, entityId })) ??
    (reply.status < 500 ? replacementIn(body.json, entityId) : null);
  return replacedBy === null ? null : { is: 'absent', shape: REPLACED_BY + replacedBy, replacedBy };
}

function understood(subject: Subject): Verdict {
  const { dialect, call, reply, body } = subject;
  if (body.json === undefined) {
    const verdict = broken(reply, body.flaw ?? 'the body is not JSON');
    if (body.isMarkup) return { ...verdict, isWrongAddress: true };
    return isLastingFlaw(body) ? { ...verdict, isLasting: true } : verdict;
  }
  if (call.kind === 'entity' && isMarkedGone(dialect, body.json, call.entityId)) return gone(subject);
  if (call.kind === 'entity' && hasNoRecord(dialect, body.json, call.entityId))
    return verdictOf('absent', subject);
  const answer = decode(dialect, call, body.json, reply.headers);
  if (!(answer instanceof NotUnderstood)) return { is: 'ok', answer };
  return (
    replaced(subject, answer.otherId) ?? {
      is: 'broken',
      why: `${statusLine(reply)}, but ${answer.why}`,
      misread: true,
    }
  );
}

/** Returns the limit that a body without data reports, although the status is a success, and null otherwise. */
function limitIn({ dialect, call, reply, body }: Subject): 'exhausted' | 'throttled' | null {
  if (!isSuccess(reply.status) || body.json === undefined) return null;
  if ((body.text ?? '').length > MAX_ERROR_CHARS) return null;
  const answer = decode(dialect, call, body.json, reply.headers);
  const hasData =
    answer instanceof NotUnderstood
      ? answer.otherId !== null
      : answer.kind !== 'search' || answer.resultCount > 0;
  return hasData ? null : limitReportedIn(body.json, call.kind === 'search' ? call.query.text : '');
}

/**
 * Returns whether another call would return the same flaw, because the upstream writes the data in this way. A body that a
 * transfer damaged lacks its end, so it has fewer closing than opening brackets.
 */
function isLastingFlaw({ exceedsLimit, text }: Body): boolean {
  if (exceedsLimit || text === null) return true;
  return /^\s*[[{]/.test(text) && text.split(/[[{]/).length === text.split(/[\]}]/).length;
}

/** A longer body is data, and its words describe companies. */
const MAX_ERROR_CHARS = 1_000;

/** Without the record, a later listing can contradict the deletion, because a proxy can send a 410 for any record. */
function gone({ dialect, call, reply, body }: Subject): Verdict {
  if (call.kind !== 'entity') return broken(reply, 'only an entity can be gone');
  const answer = decodeTombstone(dialect, call.entityId, body.json);
  if (answer !== null && !(answer instanceof NotUnderstood)) return { is: 'gone', answer };
  // A mark in the body concerns the entity that the body describes, which may be another one.
  if (answer !== null && isSuccess(reply.status)) return broken(reply, answer.why);
  return { is: 'absent', shape: REPORTED_GONE };
}

function broken(reply: Reply, why: string): Verdict & { is: 'broken' } {
  return { is: 'broken', why: `${statusLine(reply)}, but ${why}` };
}

type Rule = Omit<ResponseRule, 'matches' | 'status' | 'total'> & {
  readonly statuses: readonly number[] | null;
  readonly pattern: Pattern | null;
  readonly total: Pattern | null;
};

function compiled({ matches, status, total, ...rule }: ResponseRule): Rule {
  return {
    ...rule,
    statuses: status === undefined ? null : [status].flat(),
    pattern: matches === undefined ? null : compilePattern(matches),
    total: total === undefined ? null : compilePattern(total),
  };
}

function applies(rule: Rule, call: Call, reply: Reply, body: Body): boolean {
  if (rule.kind !== undefined && rule.kind !== call.kind) return false;
  if (rule.statuses !== null && !rule.statuses.includes(reply.status)) return false;
  if (rule.header !== undefined && !Object.hasOwn(reply.headers, rule.header.toLowerCase())) return false;
  const value = rule.at === undefined ? undefined : onlyValueAt(body.json, rule.at);
  // Without a condition, `null` is no value: many responses have the key of an error with `null`.
  const isBare = rule.is === undefined && rule.pattern === null;
  if (rule.at !== undefined && (value === undefined || (isBare && value === null))) return false;
  if (rule.is !== undefined && (value === undefined || !sameScalar(value, rule.is))) return false;
  if (rule.pattern === null) return true;
  const text = searchedText(body, rule.at);
  return text !== null && rule.pattern.test(text);
}

/** Returns the value at a path as text, or the whole body if there is no path, limited to MAX_SEARCHED_CHARS. */
function searchedText(body: Body, at: Pointer | undefined): string | null {
  const text = at === undefined ? body.text : textOf(onlyValueAt(body.json, at));
  return text?.slice(0, MAX_SEARCHED_CHARS) ?? null;
}

/**
 * Summarizes the reply in one line for messages. Control characters are removed, because the text comes from the
 * upstream.
 */
function summaryOf(reply: Reply, body: Body): string {
  const { status, headers } = reply;
  const location =
    status >= 300 && status < 400 ? ` (redirects to ${oneLine(headers.location ?? 'nowhere')})` : '';
  const text = oneLine(messageIn(body.json) ?? body.text ?? '');
  return `${statusLine(reply)}${location}${text === '' ? '' : `: ${text}`}`;
}

/** Returns the sentence for people in a JSON error, such as the `detail` that RFC 9457 defines. */
function messageIn(json: Json | undefined): string | null {
  if (!isJsonObject(json)) return null;
  for (const key of MESSAGE_KEYS) {
    const value = Object.hasOwn(json, key) ? json[key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
    const inner = messageIn(value);
    if (inner !== null) return inner;
  }
  return null;
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 10 * MAX_SUMMARY_CHARS)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return line.length <= MAX_SUMMARY_CHARS ? line : `${line.slice(0, MAX_SUMMARY_CHARS).toWellFormed()}…`;
}

function statusLine(reply: Reply): string {
  return `HTTP ${reply.status}`;
}

function textOf(value: Json | undefined): string | null {
  if (value === undefined) return null;
  return scalarText(value) ?? stringifyJson(value);
}

const NOTHING_FOUND_HINT =
  'if it means that the search found nothing, add { status: 404, kind: search, means: absent } to dialect.responses';
/** A text, or an object that contains the text. */
const MESSAGE_KEYS = ['detail', 'message', 'error_description', 'error', 'title'];
const DEFAULT_THROTTLE_MS = 60_000;
const MAX_SUMMARY_CHARS = 200;

/**
 * Returns the id in the `Location` of a permanent redirect (301 or 308) to another record, or null if the response is no
 * such redirect. `template` is the records' URL with `{id}`.
 */
function redirectedTo(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  { template, entityId }: { readonly template: string; readonly entityId: string },
): string | null {
  const { location } = headers;
  if ((status !== 301 && status !== 308) || location === undefined) return null;
  const requested = template.replace('{id}', () => encodeURIComponent(entityId));
  if (!URL.canParse(location, requested)) return null;
  const { origin, pathname, search } = new URL(location, requested);
  const id = idInPath(template, origin + pathname + search);
  return id === null || id === '' || /[/?]/.test(id) || isSameId(id, entityId) ? null : id;
}

/** Returns the id that a body without a record names as the replacement, or null if it names none. */
function replacementIn(body: Json | undefined, entityId: string): string | null {
  if (!isJsonObject(body)) return null;
  for (const value of [body, ...Object.values(body)]) {
    if (!isJsonObject(value)) continue;
    const key = Object.keys(value).find((name) => REPLACEMENT_KEYS.test(name));
    const id = key === undefined ? null : idText(value[key]);
    if (id !== null && !isSameId(id, entityId)) return id;
  }
  return null;
}

const REPLACEMENT_KEYS = /^(replaced|superseded)_?by$|^(merged|moved)_?(in)?to$|^successor(_?id)?$/i;
