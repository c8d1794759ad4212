/**
 * Limits on the cost of one response. `upstream.max_body` bounds its bytes, and these bound its memory, rows and
 * disk: `[{},{},…]` of 8 MiB is 2.6 million objects. A heap of 512 MB is enough for what passes.
 * docs/decisions/0021-response-limits.md has the measurements.
 */

/** Lists and objects within each other. SQLite's JSON functions stop at 1,000, and recursion needs no guard of its own. */
export const MAX_DEPTH = 500;

/**
 * Values in one body: scalars, lists and objects. Every key has a value, so this bounds the keys as well. The
 * dearest values, empty objects beside a number that no double holds, take 300 bytes each while they are parsed.
 */
export const MAX_VALUES = 500_000;

/** Results on one page of a search. An API without paging returns everything at once; 8 MiB hold some 80,000 short results. */
export const MAX_PAGE_ROWS = 100_000;

/** Rejected results of one page that have a row in quarantine each; more of them share one row. */
export const MAX_REJECTED_ROWS = 20;

/** Rows of all lists in one response, at 150 bytes of memory and 40 bytes on disk each; longer lists go to `_rest`. */
export const MAX_LIST_ROWS = 100_000;

/** Rows times columns of all lists in one response: 8 bytes of memory each, and 1 byte on disk where there is no value. */
export const MAX_LIST_CELLS = 2_000_000;

/** Characters of the paths in `_rest` of one response; beyond that, members of one object share its path. */
export const MAX_REST_PATH_CHARS = 1_000_000;

/** Former names, and identifiers, of one company in the search index. */
export const MAX_SEARCH_TEXTS = 1_000;

/** Differences between two versions of a list or object; more are one difference, of the whole. */
export const MAX_DIFFERENCES = 10_000;
