import { z } from 'zod';
import { nextLink } from '../headers.ts';
import { type PagingMethod, sizeKeys, statusOfLinkedPages, styleKey } from './paging_method.ts';

const schema = z.strictObject({ style: styleKey('link_header'), ...sizeKeys });

/** The `Link` header gives the next page's URL (RFC 8288, `rel="next"`). */
export const linkHeader = {
  style: 'link_header',
  schema,
  keptHeaders: ['link'],
  requestOf: (_paging, { next }) => (next === null ? { parameters: {} } : { url: next }),
  nextPage: (_paging, _body, headers) => nextLink(headers),
  statusAfter: statusOfLinkedPages,
  describe: () => 'The header Link contains the URL of the next page.',
} satisfies PagingMethod<z.output<typeof schema>>;
