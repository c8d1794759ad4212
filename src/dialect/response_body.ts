import { isUtf8 } from 'node:buffer';
import { isOutOfMemory } from '../errors.ts';
import { type Json, LimitExceeded, parseJson } from '../json/json.ts';
import { withNamedCells } from './named_cells.ts';

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
