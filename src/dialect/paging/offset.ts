import { z } from 'zod';
import { type PagingMethod, paramKey, sizeKeys, statusOfCountedPages, styleKey } from './paging_method.ts';

const schema = z.strictObject({
  style: styleKey('offset'),
  param: paramKey,
  first: z.int().nonnegative().default(0).describe('offset of the first row'),
  ...sizeKeys,
});

/**
 * A parameter specifies the position of the page's first row: `?start=40`. The position is the number of rows received
 * so far, so pages are neither skipped nor repeated if they have more or fewer rows than expected.
 */
export const offset = {
  style: 'offset',
  schema,
  keptHeaders: [],
  requestOf: ({ param, first, size }, { index, next }) => {
    const received = next !== null && /^\d+$/.test(next) ? Number(next) : index * size;
    return { parameters: { [param]: String(first + received) } };
  },
  nextPage: () => null,
  nextAfter: (rows) => String(rows),
  statusAfter: statusOfCountedPages,
  describe: ({ param, first }) =>
    `The parameter ${param} takes the offset of a page's first row; the first row has offset ${first}.`,
} satisfies PagingMethod<z.output<typeof schema>>;
