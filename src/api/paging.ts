import type { Paging } from '../dialect/paging/paging.ts';
import type { Pointer } from '../json/pointer.ts';

/** The server side of paging. `src/dialect/paging/` contains the client side of each style. */

/** A request's query parameters. The route's schema has already validated them. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Returns the query parameter that selects the page, or null if every query has only one page. */
export function pageParam(paging: Paging): string | null {
  switch (paging.style) {
    case 'none':
      return null;
    case 'page':
    case 'offset':
    case 'cursor':
      return paging.param;
    case 'next_url':
    case 'link_header':
      return 'after';
  }
}

/** Returns the number that selects the first page, or null if the style has cursors instead of numbers. */
export function firstNumber(paging: Paging): number | null {
  return paging.style === 'page' || paging.style === 'offset' ? paging.first : null;
}

/** Returns the position of the requested page's first row, counted from 0, or null if the cursor is invalid. */
export function offsetOf(paging: Paging, parameters: QueryParameters, size: number): number | null {
  const sent = parameters[pageParam(paging) ?? ''];
  const first = firstNumber(paging);
  if (first !== null)
    return typeof sent === 'number' ? (sent - first) * (paging.style === 'page' ? size : 1) : 0;
  if (sent === undefined || sent === '' || (paging.style === 'cursor' && sent === paging.first)) return 0;
  const text = Buffer.from(String(sent), 'base64url').toString();
  return /^row:\d{1,12}$/.test(text) ? Number(text.slice(4)) : null;
}

/** Returns the cursor for the row at a position. Clients cannot interpret the cursor. */
export function cursorAt(offset: number): string {
  return Buffer.from(`row:${offset}`).toString('base64url');
}

/** Returns the JSON path of the next cursor or URL in the body, or null if the body has neither. */
export function nextPath(paging: Paging): Pointer | null {
  return 'next' in paging ? paging.next : null;
}
