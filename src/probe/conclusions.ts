import type { IdentifierMatch, NameMatch, Pointer, ResponseRule } from '../dialect/dialect.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import type { JsonObject } from '../json/json.ts';
import type { ErrorHints } from './errors/error_hints.ts';
import type { Exchange, Finding, Param } from './evidence.ts';

/** The input of a probe and everything that it concludes. `conclude.ts` computes the conclusions. */

/** Facts that the user gives to the probe. They take precedence over evidence. */
export interface Hints {
  readonly queryParam: string | null;
  /** Names of registered companies. */
  readonly examples: readonly string[];
  /** The statements of an OpenAPI document; null: there is none. */
  readonly specification?: Specification | null;
}

/**
 * What an OpenAPI document states about an API. `sure`: the document states it; `likely`: names suggest it; `open`: the
 * document does not contain it. Responses take precedence, because a document can be outdated.
 */
export interface Specification {
  readonly title: string;
  /** The path of the search contains `extra`. */
  readonly addresses: Finding<Addresses | null>;
  /** The form of `upstream.key_header`. */
  readonly keyHeader: Finding<string | null>;
  readonly queryParam: Finding<string | null>;
  readonly minLength: Finding<number | null>;
  readonly identifierParam: Finding<string | null>;
  /** Parameters that every search must have, with their only or first values. */
  readonly extra: Readonly<Record<string, string>>;
  readonly sizeParam: Finding<string | null>;
  readonly maxSize: Finding<number | null>;
  readonly paging: Finding<PagingStyle | null>;
  readonly results: Finding<Pointer | null>;
  readonly item: Pointer;
  /** Inside the item. */
  readonly id: Finding<Pointer | null>;
  /** Inside the item. */
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  readonly record: Finding<RecordPaths | null>;
  readonly registryTotal: Finding<Pointer | null>;
}

export interface ProbeInput {
  readonly upstream: UpstreamAddress;
  /** All requests so far with their responses, in the order of sending. */
  readonly exchanges: readonly Exchange[];
  readonly hints: Hints;
  /** The calls that all runs of this probe may send. Guesses use at most two thirds of them. Default: no limit. */
  readonly maxCalls?: number;
}

export interface Conclusions {
  /** Possible paths of the resources, the documented ones first. */
  readonly joins: readonly Addresses[];
  readonly addresses: Finding<Addresses | null>;
  /** The paths whose statistics are requested next; null: all paths were tried. */
  readonly nextAddress: Addresses | null;
  readonly registryTotal: Finding<Pointer | null>;
  /** The value at `registryTotal`. */
  readonly registrySize: number | null;
  readonly query: QueryEvidence;
  /** Parameters that every search needs beside the query. */
  readonly companions: readonly Param[];
  readonly queryParam: Finding<string | null>;
  /** null: no search has returned rows. */
  readonly search: SearchConclusions | null;
  /** The rule for the response to an unknown id; null if the status is enough. */
  readonly absence: Finding<ResponseRule | null>;
  /** The fewest characters to send in a query. */
  readonly minQueryChars: number;
  /** Whether an empty query lists the whole registry. */
  readonly fullListing: Finding<boolean>;
}

/** Paths on the upstream's host. */
export interface Addresses {
  readonly search: string;
  /** Contains `{id}`. */
  readonly entity: string;
  readonly stats: string;
}

export interface QueryEvidence {
  /** All searches so far, in order, without those that a limit rejected. */
  readonly searches: readonly Exchange[];
  readonly listing: ResultList | null;
  /** The query parameter that the user named, or null. */
  readonly hint: string | null;
  /** Names of registered companies, given by the user. */
  readonly examples: readonly string[];
  /** The facts that error messages state. */
  readonly stated: ErrorHints;
  /** Whether parameter names may still be guessed. */
  readonly mayGuess: boolean;
  /** The min query length by an OpenAPI document; 1 if it is not known. */
  readonly minLength: number;
}

/** The list of rows in search responses, with the candidates for id and name. */
export interface ResultList {
  readonly results: Pointer;
  /** All distinct rows so far. */
  readonly rows: readonly JsonObject[];
  /** Relative to a row; the most likely first. */
  readonly ids: readonly Candidate[];
  /** Relative to a row; the most likely first. */
  readonly names: readonly Candidate[];
}

/** A JSON path that may hold the wanted value. */
export interface Candidate {
  readonly pointer: Pointer;
  readonly score: number;
}

/** Everything that the searches and the records of their results show. */
export interface SearchConclusions {
  readonly listing: ResultList;
  /** Relative to a row. `id` and `name` are relative to the item. */
  readonly idPath: Pointer;
  readonly namePath: Pointer | null;
  readonly item: Pointer;
  readonly id: Finding<Pointer>;
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  /** The number at which totals stop. */
  readonly clamp: Finding<number | null>;
  readonly pages: readonly SearchPage[];
  readonly size: SizeFacts;
  readonly paging: PagingConclusion;
  readonly record: Finding<RecordPaths | null>;
  readonly known: readonly KnownName[];
  readonly queryRule: QueryRuleFinding;
  readonly identifiers: IdentifierFacts;
  readonly minQueryLength: Finding<number>;
  readonly isWhole: IsWhole;
}

/** A parsed response of a search. */
export interface SearchPage {
  readonly exchange: Exchange;
  /** null: the request had no query. */
  readonly query: string | null;
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  readonly names: readonly (string | null)[];
  readonly total: number | null;
}

/** Whether a page shows all matches of its query. False if in doubt. */
export type IsWhole = (page: SearchPage) => boolean;

export interface SizeFacts {
  /** Rows of a page without a size parameter; null: no page had rows. */
  readonly byDefault: number | null;
  readonly param: Finding<string | null>;
  readonly maxSize: Finding<MaxPageSize>;
}

export interface MaxPageSize {
  /** The largest proven page size. */
  readonly rows: number;
  /** The size to try next; null: all sizes were tried. */
  readonly next: number | null;
}

/** The method that requests the next page, without the page size. */
export type PagingStyle =
  | { readonly style: 'none' | 'link_header' }
  | { readonly style: 'next_url'; readonly next: Pointer }
  | { readonly style: 'page' | 'offset'; readonly param: string; readonly first: number }
  | { readonly style: 'cursor'; readonly param: string; readonly next: Pointer; readonly first?: string };

export interface PagingConclusion extends Finding<PagingStyle | null> {
  readonly nextPageLink: NextPageLink | null;
  /** The explanations by a page or offset parameter that no response contradicts. */
  readonly moves: readonly Move[];
  readonly positions: readonly PagePosition[];
}

/** A reference to the next page in a response: a URL or a cursor. */
export interface NextPageLink {
  readonly is: 'link_header' | 'next_url' | 'cursor';
  /** '' for the header. */
  readonly at: Pointer;
  readonly value: string;
}

/** One possible effect of a page or offset parameter on the first row. */
export interface Move {
  readonly style: 'page' | 'offset';
  readonly param: string;
  /** The parameter's value for the first page. */
  readonly first: number;
  /** The number of skipped rows. */
  readonly shift: number;
}

/** A page that was requested with paging parameters, and its position in the listing. */
export interface PagePosition {
  readonly page: SearchPage;
  /** The number of its first row in `order`, or `beyond` the known rows. */
  readonly shift: number | 'beyond';
  /** Page sizes that the request may have had. */
  readonly pageSizes: readonly number[];
  /** The ids of the longest first page of the same query. */
  readonly order: readonly string[];
}

export interface RecordPaths {
  readonly root: Pointer;
  readonly id: Pointer;
  readonly name: Pointer | null;
}

export interface KnownName {
  readonly id: string;
  readonly name: string;
}

/** The rule by which a query matches names. */
export type QueryRule = Exclude<NameMatch, 'unknown'>;

export interface QueryRuleFinding extends Finding<QueryRule | null> {
  /** The rules that no response contradicts. */
  readonly possible: readonly QueryRule[];
}

export interface IdentifierFacts {
  /** A separate parameter for identifiers; null: the query parameter, or none. */
  readonly param: Finding<string | null>;
  readonly matches: Finding<IdentifierMatch>;
}
