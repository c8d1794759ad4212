import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';

/** A longer query below a query. */
export interface Extension {
  readonly text: string;
  /** The probability that a company that matches the shorter query also matches this one. */
  readonly likelihood: number;
  /** Does its last character occur in no known text? */
  readonly hasNewCharacter: boolean;
}

/** The extensions of one query. */
export interface Extensions {
  /** Extensions that were not sent, the most promising first. */
  readonly offered: readonly Extension[];
  /** The probability of an extension that is not offered, or of none. */
  readonly otherLikelihood: number;
  /** The probability of an extension that was sent; 0 also if it is unknown. */
  readonly sentLikelihood: number;
  /** Are there more extensions than those offered? */
  readonly isTruncated: boolean;
}

/** The distribution of the known companies that match a query over its extensions. */
export interface Spread {
  /** The number of distinct extensions by one step that match a known company. */
  readonly distinct: number;
  /** The mean number of them that one company matches; above 1 if a company has several words. */
  readonly perCompany: number;
}

/** Counts of texts by prefix. */
export interface Counts {
  /**
   * Adds a text. The prefixes of up to `countedTo` UTF-16 units were counted by another text of the same company; -1: none
   * was.
   */
  add(text: string, countedTo?: number): void;
  /** The texts that begin with the prefix. */
  count(prefix: string): number;
  /** The texts that equal this one. */
  ends(text: string): number;
  /** Each character that follows the prefix, with the number of texts that have it there. */
  followers(prefix: string): Map<string, number>;
}

/** Known texts: the names, words, substrings or identifiers by which queries find companies. */
export interface KnownTexts {
  /** Adds the texts of one company. */
  add(texts: readonly string[]): void;
  /**
   * Adds the forms without diacritics of one company's texts, for an upstream that ignores diacritics. `texts`: those that
   * were added before. `plain`: all its texts without diacritics.
   */
  addWithoutDiacritics(texts: readonly string[], plain: readonly string[]): void;
  /** Known companies that match the query. */
  known(query: string): number;
  /** Those among them that match none of its extensions. */
  ending(query: string): number;
  spread(query: string): Spread;
  extensions(query: string, isSent: (query: string) => boolean): Extensions;
}

/** The names, words or identifiers that queries divide: what is known of them, and which queries can be sent next. */
export interface KeySpace extends Omit<KnownTexts, 'add' | 'addWithoutDiacritics'> {
  readonly by: SearchQuery['by'];
  /** Can one company match two queries of which neither extends the other? */
  readonly overlaps: boolean;
  /** Can a truncated word be sent together with a second one, as `word second`? */
  readonly takesPairs: boolean;
  /** Is it worth counting the words beside this one? `unseen` estimates the unseen companies that have it. */
  pairsWith(word: string, unseen: () => number): boolean;
  /** The number of known companies. */
  readonly companies: number;
  /** Increases with each known company and each learned property of the upstream. */
  readonly revision: number;
  /** Adds a company by its folded name or identifier. */
  add(text: string): void;
  /** Does the query match the company by the assumed query rule? */
  matches(query: string, company: string): boolean;
  /** Learns how the upstream reads characters from the companies on a page of the query. */
  observe(query: string, companies: readonly string[]): void;
  /** Learns from the queries of earlier runs. The rows of their listings are known companies by now. */
  recall(states: readonly QueryState[]): void;
  /** Does the upstream read this query as another one? Then its response is no evidence for this query. */
  isAliased(query: string): boolean;
}
