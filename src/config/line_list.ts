import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';

/** Reads a file with one value per line, without blank lines and comments. */
export function readLines(path: string): string[] {
  const lines = linesOf(listText(readFileSync(path), path));
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !isComment(line));
}

/**
 * Returns a list's text without its byte order mark. `from` is the list's name in messages.
 *
 * @throws UsageError if the bytes are not text, because a call for a value of it would be wasted.
 */
export function listText(bytes: Buffer, from: string): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (isUtf16 || isUtf8(bytes)) return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  throw new UsageError(`${from} is not UTF-8 text`, {
    hint: 'Convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW-FILE',
  });
}

/** Splits a list into lines with any line endings. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Returns whether a line is a comment (`# …`). A name may begin with # but not with # and a space. */
export function isComment(line: string): boolean {
  return /^#(\s|$)/.test(line);
}
