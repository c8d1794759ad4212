import { scalarText } from '../dialect/decode.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { nextLink } from '../dialect/headers.ts';
import type { Exchange } from './evidence.ts';
import { leavesOf, wordsOfKey } from './json_leaves.ts';

/** What points to the next page in an answer itself: an address, or a cursor. */
export interface NextPageLink {
  readonly is: 'link_header' | 'next_url' | 'cursor';
  /** '' for the header. */
  readonly at: Pointer;
  readonly value: string;
}

/** The likeliest signpost of these answers: a header, else an address, else a cursor. */
export function findNextPageLink(searches: readonly Exchange[]): NextPageLink | null {
  const all = searches.flatMap(nextPageLinksIn);
  return (
    all.find(({ is }) => is === 'link_header') ?? all.find(({ is }) => is === 'next_url') ?? all[0] ?? null
  );
}

export function nextPageLinksIn({ headers, json }: Exchange): NextPageLink[] {
  const link = nextLink(headers);
  const inHeader: NextPageLink[] = link === null ? [] : [{ is: 'link_header', at: '', value: link }];
  const inBody = leavesOf(json ?? null).flatMap(({ pointer, value }): NextPageLink[] => {
    const text = scalarText(value);
    if (text === null || text === '' || typeof value === 'boolean' || !isNextKey(pointer)) return [];
    const isAddress = /^(https?:\/\/|\/|\?)/.test(text);
    return [{ is: isAddress ? 'next_url' : 'cursor', at: pointer, value: text }];
  });
  return [...inHeader, ...inBody];
}

function isNextKey(pointer: Pointer): boolean {
  const words = wordsOfKey(pointer);
  const points = words.some((word) => ['next', 'cursor', 'after', 'continuation', 'scroll'].includes(word));
  return (
    points &&
    !words.some((word) => ['previous', 'prev', 'before', 'first', 'last', 'self', 'has'].includes(word))
  );
}
