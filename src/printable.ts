/**
 * Makes text safe at a border: a terminal, a mail, a log, a file name or a header. The upstream chooses names, ids and
 * messages, so they can contain line breaks, escape sequences and direction marks. All of them become U+FFFD.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '�');
}

/** Makes a text without styles safe, line by line. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

// Matches control characters, lone surrogates, line separators, direction marks and tags, but not joiners, because some
// scripts need them in names.
export const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Makes a whole text safe for a terminal: like `printable`, but keeps line breaks and the program's own styles. Values
 * in the text must be printable already, because a line break in a value would look like a line of the program.
 */
export function printableText(text: string): string {
  return text.replace(STYLE_OR_LINE, (found) => (OWN.test(found) ? found : '\ufffd'));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences that `styleText` writes
const OWN = /^(?:\n|\r\n|\t|\x1b\[(?:1|2|22|3[1-6]|39)m)$/;
// Matches an own sequence as a whole, or one unsafe character.
const STYLE_OR_LINE = new RegExp(`\\r\\n|\\x1b\\[\\d+m|${UNPRINTABLE.source}`, 'gu');

/** Quotes text as one word for a shell, in a command that the user may copy. */
export function shellWord(text: string): string {
  return `'${printable(text).replaceAll("'", "'\\''")}'`;
}
