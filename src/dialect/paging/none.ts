import { z } from 'zod';
import { type PagingMethod, sizeKeys, styleKey } from './paging_method.ts';

const schema = z.strictObject({ style: styleKey('none'), ...sizeKeys });

/** Every query has only one page. */
export const none = {
  style: 'none',
  schema,
  keptHeaders: [],
  requestOf: () => ({ parameters: {} }),
  nextPage: () => null,
  // A short page without a total is complete. In all other cases, there may be more matches, but no request can return
  // them.
  statusAfter: ({ total, isShort }) => (total === null && isShort ? 'complete' : 'capped'),
  describe: () => 'Each query has only one page.',
} satisfies PagingMethod<z.output<typeof schema>>;
