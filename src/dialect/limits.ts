/**
 * Limits on the cost of one response. `upstream.max_body` limits the bytes of a response; these constants limit the
 * memory, the rows and the disk space that it takes. For example, a body `[{},{},…]` of 8 MiB has 2.6 million objects.
 * A heap of 512 MB is enough for every permitted response. docs/decisions/0021-response-limits.md contains the
 * measurements.
 */

/**
 * The most nesting levels of lists and objects. SQLite's JSON functions accept 1,000 levels. Recursive code needs no other
 * limit.
 */
export const MAX_DEPTH = 500;

/**
 * The most values in one body: scalars, lists and objects. Every key has a value, so this also limits the number of
 * keys. A parsed value takes at most 300 bytes. An empty object takes that much in a body with a number that a double
 * cannot represent.
 */
export const MAX_VALUES = 500_000;

/**
 * The most results on one page of a search. An API without paging returns all results on one page; 8 MiB can contain
 * about 80,000 short results.
 */
export const MAX_PAGE_ROWS = 100_000;

/**
 * If a page has at most this many rejected results, each gets a quarantine row of its own. If it has more, they share
 * one row.
 */
export const MAX_REJECTED_ROWS = 20;

/**
 * The most rows that the lists in one response may create together. A row takes 150 bytes of memory and 40 bytes on
 * disk. Longer lists are stored in `_rest`.
 */
export const MAX_LIST_ROWS = 100_000;

/**
 * The most cells (rows times columns) that the lists in one response may create together. A cell takes 8 bytes of
 * memory; an absent value takes 1 byte on disk.
 */
export const MAX_LIST_CELLS = 2_000_000;

/**
 * The most characters of all paths in `_rest` for one response. Above this limit, the members of an object share the
 * path of the object.
 */
export const MAX_REST_PATH_CHARS = 1_000_000;

/** The most former names, and the most identifiers, that the search index contains for one company. */
export const MAX_SEARCH_TEXTS = 1_000;

/**
 * The most differences that are stored between two versions of a list or object. If there are more, they are stored as
 * one difference of the whole list or object.
 */
export const MAX_DIFFERENCES = 10_000;
