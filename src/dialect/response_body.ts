import { isUtf8 } from 'node:buffer';
import { isOutOfMemory } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject, LimitExceeded, parseJson } from '../json/json.ts';

/** A reply's body as text, and as JSON if it is valid JSON. */
export interface Body {
  /** Null if the bytes are not text. */
  readonly text: string | null;
  /** Undefined if the body is not JSON; `flaw` gives the reason. */
  readonly json: Json | undefined;
  readonly flaw: string | null;
  /** True if the JSON exceeds a limit. Another call would return the same body. */
  readonly exceedsLimit: boolean;
  /** True if the body is HTML or XML. */
  readonly isMarkup: boolean;
}

/**
 * Reads a body. It accepts any bytes. It throws only if the machine fails, for example for lack of memory. Such an error
 * does not depend on the body.
 */
export function readBody(bytes: Buffer, contentType: string): Body {
  if (bytes.length === 0) return unreadable('', 'the body is empty');
  const text = decodeText(bytes, contentType);
  if (text === null)
    return unreadable(null, 'the body is not valid text in its character set (default: UTF-8)');
  try {
    return { text, json: parseBody(text), flaw: null, exceedsLimit: false, isMarkup: false };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const exceedsLimit = error instanceof LimitExceeded;
    return {
      ...unreadable(text, isMarkup(text) ? 'the body is HTML or XML, not JSON' : flawIn(error)),
      exceedsLimit,
    };
  }
}

/** Parses a body's text. @throws SyntaxError if it is not JSON, and LimitExceeded. */
export function parseBody(text: string): Json {
  return withNamedCells(parseJson(withoutCallback(text)));
}

/**
 * Returns the argument of a function call (JSONP), such as `callback({"Names":[]});`, or else the text itself. The patterns
 * read only the text around the argument, because a pattern that reads millions of characters can overflow the stack.
 */
function withoutCallback(text: string): string {
  const before = /^\s*(?:\/\*.{0,200}?\*\/\s*)?[\p{L}_$][\p{L}\p{N}_$.]{0,200}\s*\(\s*(?=[{[])/su.exec(
    text,
  )?.[0];
  if (before === undefined) return text;
  const after = /[}\]](\s*\)\s*;?\s*)$/.exec(text.slice(-200))?.[1];
  return after === undefined ? text : text.slice(before.length, text.length - after.length);
}

function unreadable(text: string | null, flaw: string): Body {
  return { text, json: undefined, flaw, exceedsLimit: false, isMarkup: text !== null && isMarkup(text) };
}

function flawIn(error: unknown): string {
  return error instanceof LimitExceeded
    ? `the body ${error.message}`
    : 'the body is not JSON, or is incomplete';
}

export function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/**
 * Decodes bytes as UTF-8 (RFC 8259), as UTF-16 if they begin with its byte order mark, or in the character set that the
 * response states. Returns null if they are invalid in it.
 */
export function decodeText(bytes: Buffer, contentType: string): string | null {
  const stated = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase();
  const charset = utf16MarkOf(bytes) ?? stated;
  // Bytes that are valid UTF-8 are almost always UTF-8, whatever the response states. UTF-16 and ISO-2022 are
  // exceptions, because their bytes can all be ASCII.
  const looksLikeAscii = charset !== undefined && /^(utf-?16|iso-2022)/.test(charset);
  if (isUtf8(bytes) && !looksLikeAscii) return bytes.toString('utf8');
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return null;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    return null;
  }
}

/** Returns the character set whose byte order mark begins the bytes. UTF-8 never contains these bytes. */
function utf16MarkOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * Converts rows without keys to objects. Some APIs return a table as `{"columns": ["id", "name"], "rows": [[1, "Acme"]]}`,
 * at the top of the body or in one of its members. A list names the cells if it has as many different texts, or objects
 * with a text at `name`, as every row has cells. Any other body is returned unchanged.
 */
export function withNamedCells(body: Json): Json {
  if (!isJsonObject(body)) return body;
  const named = namedIn(body);
  const entries = Object.entries(named).map(([key, value]): [string, Json] => [
    key,
    isJsonObject(value) ? namedIn(value) : value,
  ]);
  const isSame = named === body && entries.every(([key, value]) => value === body[key]);
  return isSame ? body : Object.fromEntries(entries);
}

function namedIn(object: JsonObject): JsonObject {
  const entries = Object.entries(object);
  const tables = entries.filter((entry): entry is [string, Json[][]] => isTable(entry[1]));
  if (tables.length === 0) return object;
  const headers = entries.map(([, value]) => namesIn(value)).filter((names) => names !== null);
  const named = tables.flatMap(([key, rows]) => {
    const names = headers.find(({ length }) => rows.every((row) => row.length === length));
    return names === undefined ? [] : [[key, rows.map((row) => rowOf(names, row))] as const];
  });
  return named.length === 0 ? object : { ...object, ...Object.fromEntries(named) };
}

function isTable(value: Json): value is Json[][] {
  return Array.isArray(value) && value.length > 0 && value.every((row) => Array.isArray(row));
}

/** Returns the names of a table's columns, or null if the value is no list of different names. */
function namesIn(value: Json): string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const names = value
    .map((one) => (isJsonObject(one) ? one.name : one))
    .filter((name) => typeof name === 'string' && name !== '') as string[];
  return names.length === value.length && new Set(names).size === names.length ? names : null;
}

function rowOf(names: readonly string[], cells: readonly Json[]): JsonObject {
  return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null]));
}
