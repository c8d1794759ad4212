import { isUtf8 } from 'node:buffer';
import { type Json, LimitExceeded, parseJson } from '../json/json.ts';

/** A reply's body, read once: text where its bytes are text, JSON where the text is JSON. */
export interface Body {
  readonly text: string | null;
  /** undefined: it is no JSON, and `flaw` says why. */
  readonly json: Json | undefined;
  readonly flaw: string | null;
  /** Its JSON exceeds a limit, and would again. */
  readonly exceedsLimit: boolean;
  /** HTML or XML. */
  readonly isMarkup: boolean;
}

/** Reads any bytes; never throws. */
export function readBody(bytes: Buffer, contentType: string): Body {
  if (bytes.length === 0) return unreadable(null, 'the body is empty');
  const text = decodeText(bytes, contentType);
  if (text === null) return unreadable(null, 'the body is no text in its character set (UTF-8 unless named)');
  try {
    return { text, json: parseJson(text), flaw: null, exceedsLimit: false, isMarkup: false };
  } catch (error) {
    const exceedsLimit = error instanceof LimitExceeded;
    return {
      ...unreadable(text, isMarkup(text) ? 'the body is HTML or XML, not JSON' : flawIn(error)),
      exceedsLimit,
    };
  }
}

function unreadable(text: string | null, flaw: string): Body {
  return { text, json: undefined, flaw, exceedsLimit: false, isMarkup: text !== null && isMarkup(text) };
}

function flawIn(error: unknown): string {
  return error instanceof LimitExceeded
    ? `the body ${error.message}`
    : 'the body is not JSON, or not all of it came';
}

export function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/** JSON is UTF-8 (RFC 8259) unless the answer names another character set; bytes that fit none are no text. */
function decodeText(bytes: Buffer, contentType: string): string | null {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase();
  // Whatever an answer claims, bytes that are valid UTF-8 are hardly ever anything else; but UTF-16 and
  // ISO-2022 can consist of ASCII bytes throughout.
  const looksLikeAscii = charset !== undefined && /^(utf-?16|iso-2022)/.test(charset);
  if (isUtf8(bytes) && !looksLikeAscii) return bytes.toString('utf8');
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return null;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
