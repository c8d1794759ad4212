import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { idIn, NotUnderstood } from '../dialect/body_values.ts';
import { decode } from '../dialect/decode.ts';
import type { Dialect, SearchDialect } from '../dialect/dialect.ts';
import { decodeText, readBody } from '../dialect/response_body.ts';
import { companyIn, decodeSearch } from '../dialect/search_results.ts';
import { isJsonObject, type Json, scalarText, stringifyJson } from '../json/json.ts';
import { segmentsOf, valueAt } from '../json/pointer.ts';
import { significantWords } from '../names/similarity.ts';
import {
  answersAbout,
  answersThatMayMention,
  backfillQueriesIn,
  eraseEntity,
  eraseMessages,
  eraseProbe,
  eraseSearchesFor,
  namesOf,
  redactAnswer,
  type SuspectAnswer,
} from '../warehouse/forget.ts';
import { discardRebuild } from '../warehouse/rebuild.ts';
import { finishScrub, requestScrub } from '../warehouse/scrub.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

interface Forgotten {
  readonly entityId: string;
  /** The number of rows deleted from the tables. */
  readonly rows: number;
  /** The number of responses to other calls from which the entity was removed. */
  readonly answers: number;
  /** The queries of backfills that are a part of the entity's names. They stay, because a user typed them. */
  readonly queries: readonly string[];
}

interface ForgetResult {
  readonly forgotten: readonly Forgotten[];
  /**
   * False if a reader still uses an old version of the file, which contains the erased bytes. The next command that
   * writes to the warehouse after this reader has ended overwrites them.
   */
  readonly isOverwritten: boolean;
}

/**
 * Erases entities from the stored responses, the history, the search index, all later exports and the file's free
 * space. Only their ids are kept, so that the mirror never loads the entities again. The caller must hold the
 * warehouse's lock.
 */
export function forget(options: {
  warehouse: Warehouse;
  dialect: Dialect;
  entityIds: readonly string[];
  nowMs: number;
}): ForgetResult {
  const { warehouse, dialect, entityIds, nowMs } = options;
  const { db } = warehouse;
  const forgottenAt = isoTime(nowMs);
  discardRebuild(warehouse);
  const forgotten = entityIds.map((entityId) =>
    warehouse.write((): Forgotten => {
      const names = [...namesOf(db, entityId), ...namesInResponses(db, dialect, entityId)];
      const traces = tracesOf(entityId, [...new Set(names)]);
      const answers = redactResponses(warehouse, dialect, traces, forgottenAt);
      eraseSearchesFor(db, traces.names);
      eraseMessages(db, (message) => traces.pattern.test(message));
      const { rows } = eraseEntity(db, entityId, { names: traces.names, forgottenAt });
      requestScrub(db);
      return { entityId, answers, rows, queries: backfillQueriesIn(db, traces.names) };
    }),
  );
  return { forgotten, isOverwritten: finishScrub(db) };
}

/** Returns the names that stored records and search results show for an entity, including its earlier names. */
function namesInResponses(db: Database, dialect: Dialect, entityId: string): string[] {
  const names: (string | null)[] = [];
  for (const { kind, body, headers } of answersAbout(db, entityId)) {
    const { json } = readBody(body, headers['content-type'] ?? '');
    if (json === undefined) continue;
    const answer =
      kind === 'entity'
        ? decode(dialect, { kind, entityId, reason: '', expected: 0 }, json, headers)
        : decodeSearch(dialect.search, json, headers, 0);
    if (answer instanceof NotUnderstood) continue;
    if (answer.kind === 'record') names.push(answer.name);
    if (answer.kind === 'search')
      names.push(...answer.rows.filter((row) => row.entityId === entityId).map(({ name }) => name));
  }
  return names.flatMap((name) => name || []);
}

/** The texts by which a forgotten entity is recognised outside its own responses. */
interface Traces {
  readonly entityId: string;
  readonly names: readonly string[];
  /** Finds the id or one of the names as whole words. */
  readonly pattern: RegExp;
}

function tracesOf(entityId: string, names: readonly string[]): Traces {
  // Messages often omit the legal form. A single word without it could be a part of any text.
  const withoutForm = names.map(significantWords).filter((words) => words.length > 1);
  const distinctive = [...names, ...withoutForm.map((words) => words.join(' '))].filter(
    (name) => name.length >= MIN_NAME_LENGTH,
  );
  const texts = [entityId, ...distinctive].map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return {
    entityId,
    names,
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${texts.join('|')})(?![\\p{L}\\p{N}])`, 'iu'),
  };
}

/** A shorter name could be a part of any text. */
const MIN_NAME_LENGTH = 3;

function redactResponses({ db }: Warehouse, dialect: Dialect, traces: Traces, redactedAt: string): number {
  let redacted = 0;
  for (const answer of answersThatMayMention(db, traces.entityId)) {
    if (answer.kind === 'probe') {
      if (!isMentioned(traces, answer)) continue;
      eraseProbe(db, answer.callId);
    } else {
      const body = bodyWithout(dialect, traces, answer);
      if (body === null) continue;
      redactAnswer(db, answer.callId, { body, headers: headersWithout(traces, answer), redactedAt });
    }
    redacted += 1;
  }
  return redacted;
}

/** Returns the body without the entity, or null if the body does not contain it. */
function bodyWithout(dialect: Dialect, traces: Traces, answer: SuspectAnswer): Buffer | null {
  if (answer.kind !== 'search') return isMentioned(traces, answer) ? EMPTY : null;
  const contentType = answer.headers['content-type'] ?? '';
  const { json } = readBody(answer.body, contentType);
  if (!Array.isArray(valueAt(json, dialect.search.results)))
    return isMentioned(traces, answer) ? EMPTY : null;
  return withoutEntities(dialect.search, answer.body, contentType, new Set([traces.entityId]));
}

/** Returns the headers that do not mention the entity. A redacted body is always UTF-8. */
function headersWithout({ pattern }: Traces, { headers }: SuspectAnswer): string | null {
  const kept = Object.entries(headers).filter(([, value]) => !pattern.test(unescapedUrl(value)));
  const redacted = kept.map(([name, value]) => [name, name === 'content-type' ? 'application/json' : value]);
  return redacted.length === 0 ? null : JSON.stringify(Object.fromEntries(redacted));
}

/** Returns whether a request or its response contains the entity's id or one of its names, in any JSON escaping. */
function isMentioned({ pattern }: Traces, { target, body, headers }: SuspectAnswer): boolean {
  const text = decodeText(body, headers['content-type'] ?? '') ?? body.toString('latin1');
  return [text, unescaped(text), JSON.stringify(headers), unescapedUrl(target)].some((one) =>
    pattern.test(one),
  );
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, character: string) =>
    code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function unescapedUrl(url: string): string {
  try {
    return decodeURIComponent(url.replaceAll('+', ' '));
  } catch {
    return url;
  }
}

/**
 * Returns a search response's body with null in place of each entity that has one of these ids. Returns null if the
 * body has none of them, or if it has no result list. Returns an empty body if one of the entities also appears outside
 * the result list (`search.main`).
 */
export function withoutEntities(
  dialect: SearchDialect,
  body: Buffer,
  contentType: string,
  ids: ReadonlySet<string>,
): Buffer | null {
  const { json } = readBody(body, contentType);
  const list = valueAt(json, dialect.results);
  if (json === undefined || !Array.isArray(list))
    return [...ids].some((id) => body.includes(id)) ? EMPTY : null;
  if (dialect.main !== null && ids.has(idOf(dialect, valueAt(json, dialect.main)) ?? '')) return EMPTY;
  const isForgotten = (item: Json) => ids.has(idOf(dialect, item) ?? '');
  if (!list.some(isForgotten)) return null;
  const kept = list.map((item) => (isForgotten(item) ? null : item));
  return Buffer.from(stringifyJson(replaced(json, segmentsOf(dialect.results), kept)));
}

const EMPTY = Buffer.alloc(0);

function idOf(search: SearchDialect, element: Json | undefined): string | null {
  return scalarText(idIn(companyIn(search, element), search));
}

function replaced(value: Json, keys: readonly string[], replacement: Json): Json {
  const [key, ...deeper] = keys;
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((inner, at) => (String(at) === key ? replaced(inner, deeper, replacement) : inner));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === key ? replaced(inner, deeper, replacement) : inner,
    ]),
  );
}
