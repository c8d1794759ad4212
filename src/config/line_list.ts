import { readFileSync } from 'node:fs';

/** Reads a file with one value per line, without blank lines and comments. */
export function readLines(path: string): string[] {
  const lines = readFileSync(path, 'utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !isComment(line));
}

/** Returns whether a line is a comment (`# …`). A name may begin with # but not with # and a space. */
export function isComment(line: string): boolean {
  return /^#(\s|$)/.test(line);
}
