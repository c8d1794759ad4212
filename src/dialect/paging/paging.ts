import { z } from 'zod';
import { cursor } from './cursor.ts';
import { linkHeader } from './link_header.ts';
import { nextUrl } from './next_url.ts';
import { none } from './none.ts';
import { offset } from './offset.ts';
import { page } from './page.ts';
import type { PagingMethod } from './paging_method.ts';

/** The settings of `dialect.search.paging`, distinguished by `style`. */
export const Paging = z.discriminatedUnion('style', [
  none.schema,
  page.schema,
  offset.schema,
  cursor.schema,
  nextUrl.schema,
  linkHeader.schema,
]);
export type Paging = z.infer<typeof Paging>;
export type PagingStyleName = Paging['style'];

/** All paging styles. If one is missing, the code does not compile. */
const METHODS: { readonly [Style in PagingStyleName]: PagingMethod<Extract<Paging, { style: Style }>> } = {
  none,
  page,
  offset,
  cursor,
  next_url: nextUrl,
  link_header: linkHeader,
};

/** Returns the paging method for a style. */
export function pagingMethod(style: PagingStyleName): PagingMethod {
  return METHODS[style];
}
