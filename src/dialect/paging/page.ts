import { z } from 'zod';
import { type PagingMethod, paramKey, sizeKeys, statusOfCountedPages, styleKey } from './paging_method.ts';

const schema = z.strictObject({
  style: styleKey('page'),
  param: paramKey,
  first: z.int().nonnegative().default(1).describe('first page number'),
  ...sizeKeys,
});

/** A parameter specifies the page number: `?page=3`. */
export const page = {
  style: 'page',
  schema,
  keptHeaders: [],
  requestOf: ({ param, first }, { index }) => ({ parameters: { [param]: String(first + index) } }),
  nextPage: () => null,
  statusAfter: statusOfCountedPages,
  describe: ({ param, first }) =>
    `The parameter ${param} takes the page number; the first page has number ${first}.`,
} satisfies PagingMethod<z.output<typeof schema>>;
