import type { SearchQuery } from '../../call.ts';
import type { QueryState } from '../../knowledge.ts';
import { type Experience, openListingExperience } from './experience.ts';
import type { Extension } from './key_space.ts';
import type { Expected } from './search_yield.ts';

/** What speaks for a text that is asked for the first time, or again. */
export type Kind = 'seen' | 'unseen' | 'stranger' | 'pair' | 'again';

/** What a call was expected to bring, before experience with its kind: new companies. */
export interface Awaited {
  readonly kind: Kind | 'page' | 'page of many' | 'page of all';
  readonly expectedYield: number;
}

/** What the rows of one page said, beside what was known. */
export interface PageSeen {
  readonly rows: number;
  readonly new: number;
  /** Rows that the text finds by the rule that is taken to hold. */
  readonly fitting: number;
}

/** A text that was asked, or is being asked; the root, which is the whole registry; or a word with a second one. */
export interface QueryNode {
  readonly query: SearchQuery;
  /** null: the root. */
  readonly parent: QueryNode | null;
  readonly children: QueryNode[];
  state: QueryState | null;
  /** What the last page showed; null: received by another process. */
  page: PageSeen | null;
  /** What was expected of it before it was asked; null: it was asked by another process. */
  expected: Expected | null;
  /** To be held against the next answer. */
  awaited: Awaited | null;
  /** With the pages of its listing, where it is cut off. */
  readonly experience: Experience;
  /** Is it listed as far as it goes before it is split? */
  isListedFirst: boolean;
  /** Longer texts that could be asked; null: not looked for yet. */
  extensions: NodeExtensions | null;
  /** When last something happened to it or to a text below it, as Gaps counts. */
  changedAt: number;
  /** The entry in the frontier that counts: others are left over. */
  entry: number;
}

/** How the texts below a node could go on. */
export interface NodeExtensions {
  extensions: readonly Extension[];
  otherwise: number;
  asked: number;
  isTruncated: boolean;
  /** How many companies were known when they were looked for. */
  companies: number;
  /** When it was seen last that they still hold. */
  checkedAt: number;
  weights: Weights;
  /** When they were weighed last. */
  weighedAt: number;
}

export interface Weights {
  /** Of all that can hide companies below a node. */
  readonly sum: number;
  /** Of all ways together that nobody has seen. */
  readonly unseen: number;
}

export function newQueryNode(query: SearchQuery, parent: QueryNode | null): QueryNode {
  return {
    ...{ query, parent, children: [], state: null, page: null, expected: null },
    ...{ awaited: null, experience: openListingExperience(), isListedFirst: false, extensions: null },
    ...{ changedAt: 0, entry: 0 },
  };
}

/** `word `: stands for the companies that have this word, each found by a second one. It is never asked itself. */
export function isPairRoot({ query, state, expected }: QueryNode): boolean {
  return query.text.endsWith(' ') && state === null && expected === null;
}
