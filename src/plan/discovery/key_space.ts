import type { SearchQuery } from '../../call.ts';

/** A longer query, which matches only companies that the shorter query also matches. */
export interface Extension {
  readonly text: string;
  /** The probability that a company matches this query if it matches the shorter query. */
  readonly likelihood: number;
  /** Whether the last character occurs in no known text. */
  readonly hasNewCharacter: boolean;
}

/** The extensions of one query. */
export interface Extensions {
  /** The extensions that can be sent and have not been sent yet, most promising first. */
  readonly offered: readonly Extension[];
  /** The probability that a company matches an extension that is not offered, or no extension at all. */
  readonly otherLikelihood: number;
  /** The probability that a company matches an extension that was sent; 0 if unknown. */
  readonly sentLikelihood: number;
  /** Whether there are more extensions than those offered. */
  readonly isTruncated: boolean;
}

/** How a query's known companies are distributed over its extensions. */
export interface Spread {
  /** The number of distinct extensions that are one step longer than the query and match a known company. */
  readonly distinct: number;
  /** The mean number of such extensions that one company matches. The mean exceeds 1 if names have several words. */
  readonly perCompany: number;
}

/** Counts texts by prefix. */
export interface Counts {
  /**
   * Adds a text. Prefixes of at most `countedTo` UTF-16 units are not counted, because they were already counted with
   * another text of the same company. With -1, all prefixes are counted. `weight` is the number of companies with this
   * text.
   */
  add(text: string, countedTo?: number, weight?: number): void;
  /** Returns the number of texts that begin with the prefix. */
  count(prefix: string): number;
  /** Returns the number of texts that equal this one. */
  ends(text: string): number;
  /** Returns the characters that follow the prefix, with the number of texts for each character. */
  followers(prefix: string): Map<string, number>;
}

/** The known texts by which queries find companies: names, words, substrings or identifiers. */
export interface KnownTexts {
  /** Adds one company's texts. */
  add(texts: readonly string[]): void;
  /**
   * Adds one company's texts without diacritics, for an upstream that ignores diacritics. `texts` have already been
   * added, and `plain` holds all of the company's texts without diacritics.
   */
  addWithoutDiacritics(texts: readonly string[], plain: readonly string[]): void;
  /** Returns the number of known companies that match the query. */
  known(query: string): number;
  /** Returns the number of known companies that match the query but none of its extensions. */
  ending(query: string): number;
  spread(query: string): Spread;
  extensions(query: string, isSent: (query: string) => boolean): Extensions;
}

/**
 * The names, words or identifiers that queries divide into parts. A key space stores the known companies' texts and
 * offers the queries that can be sent next.
 */
export interface KeySpace extends Omit<KnownTexts, 'add' | 'addWithoutDiacritics'> {
  readonly by: SearchQuery['by'];
  /** Whether one company can match two queries when neither of them extends the other. */
  readonly overlaps: boolean;
  /** Whether a second word can be added to a word with a truncated listing, as in `word second`. */
  readonly takesPairs: boolean;
  /**
   * Returns whether to count the words that occur together with this word. `unseen` estimates how many unseen companies
   * have the word.
   */
  pairsWith(word: string, unseen: () => number): boolean;
  /** Records the share of the query's companies that was listed. */
  recordListing(query: string, share: number): void;
  /** Returns how much the known companies that match the query resemble unseen companies, from 0 to 1. */
  resemblance(query: string): number;
  readonly companies: number;
  /** The number of alphabets that known texts use. A further alphabet adds extensions to many queries. */
  readonly alphabets: number;
  /** Returns whether the text begins with a letter of a script that no known text uses. */
  isForeign(text: string): boolean;
  /** Whether most characters in known texts belong to a script with thousands of characters. */
  readonly hasInventory: boolean;
  /** A counter that increases whenever a company is added or something is learned about the upstream. */
  readonly revision: number;
  /** Adds a company by its folded name or identifier. */
  add(text: string): void;
  /** Returns whether the query matches the company under the assumed query rule. */
  matches(query: string, company: string): boolean;
  /**
   * Learns how the upstream reads characters. `companies` are the folded names or identifiers on one of the query's
   * pages.
   */
  observe(query: string, companies: readonly string[]): void;
  /**
   * Returns the queries that find every company that this query finds, except this query's own prefixes. For example,
   * `ac` finds every company that `limited ac` finds.
   */
  covering(query: string): readonly string[];
  /**
   * Returns whether the upstream reads this query as another query, so that the response shows nothing about this
   * query.
   */
  isAliased(query: string): boolean;
}
