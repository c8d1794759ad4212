import type { IdentifierMatch, NameMatch, Pointer, ResponseRule } from '../dialect/dialect.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import type { JsonObject } from '../json/json.ts';
import type { ErrorHints } from './errors/error_hints.ts';
import type { Exchange, Finding, Param } from './evidence.ts';

/** The types for a probe's input and conclusions. `conclude.ts` computes the conclusions. */

/** Facts that the user gives to the probe. They take precedence over the evidence in responses. */
export interface Hints {
  readonly queryParam: string | null;
  /** Names of registered companies. */
  readonly examples: readonly string[];
  /** What an OpenAPI document states, or null if the user gave no document. */
  readonly specification?: Specification | null;
}

/**
 * What an OpenAPI document states about an API. The certainty is `sure` if the document states the value, `likely` if
 * names suggest it, and `open` if the document does not mention it. Responses take precedence over the document,
 * because a document can be outdated.
 */
export interface Specification {
  readonly title: string;
  /** The search path includes the parameters in `extra`. */
  readonly addresses: Finding<Addresses | null>;
  /** Open with the default path if the document has no operation that returns one company. */
  readonly recordPath: Finding<string | null>;
  /** The value for `upstream.key_header`. */
  readonly keyHeader: Finding<string | null>;
  readonly queryParam: Finding<string | null>;
  readonly minLength: Finding<number | null>;
  readonly identifierParam: Finding<string | null>;
  /**
   * Parameters that every search must have. Each has the only value that the document permits, or the first value if it
   * permits several.
   */
  readonly extra: Readonly<Record<string, string>>;
  readonly sizeParam: Finding<string | null>;
  readonly maxSize: Finding<number | null>;
  readonly paging: Finding<PagingStyle | null>;
  readonly results: Finding<Pointer | null>;
  readonly item: Pointer;
  /** Relative to the item. */
  readonly id: Finding<Pointer | null>;
  /** Relative to the item. */
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  readonly record: Finding<RecordPaths | null>;
  readonly registryTotal: Finding<Pointer | null>;
}

export interface ProbeInput {
  readonly upstream: UpstreamAddress;
  /** All requests so far and their responses, in order. */
  readonly exchanges: readonly Exchange[];
  readonly hints: Hints;
  /**
   * The maximum number of calls that all runs of this probe may make. At most two thirds of them may be spent on
   * guessed names. By default, there is no limit.
   */
  readonly maxCalls?: number;
}

export interface Conclusions {
  /** Possible paths for the three resources, the documented paths first. */
  readonly joins: readonly Addresses[];
  readonly addresses: Finding<Addresses | null>;
  /** The paths to try next for the statistics, or null if all have been tried. */
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
  /** The rule that recognises the response to an unknown id, or null if the status is enough. */
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
  /** All searches sent so far, in order, except those rejected because of a limit. */
  readonly searches: readonly Exchange[];
  readonly listing: ResultList | null;
  /** The query parameter that the user named, or null if the user named none. */
  readonly hint: string | null;
  /** Names of registered companies, given by the user. */
  readonly examples: readonly string[];
  /** What error messages state. */
  readonly stated: ErrorHints;
  /** Whether the API refuses, or might refuse, unknown parameters. */
  readonly mayBeStrict: boolean;
  /** Whether the API reports only the missing parameter if a request lacks one and also has unknown ones. */
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
  /** The path to the value in rows that have none at `pointer`. */
  readonly fallback?: Pointer;
}

/** The conclusions from searches, and from the records of companies that the searches found. */
export interface SearchConclusions {
  readonly listing: ResultList;
  /** The path to the id, relative to a row. The paths in `id` and `name` are relative to the item. */
  readonly idPath: Pointer;
  /** The path to the id, relative to a row, in rows without a value at `idPath`. Null if all rows have one there. */
  readonly idFallback: Pointer | null;
  readonly namePath: Pointer | null;
  readonly item: Pointer;
  /** The path to a result that is outside the list, or null if there is none. */
  readonly main: Finding<Pointer | null>;
  /** Whether a company can have several rows. */
  readonly hasSeveralRows: boolean;
  readonly id: Finding<Pointer>;
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  /** The cap on totals, which the upstream reports even if more companies match. Null if there is none. */
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

/** A parsed search response. */
export interface SearchPage {
  readonly exchange: Exchange;
  /** Null if the request had no query. */
  readonly query: string | null;
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  /** Each row's key within the listing, which is the id, or the row's content if a company can have several rows. */
  readonly keys: readonly string[];
  readonly names: readonly (string | null)[];
  readonly total: number | null;
}

/** Whether a page has all of its query's matches. False if this is uncertain. */
export type IsWhole = (page: SearchPage) => boolean;

export interface SizeFacts {
  /** How many rows a page has if the request has no size parameter. Null if no page had rows. */
  readonly byDefault: number | null;
  /**
   * Whether a truncated page shows the default page size. If not, the default page size can be larger than `byDefault`.
   */
  readonly isDefaultShown: boolean;
  readonly param: Finding<string | null>;
  readonly maxSize: Finding<MaxPageSize>;
}

export interface MaxPageSize {
  /** The largest page size that a response has proven, in rows. */
  readonly rows: number;
  /** The page size to try next, or null if all sizes have been tried. */
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
  /** The JSON path to the link, or '' if the link is in a header. */
  readonly at: Pointer;
  readonly value: string;
}

/** A possible effect of a page or offset parameter: by how many rows it moves the first row. */
export interface Move {
  readonly style: 'page' | 'offset';
  readonly param: string;
  /** The value that requests the first page. */
  readonly first: number;
  /** The number of rows that the request skipped. */
  readonly shift: number;
}

/** A page that was requested with paging parameters, and its position in the listing. */
export interface PagePosition {
  readonly page: SearchPage;
  /** The index of the page's first row in `order`, or `beyond` if that row is not among the known rows. */
  readonly shift: number | 'beyond';
  /** The page sizes that may have applied to the request. */
  readonly pageSizes: readonly number[];
  /** The row keys on the longest first page for the same query. */
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

/** How a query matches names. */
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
  /** The parameters that may have found an identifier: several if they had the same one, [] if none was found. */
  readonly possible: readonly string[];
}
