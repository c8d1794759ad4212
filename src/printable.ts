/**
 * Makes text safe at a border: a terminal, a mail, a log, a file name or a header. The upstream chooses names, ids and
 * messages, so they can contain line breaks, escape sequences and direction marks. All of them become U+FFFD.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '�');
}

// Matches control characters, lone surrogates, line separators and direction marks, but not joiners, because some
// scripts need them in names.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
