import { RE2JS } from 're2js';
import { messageOf } from '../errors.ts';

/** A compiled pattern from the response table. It ignores case and matches anywhere in the text. */
export interface Pattern {
  test(text: string): boolean;
  /**
   * Returns the text that the first group captures in the first match. Returns null if the pattern does not match or
   * has no group.
   */
  firstGroup(text: string): string | null;
}

/**
 * Compiles a pattern in RE2 syntax, which has no look-around and no back-references. Matching therefore takes time
 * linear in the length of the text. This matters because the text comes from the upstream, and RegExp can take hours
 * for a pattern such as `(\w+\s?)*limit`.
 */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  return {
    test: (text) => compiled.test(text),
    firstGroup: (text) => {
      const matcher = compiled.matcher(text);
      return matcher.find() && matcher.groupCount() > 0 ? matcher.group(1) : null;
    },
  };
}

/** Returns why a pattern is invalid, or null if it is valid. */
export function patternFault(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
