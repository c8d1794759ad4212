import { RE2JS } from 're2js';

/** A compiled pattern of the response table: not case-sensitive, matches anywhere in the text. */
export interface Pattern {
  test(text: string): boolean;
  /** The text of the first group where the pattern first matches; null: it does not match, or has no group. */
  firstGroup(text: string): string | null;
}

/**
 * Compiles a pattern in RE2 syntax, without look-around and back-references. Its time is linear in the length of the
 * text. The upstream chooses the text, and with RegExp a pattern such as `(\w+\s?)*limit` can run for hours.
 *
 * @throws SyntaxError if the pattern is invalid.
 */
export function compilePattern(pattern: string): Pattern {
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    return {
      test: (text) => compiled.test(text),
      firstGroup: (text) => {
        const matcher = compiled.matcher(text);
        return matcher.find() && matcher.groupCount() > 0 ? matcher.group(1) : null;
      },
    };
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
