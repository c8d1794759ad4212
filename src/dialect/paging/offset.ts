import { z } from 'zod';
import { type PagingMethod, paramKey, sizeKeys, statusOfCountedPages, styleKey } from './paging_method.ts';

const schema = z.strictObject({
  style: styleKey('offset'),
  param: paramKey,
  first: z.int().nonnegative().default(0).describe('offset of the first row'),
  ...sizeKeys,
});

/** A parameter specifies the position of the page's first row: `?start=40`. */
export const offset = {
  style: 'offset',
  schema,
  keptHeaders: [],
  requestOf: ({ param, first, size }, { index }) => ({
    parameters: { [param]: String(first + index * size) },
  }),
  nextPage: () => null,
  statusAfter: statusOfCountedPages,
  describe: ({ param, first }) =>
    `The parameter ${param} takes the offset of a page's first row; the first row has offset ${first}.`,
} satisfies PagingMethod<z.output<typeof schema>>;
