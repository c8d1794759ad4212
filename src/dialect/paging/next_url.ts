import { z } from 'zod';
import { pathInWords } from '../../json/pointer.ts';
import { Pointer } from '../../json/pointer_schema.ts';
import { linkAt, type PagingMethod, sizeKeys, statusOfLinkedPages, styleKey } from './paging_method.ts';

const schema = z.strictObject({
  style: styleKey('next_url'),
  next: Pointer.describe("JSON path of the next page's URL"),
  ...sizeKeys,
});

/** The body gives the next page's URL. */
export const nextUrl = {
  style: 'next_url',
  schema,
  keptHeaders: [],
  requestOf: (_paging, { next }) => (next === null ? { parameters: {} } : { url: next }),
  nextPage: ({ next }, body) => linkAt(body, next),
  statusAfter: statusOfLinkedPages,
  describe: ({ next }) => `Each page contains the URL of the next page at ${pathInWords(next)}.`,
} satisfies PagingMethod<z.output<typeof schema>>;
