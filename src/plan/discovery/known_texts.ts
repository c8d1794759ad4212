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
