import type { Pointer } from '../../dialect/dialect.ts';
import { nextLink } from '../../dialect/headers.ts';
import { scalarText } from '../../json/json.ts';
import type { NextPageLink, PagingStyle } from '../conclusions.ts';
import type { Exchange } from '../evidence.ts';
import { leavesOf, linkLeavesOf, wordsOfKey } from '../json_leaves.ts';
import { NEXT_PAGE_WORDS, NOT_NEXT_PAGE_WORDS } from '../word_lists.ts';

/**
 * Finds the most reliable next-page link in these responses. A header is preferred to a URL in the body, and a URL to a
 * cursor.
 */
export function findNextPageLink(searches: readonly Exchange[]): NextPageLink | null {
  const all = searches.flatMap(nextPageLinksIn);
  return (
    all.find(({ is }) => is === 'link_header') ?? all.find(({ is }) => is === 'next_url') ?? all[0] ?? null
  );
}

/** Returns the next-page links in one response. */
export function nextPageLinksIn({ headers, json }: Exchange): NextPageLink[] {
  const link = nextLink(headers);
  const inHeader: NextPageLink[] = link === null ? [] : [{ is: 'link_header', at: '', value: link }];
  const links = linkLeavesOf(json ?? null).filter(({ value }) => isUrl(scalarText(value) ?? ''));
  const inBody = [...leavesOf(json ?? null), ...links].flatMap(({ pointer, value }): NextPageLink[] => {
    const text = scalarText(value);
    if (text === null || text === '' || typeof value === 'boolean' || !isNextKey(pointer)) return [];
    return [{ is: isUrl(text) ? 'next_url' : 'cursor', at: pointer, value: text }];
  });
  return [...inHeader, ...inBody];
}

/**
 * Returns the JSON path of an empty next-page link, such as `{"links": {"next": null}}`, or null if there is none. Such
 * a response has only one page.
 */
export function emptyNextPageLink(searches: readonly Exchange[]): Pointer | null {
  const empty = searches
    .flatMap(({ json }) => leavesOf(json ?? null))
    .find(({ pointer, value }) => value === null && isNextKey(pointer) && isLinkKey(pointer));
  return empty?.pointer ?? null;
}

function isLinkKey(pointer: Pointer): boolean {
  return wordsOfKey(pointer).some((word) => LINK_WORDS.has(word));
}

const LINK_WORDS: ReadonlySet<string> = new Set(['link', 'links', 'url', 'href', 'uri']);

function isUrl(text: string): boolean {
  return /^(https?:\/\/|\/|\?)/.test(text);
}

function isNextKey(pointer: Pointer): boolean {
  const words = wordsOfKey(pointer);
  return (
    words.some((word) => NEXT_PAGE_WORDS.has(word)) && !words.some((word) => NOT_NEXT_PAGE_WORDS.has(word))
  );
}

/** Returns a next-page link's paging style, or null for a cursor, because the cursor's parameter is not known yet. */
export function styleOfLink({ is, at }: NextPageLink): PagingStyle | null {
  if (is === 'link_header') return { style: 'link_header' };
  return is === 'next_url' ? { style: 'next_url', next: at } : null;
}
