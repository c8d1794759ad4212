import { RE2JS } from 're2js';

/** A pattern of the response table, compiled: case-insensitive, found anywhere in the text. */
export interface Pattern {
  test(text: string): boolean;
}

/**
 * Compiles a pattern in RE2's syntax: no look-around and no back-references, and in return a time that is
 * linear in the text. The texts come from the upstream, and with RegExp a pattern as innocent as
 * `(\w+\s?)*limit` would let one of them hold up the mirror for hours. Throws SyntaxError.
 */
export function compilePattern(pattern: string): Pattern {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
