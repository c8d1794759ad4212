/**
 * Limits on the cost of one response. `upstream.max_body` limits its bytes; these limit its memory, rows and disk space.
 * For example, `[{},{},…]` of 8 MiB has 2.6 million objects. A heap of 512 MB is enough for every permitted response.
 * docs/decisions/0021-response-limits.md contains the measurements.
 */

/** Nesting levels of lists and objects. SQLite's JSON functions accept 1,000. Recursive code needs no other limit. */
export const MAX_DEPTH = 500;

/**
 * Values in one body: scalars, lists and objects. Every key has a value, so this also limits the keys. While parsed, a
 * value takes at most 300 bytes: an empty object, in a body with a number that a double cannot represent.
 */
export const MAX_VALUES = 500_000;

/** Results on one page of a search. An API without paging returns all results on one page; 8 MiB contain about 80,000 short results. */
export const MAX_PAGE_ROWS = 100_000;

/** Rejected results of one page with one quarantine row each; a larger number shares one row. */
export const MAX_REJECTED_ROWS = 20;

/** Rows of all lists in one response, at 150 bytes of memory and 40 bytes on disk each; longer lists go to `_rest`. */
export const MAX_LIST_ROWS = 100_000;

/** Rows times columns of all lists in one response: 8 bytes of memory each, and 1 byte on disk for an absent value. */
export const MAX_LIST_CELLS = 2_000_000;

/** Characters of the paths in `_rest` of one response. Above this limit, members of an object share its path. */
export const MAX_REST_PATH_CHARS = 1_000_000;

/** Former names, and identifiers, of one company in the search index. */
export const MAX_SEARCH_TEXTS = 1_000;

/** Differences between two versions of a list or object; a larger number becomes one difference of the whole. */
export const MAX_DIFFERENCES = 10_000;
