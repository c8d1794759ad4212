/**
 * Limits on what one response can cost. `upstream.max_body` limits a response's size in bytes. These constants limit
 * the memory, rows and disk space that the response takes. For example, a body `[{},{},…]` of 8 MiB has 2.6 million
 * objects. Every permitted response fits into a heap of 512 MB, as `npm run accept hostile` checks.
 */

/**
 * The maximum nesting depth of lists and objects. SQLite's JSON functions accept 1,000 levels. This limit also protects
 * recursive code.
 */
export const MAX_DEPTH = 500;

/**
 * The maximum number of values in one body: scalars, lists and objects. Every key has a value, so this also limits the
 * number of keys. A parsed value takes at most 300 bytes. An empty object is that large if any number in the body does
 * not fit into a double.
 */
export const MAX_VALUES = 500_000;

/**
 * The maximum number of results on one search page. An API without paging returns all results on one page, and about
 * 80,000 short results fit into 8 MiB.
 */
export const MAX_PAGE_ROWS = 100_000;

/**
 * The maximum number of rejected results on a page that get a quarantine entry each. If there are more, they share one.
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
 * The maximum total length, in characters, of one response's paths in `_rest`. Above this limit, the members of an
 * object share the object's path.
 */
export const MAX_REST_PATH_CHARS = 1_000_000;

/** The maximum number of former names, and of identifiers, that the search index stores for one company. */
export const MAX_SEARCH_TEXTS = 1_000;

/**
 * The maximum number of differences stored between two versions of a list or object. If there are more, the whole list
 * or object is stored as a single difference.
 */
export const MAX_DIFFERENCES = 10_000;
