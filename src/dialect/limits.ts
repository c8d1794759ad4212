/**
 * Limits on the cost of one response. `upstream.max_body` limits the bytes of a response. These constants limit the
 * memory, rows and disk space that it takes. For example, a body `[{},{},…]` of 8 MiB has 2.6 million objects. A heap
 * of 512 MB is enough for every permitted response. The measurements are in docs/decisions/0021-response-limits.md.
 */

/**
 * The maximum nesting depth of lists and objects. SQLite's JSON functions accept 1,000 levels. This limit also protects
 * recursive code.
 */
export const MAX_DEPTH = 500;

/**
 * The maximum number of values in one body: scalars, lists and objects. Every key has a value, so this also limits the
 * number of keys. A parsed value takes at most 300 bytes. An empty object takes that much if the body contains a number
 * that a double cannot represent.
 */
export const MAX_VALUES = 500_000;

/**
 * The maximum number of results on one page of a search. An API without paging returns all results on one page, and 8
 * MiB can contain about 80,000 short results.
 */
export const MAX_PAGE_ROWS = 100_000;

/**
 * If a page has at most this many rejected results, each one gets its own quarantine row. If it has more, they share
 * one row.
 */
export const MAX_REJECTED_ROWS = 20;

/**
 * The maximum number of rows that all lists in one response may create. A row takes 150 bytes of memory and 40 bytes on
 * disk. Longer lists are stored in `_rest`.
 */
export const MAX_LIST_ROWS = 100_000;

/**
 * The maximum number of cells (rows times columns) that all lists in one response may create. A cell takes 8 bytes of
 * memory. An absent value takes 1 byte on disk.
 */
export const MAX_LIST_CELLS = 2_000_000;

/**
 * The maximum total length of the paths in `_rest` for one response, in characters. Above this limit, the members of an
 * object share the object's path.
 */
export const MAX_REST_PATH_CHARS = 1_000_000;

/** The maximum number of former names, and of identifiers, that the search index contains for one company. */
export const MAX_SEARCH_TEXTS = 1_000;

/**
 * The maximum number of differences stored between two versions of a list or object. If there are more, they are stored
 * as one difference of the whole list or object.
 */
export const MAX_DIFFERENCES = 10_000;
