import type { ResponseRule } from '../../dialect/dialect.ts';
import { scalarText } from '../../json/json.ts';
import { foldCharacters, MAXIMUM, TOO_BROAD } from '../errors/error_words.ts';
import type { Exchange } from '../evidence.ts';
import { leavesOf } from '../json_leaves.ts';
import { isTooBroad } from '../refusals.ts';

/**
 * Returns the rule that reads the number of matches from the message that rejects a broad query, such as "too many
 * results (581 859)". Returns [] if no rejection states such a number. A number after "at most" or "more than" is the
 * limit, not the number of matches.
 */
export function broadQueryRules(searches: readonly Exchange[]): ResponseRule[] {
  const rules = searches.filter(isTooBroad).flatMap((search): ResponseRule[] => {
    if (search.status === null) return [];
    return messagesIn(search).flatMap(({ at, text }) => {
      const prefix = textBeforeTotal(text);
      if (prefix === null) return [];
      const before = escaped(prefix);
      return [
        {
          kind: 'search',
          status: search.status ?? 400,
          ...(at === null ? {} : { at }),
          matches: before,
          total: `${before}${NUMBER}`,
          means: 'refused',
        },
      ];
    });
  });
  return rules.slice(0, 1);
}

/** Returns the texts in a rejection that state that the query has too many matches, with their JSON paths. */
function messagesIn({ json, text }: Exchange): { readonly at: string | null; readonly text: string }[] {
  const texts =
    json === undefined
      ? [{ at: null, text }]
      : leavesOf(json).map(({ pointer, value }) => ({ at: pointer, text: scalarText(value) ?? '' }));
  return texts.filter((message) => TOO_BROAD.test(foldCharacters(message.text)));
}

/** Returns the words before the number of matches, or null if the text has no such number. */
function textBeforeTotal(text: string): string | null {
  const folded = foldCharacters(text);
  for (const { index, 0: number } of text.matchAll(/\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+(?!\d)|\d+/gu)) {
    const before = folded.slice(Math.max(0, index - WORDS_BEFORE), index);
    if (Number(number.replace(/\D/g, '')) < 2 || MAXIMUM.test(before) || MORE_THAN.test(before)) continue;
    const start = text.slice(Math.max(0, index - PREFIX_CHARS), index);
    // The prefix must not contain another number, which could differ in the next rejection.
    const prefix = start.replace(/^.*\d/su, '');
    return /\p{L}/u.test(prefix) ? prefix : null;
  }
  return null;
}

const MORE_THAN =
  /\b(more than|over|above|exceeds?|limit\w*|mehr als|uber|plus de|mas de|piu di|oltre|meer dan|mer enn|mere end|mer an|ponad|mais de|yli)\W*$/;

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The first group of the pattern is a number, with spaces, points or commas between its digits. */
const NUMBER = "(\\d[\\d .,'’\\x{a0}\\x{202f}]*)";
const WORDS_BEFORE = 30;
const PREFIX_CHARS = 25;
