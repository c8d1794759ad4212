import { RE2JS } from 're2js';

/** A compiled pattern of the response table: not case-sensitive, matches anywhere in the text. */
export interface Pattern {
  test(text: string): boolean;
}

/**
 * Compiles a pattern in RE2 syntax, without look-around and back-references. Its time is linear in the length of the
 * text. The upstream chooses the text, and with RegExp a pattern such as `(\w+\s?)*limit` can run for hours.
 *
 * @throws SyntaxError if the pattern is invalid.
 */
export function compilePattern(pattern: string): Pattern {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
