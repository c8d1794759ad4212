import type { Reply } from '../dialect/classify.ts';
import type { Headers } from '../dialect/headers.ts';
import { decodeText } from '../dialect/response_body.ts';
import { base64Forms, ENTITIES, keyPattern } from './key_pattern.ts';

/**
 * Removes the key and other secrets from replies and messages. Some upstreams echo the key in a reply, and replies are stored and shown
 * to users.
 */
export interface Redaction {
  /**
   * Returns the reply without the key. Returns null if the body contains the key in an encoding from which it cannot be
   * removed.
   */
  reply(reply: Reply): Reply | null;
  /** Like `reply`, for the first bytes of a reply. Leaves out their end if it contains the beginning of the key. */
  firstBytes(reply: Reply): Reply | null;
  text(text: string): string;
}

/** Replaces a removed secret. */
export const REMOVED = '[key]';

export function openRedaction(secrets: readonly string[]): Redaction {
  // A short key could occur in a company name by chance, and replies must not be changed unnecessarily.
  const redactions = secrets
    .filter((secret) => secret.length >= MIN_KEY_CHARS)
    .flatMap(partsOf)
    .map(openRedactionOf);
  return {
    reply: (reply) => redactions.reduce<Reply | null>((rest, each) => rest && each.reply(rest), reply),
    firstBytes: (reply) =>
      redactions.reduce<Reply | null>((rest, each) => rest && each.firstBytes(rest), reply),
    text: (text) => redactions.reduce((rest, each) => each.text(rest), text),
  };
}

/** Splits a long secret, such as a JWT, into parts of about the same length, because a pattern for all of it would be too large. */
function partsOf(secret: string): string[] {
  const count = Math.ceil(secret.length / MAX_PART_CHARS);
  const start = (part: number) => Math.round((part * secret.length) / count);
  return Array.from({ length: count }, (_, part) => secret.slice(start(part), start(part + 1)));
}

function openRedactionOf(apiKey: string): Redaction {
  const narrow = keyPattern(apiKey, { isWide: false });
  const wide = keyPattern(apiKey, { isWide: true });
  const forms = unescapedForms(apiKey);
  const decodedForms = [...new Set(forms.flatMap(decodings))];
  const mayHoldKey = beginningsFinder(decodedForms);
  const without = (text: string) => text.replace(narrow, REMOVED);

  /**
   * Reads the body as Latin-1, in which each byte is one character. All bytes outside the key therefore stay the same.
   */
  function withoutKey(body: Buffer): Buffer {
    const text = body.toString('latin1');
    const rest = body.includes(0) ? text.replace(wide, widePlaceholder) : without(text);
    return rest === text ? body : Buffer.from(rest, 'latin1');
  }

  /**
   * Returns whether the text contains the key after all encodings are decoded. This last check catches encodings,
   * character sets and separators that no pattern covers.
   */
  function holdsKey(body: Buffer, contentType: string): boolean {
    const text = decodeText(body, contentType) ?? body.toString('latin1');
    return decodings(text).some(
      (decoded) => mayHoldKey(decoded) && holdsAny(decoded, decodedForms, MIN_KEY_CHARS),
    );
  }

  function withoutAnyKey(reply: Reply): Reply | null {
    const headers = headersWithout(reply.headers, without);
    const body = withoutKey(reply.body);
    return holdsKey(body, headers['content-type'] ?? '') ? null : { ...reply, headers, body };
  }

  return {
    reply: withoutAnyKey,
    firstBytes: (reply) => {
      const rest = withoutAnyKey(reply);
      if (rest === null) return null;
      // Without zero bytes, UTF-16 and UTF-32 are readable even if they are cut within a character.
      const end = rest.body.subarray(-MAX_KEY_BYTES).toString('latin1').replaceAll('\0', '');
      const beginnings = decodedForms.map((form) => form.slice(0, BEGINNING_CHARS));
      const isCut = decodings(end).some((decoded) => holdsAny(decoded, beginnings, 1));
      return isCut ? { ...rest, body: rest.body.subarray(0, -MAX_KEY_BYTES) } : rest;
    },
    text: without,
  };
}

/** Returns the key and its encodings without escapes: base64, base64url and hexadecimal. */
function unescapedForms(apiKey: string): string[] {
  const base64 = base64Forms(apiKey);
  const base64Url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(apiKey).toString('hex');
  return [...new Set([apiKey, ...base64, ...base64Url, hex, hex.toUpperCase()])];
}

/**
 * Returns a placeholder with as many zero bytes between its characters as in the match, so that the text stays valid in
 * its character set.
 */
function widePlaceholder(match: string): string {
  return match.replace(/(\0*)[^\0](\0*).*/s, (_, before, between) => before + [...REMOVED].join(between));
}

function headersWithout(headers: Headers, without: (text: string) => string): Headers {
  const entries = Object.entries(headers);
  const cleaned = entries.map(([name, value]) => [without(name), without(String(value))] as const);
  const isSame = cleaned.every(
    ([name, value], at) => name === entries[at]?.[0] && value === entries[at]?.[1],
  );
  return isSame ? headers : Object.fromEntries(cleaned);
}

/**
 * Returns whether the text contains one of the forms. If a form has at least `fewestLetters` letters and digits,
 * only they are compared, without regard to case, so that nothing between them hides it.
 */
function holdsAny(text: string, forms: readonly string[], fewestLetters: number): boolean {
  const bareForms = forms.map(bare).filter((form) => form.length >= fewestLetters);
  const bareText = bare(text);
  return forms.some((form) => text.includes(form)) || bareForms.some((form) => bareText.includes(form));
}

/**
 * Returns a function that returns false only if the text contains none of the forms. It looks for their first letters and
 * digits, whatever is between them, in a tenth of the time that `holdsAny` takes.
 */
function beginningsFinder(forms: readonly string[]): (text: string) => boolean {
  const beginnings = forms.map((form) => bare(form).slice(0, BEGINNING_CHARS));
  if (!beginnings.every((beginning) => ASCII_BEGINNING.test(beginning))) return () => true;
  const wanted = new Set(beginnings.map(packed));
  const endings = new Uint8Array(ENDING + 1);
  for (const letters of wanted) endings[letters & ENDING] = 1;
  return (text) => {
    let letters = 0;
    const bytes = Buffer.from(text.normalize('NFKC'));
    for (let at = 0; at < bytes.length; at++) {
      const letter = LETTERS[bytes[at] as number] as number;
      if (letter === 0) continue;
      letters = ((letters << 6) | letter) & ALL_LETTERS;
      if (endings[letters & ENDING] === 1 && wanted.has(letters)) return true;
    }
    return false;
  };
}

/** Packs letters and digits into one number, with six bits for each. */
function packed(letters: string): number {
  return [...letters].reduce((all, one) => (all << 6) | (LETTERS[one.charCodeAt(0)] as number), 0);
}

/** Numbers ASCII letters, without regard to case, and digits. Other bytes have 0. */
const LETTERS = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-z\d]/i.test(character) ? Number.parseInt(character, 36) + 1 : 0;
});
const ALL_LETTERS = 2 ** 30 - 1;
/** The last two letters. */
const ENDING = 2 ** 12 - 1;
const ASCII_BEGINNING = /^[a-z\d]{5}$/;

/** Returns the letters and digits in lower case. Full-width characters and the like become ordinary ones. */
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}

/**
 * Returns the text itself and the text after each round of decoding. A key can include characters that look like an
 * escape, such as `=ae`, so it is decoded in the same way as the text.
 */
function decodings(text: string): string[] {
  const rounds = [text];
  for (let decoded = decodedOnce(text); decoded !== rounds.at(-1); decoded = decodedOnce(decoded)) {
    rounds.push(decoded);
    if (rounds.length > MOST_DECODINGS) break;
  }
  return rounds;
}

function decodedOnce(text: string): string {
  if (!/[=\\%&]/.test(text)) return text;
  return text
    .replace(/=\r?\n/g, '')
    .replace(/\\u\{?0{0,4}([\da-f]{2})\}?|(?:\\x|%u00|%|=)([\da-f]{2})/gi, (_, wide, narrow) =>
      fromCode(Number.parseInt(wide ?? narrow, 16)),
    )
    .replace(/&#(\d{1,9});?/g, (_, digits) => fromCode(Number(digits)))
    .replace(/&#x([\da-f]{1,6});?/gi, (_, digits) => fromCode(Number.parseInt(digits, 16)))
    .replace(/&([a-z]{2,6});/gi, (entity, name) => NAMED_CHARACTERS.get(name) ?? entity)
    .replace(/\\([^A-Za-z0-9])/g, '$1');
}

function fromCode(code: number): string {
  return code <= 0xffff ? String.fromCharCode(code) : '';
}

const NAMED_CHARACTERS = new Map(Object.entries(ENTITIES).map(([character, name]) => [name, character]));
const MIN_KEY_CHARS = 12;
const MAX_PART_CHARS = 64;
const MOST_DECODINGS = 5;
/** Fewer characters reveal too little of a key. */
const BEGINNING_CHARS = 5;
/** No encoding of a key is longer. */
const MAX_KEY_BYTES = 4096;
