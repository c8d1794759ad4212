import type { SearchQuery } from '../../call.ts';

/** A longer text that could be asked. */
export interface Extension {
  readonly text: string;
  /** How likely a company whose text begins as the shorter one goes on so. */
  readonly likelihood: number;
  /** Its last character was never seen. */
  readonly isStrange: boolean;
}

export interface Extensions {
  readonly offered: readonly Extension[];
  /** How likely it goes on in another way, or ends here. */
  readonly otherwise: number;
  /** How likely it goes on as a text that was asked; 0 also where that cannot be told. */
  readonly asked: number;
  /** There are more than those offered. */
  readonly isTruncated: boolean;
}

/** How known companies go on after a text. */
export interface Spread {
  /** Ways that differ. */
  readonly ways: number;
  /** In how many of them each company does, on the average: more than one where its words are searched. */
  readonly each: number;
}

/** How many texts begin with a given one, and how they go on. */
export interface Counts {
  /** `countedTo`: beginnings of up to so many characters are counted already, by another text of the same company. */
  add(text: string, countedTo?: number): void;
  /** Texts that begin with this one. */
  count(text: string): number;
  /** Texts that are this one. */
  ends(text: string): number;
  /** The characters that follow, and in how many texts. */
  followers(text: string): Map<string, number>;
}

/** What is known of a set of texts, each of which belongs to a company. */
export interface KnownTexts {
  /** The texts of one more company. */
  add(texts: readonly string[]): void;
  /** What the same company is found by where marks are overlooked, beside the texts of it that were added. */
  addWithoutDiacritics(texts: readonly string[], plain: readonly string[]): void;
  /** Companies that have a text which this one finds. */
  known(text: string): number;
  /** Those among them that no longer text finds. */
  ending(text: string): number;
  spread(text: string): Spread;
  /** The likeliest of the longer texts that were not asked. */
  extensions(text: string, isAsked: (text: string) => boolean): Extensions;
}

/** A field of companies that can be searched: what is known of it, by any query, and what could be asked next. */
export interface KeySpace extends Omit<KnownTexts, 'add' | 'addWithoutDiacritics'> {
  readonly by: SearchQuery['by'];
  /** Can a company lie below several texts, none of which contains the other? */
  readonly overlaps: boolean;
  /** Can a word that stays cut off be asked together with a second one, as `word second`? */
  readonly takesPairs: boolean;
  /** Is it worth while to count the words beside this one? `unseen`: companies with it that nobody has seen. */
  pairsWith(word: string, unseen: () => number): boolean;
  /** Known companies. */
  readonly companies: number;
  /** Grows with all that is learned of it: companies, and how the upstream reads texts. */
  readonly revision: number;
  /** A company became known; its folded name or identifier. */
  see(text: string): void;
  /** Does a query of this text find this company, by the rule that is taken to hold? */
  finds(text: string, company: string): boolean;
  /** What a page of this query showed teaches how the upstream reads texts. */
  observe(text: string, companies: readonly string[]): void;
  /** Does the upstream read this text as another one, so that its answer says nothing of its own? */
  isAliased(text: string): boolean;
}
