import type { IdentifierMatch, NameMatch, Pointer, ResponseRule } from '../dialect/dialect.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import type { JsonObject } from '../json/json.ts';
import type { ErrorHints } from './errors/error_hints.ts';
import type { Exchange, Finding, Param } from './evidence.ts';

/** The types of the input and the conclusions of a probe. `conclude.ts` computes the conclusions. */

/** Facts that the user gives to the probe. They take precedence over the evidence in responses. */
export interface Hints {
  readonly queryParam: string | null;
  /** Names of registered companies. */
  readonly examples: readonly string[];
  /** The statements of an OpenAPI document, or null if the user gave none. */
  readonly specification?: Specification | null;
}

/**
 * The statements of an OpenAPI document about an API. Their certainty is `sure` if the document states the value,
 * `likely` if names suggest it, and `open` if the document does not contain it. Responses take precedence over the
 * document, because a document can be outdated.
 */
export interface Specification {
  readonly title: string;
  /** The search path contains the parameters of `extra`. */
  readonly addresses: Finding<Addresses | null>;
  /** A value for `upstream.key_header`. */
  readonly keyHeader: Finding<string | null>;
  readonly queryParam: Finding<string | null>;
  readonly minLength: Finding<number | null>;
  readonly identifierParam: Finding<string | null>;
  /**
   * Parameters that every search must have. Each has the only value that the document permits, or the first of several.
   */
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
  /** All requests sent so far and their responses, in the order in which the requests were sent. */
  readonly exchanges: readonly Exchange[];
  readonly hints: Hints;
  /**
   * The maximum number of calls that all runs of this probe may send. At most two thirds of them may be spent on
   * guessed names. The default is no limit.
   */
  readonly maxCalls?: number;
}

export interface Conclusions {
  /** Possible paths of the three resources. The documented paths come first. */
  readonly joins: readonly Addresses[];
  readonly addresses: Finding<Addresses | null>;
  /** The paths at which the statistics are requested next, or null if all paths were tried. */
  readonly nextAddress: Addresses | null;
  readonly registryTotal: Finding<Pointer | null>;
  /** The registry count, read at the path `registryTotal`, or null if it is unknown. */
  readonly registrySize: number | null;
  readonly query: QueryEvidence;
  /** Parameters that every search needs in addition to the query. */
  readonly companions: readonly Param[];
  readonly queryParam: Finding<string | null>;
  /** Null if no search has returned rows yet. */
  readonly search: SearchConclusions | null;
  /** The rule that recognises the response to an unknown id, or null if the status is sufficient. */
  readonly absence: Finding<ResponseRule | null>;
  /** The min query length, in characters, for further probes. */
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
  /** All searches sent so far, in order. Searches that a limit rejected are not included. */
  readonly searches: readonly Exchange[];
  readonly listing: ResultList | null;
  /** The query parameter that the user named, or null if the user named none. */
  readonly hint: string | null;
  /** Names of registered companies, given by the user. */
  readonly examples: readonly string[];
  /** The facts that error messages state. */
  readonly stated: ErrorHints;
  /** Whether the API refuses unknown parameters, or may do so. */
  readonly mayBeStrict: boolean;
  /** Whether the API reports only that a parameter is missing if a request also has unknown parameters. */
  readonly reportsMissingFirst: boolean;
  /** Whether the probe may still guess parameter names. */
  readonly mayGuess: boolean;
  /** The min query length that an OpenAPI document states, or 1 if no document states it. */
  readonly minLength: number;
}

/** The list of rows in search responses, with candidate paths for the id and the name. */
export interface ResultList {
  readonly results: Pointer;
  /** All distinct rows that the searches have returned so far. */
  readonly rows: readonly JsonObject[];
  /** The candidates, most likely first. Their paths are relative to a row. */
  readonly ids: readonly Candidate[];
  /** The candidates, most likely first. Their paths are relative to a row. */
  readonly names: readonly Candidate[];
}

/** A JSON path that may lead to the wanted value. */
export interface Candidate {
  readonly pointer: Pointer;
  readonly score: number;
  /** The path of the value in rows that have none at `pointer`. */
  readonly fallback?: Pointer;
}

/** The conclusions from the searches and from the records of their results. */
export interface SearchConclusions {
  readonly listing: ResultList;
  /** The path of the id, relative to a row. The paths in `id` and `name` are relative to the item. */
  readonly idPath: Pointer;
  /** The path of the id, relative to a row, in rows that have none at `idPath`. Null if all rows have one. */
  readonly idFallback: Pointer | null;
  readonly namePath: Pointer | null;
  readonly item: Pointer;
  /** The path of a result beside the list, or null if there is none. */
  readonly main: Finding<Pointer | null>;
  /** Whether a company can have several rows. */
  readonly hasSeveralRows: boolean;
  readonly id: Finding<Pointer>;
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  /** The largest total that the upstream reports even if more companies match, or null if there is no such limit. */
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
  /** Null if the request had no query. */
  readonly query: string | null;
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  /** The key of each row within the listing. It is the id, or the content if a company can have several rows. */
  readonly keys: readonly string[];
  readonly names: readonly (string | null)[];
  readonly total: number | null;
}

/** Whether a page contains all matches of its query. False if this is uncertain. */
export type IsWhole = (page: SearchPage) => boolean;

export interface SizeFacts {
  /** The number of rows on a page if the request has no size parameter. Null if no page had rows. */
  readonly byDefault: number | null;
  /** Whether a truncated page shows the default page size. Otherwise it can be larger than `byDefault`. */
  readonly isDefaultShown: boolean;
  readonly param: Finding<string | null>;
  readonly maxSize: Finding<MaxPageSize>;
}

export interface MaxPageSize {
  /** The largest page size that a response has proven, in rows. */
  readonly rows: number;
  /** The page size to try next, or null if all sizes were tried. */
  readonly next: number | null;
}

/** The paging method, without the page size. */
export type PagingStyle =
  | { readonly style: 'none' | 'link_header' }
  | { readonly style: 'next_url'; readonly next: Pointer }
  | { readonly style: 'page' | 'offset'; readonly param: string; readonly first: number }
  | { readonly style: 'cursor'; readonly param: string; readonly next: Pointer; readonly first?: string };

export interface PagingConclusion extends Finding<PagingStyle | null> {
  readonly nextPageLink: NextPageLink | null;
  /** The possible effects of page and offset parameters that no response contradicts. */
  readonly moves: readonly Move[];
  readonly positions: readonly PagePosition[];
}

/** A reference to the next page in a response: a URL or a cursor. */
export interface NextPageLink {
  readonly is: 'link_header' | 'next_url' | 'cursor';
  /** The JSON path of the link, or '' if a header contains it. */
  readonly at: Pointer;
  readonly value: string;
}

/** A possible effect of a page or offset parameter: the number of rows by which it moves the first row. */
export interface Move {
  readonly style: 'page' | 'offset';
  readonly param: string;
  /** The value that requests the first page. */
  readonly first: number;
  /** The number of rows that the request skipped. */
  readonly shift: number;
}

/** A page whose request had paging parameters, and the position of the page in the listing. */
export interface PagePosition {
  readonly page: SearchPage;
  /** The index of the page's first row in `order`, or `beyond` if the known rows do not contain that row. */
  readonly shift: number | 'beyond';
  /** The page sizes that may have applied to the request. */
  readonly pageSizes: readonly number[];
  /** The row keys of the longest first page of the same query. */
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
  /** The query rules that no response contradicts. */
  readonly possible: readonly QueryRule[];
}

export interface IdentifierFacts {
  /**
   * The separate parameter for identifiers. Null if the query parameter accepts identifiers, or if no parameter does.
   */
  readonly param: Finding<string | null>;
  readonly matches: Finding<IdentifierMatch>;
}
