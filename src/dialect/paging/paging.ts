import { z } from 'zod';
import { pathInWords } from '../../json/pointer.ts';
import { Pointer } from '../../json/pointer_schema.ts';
import { nextLink } from '../headers.ts';
import {
  linkAt,
  type PagingMethod,
  paramKey,
  sizeKeys,
  statusOfCountedPages,
  statusOfLinkedPages,
  styleKey,
} from './paging_method.ts';

const noneSettings = z.strictObject({ style: styleKey('none'), ...sizeKeys });

/** Every query has only one page. */
const none = {
  style: 'none',
  schema: noneSettings,
  keptHeaders: [],
  requestOf: () => ({ parameters: {} }),
  nextPage: () => null,
  // A short page without a total is complete. In all other cases, there may be more matches, but no request can return
  // them.
  statusAfter: ({ total, isShort }) => (total === null && isShort ? 'complete' : 'capped'),
  describe: () => 'Each query has only one page.',
} satisfies PagingMethod<z.output<typeof noneSettings>>;

const pageSettings = z.strictObject({
  style: styleKey('page'),
  param: paramKey,
  first: z.int().nonnegative().default(1).describe('first page number'),
  ...sizeKeys,
});

/** A parameter specifies the page number: `?page=3`. */
const page = {
  style: 'page',
  schema: pageSettings,
  keptHeaders: [],
  requestOf: ({ param, first }, { index }) => ({ parameters: { [param]: String(first + index) } }),
  nextPage: () => null,
  statusAfter: statusOfCountedPages,
  describe: ({ param, first }) =>
    `The parameter ${param} takes the page number; the first page has number ${first}.`,
} satisfies PagingMethod<z.output<typeof pageSettings>>;

const offsetSettings = z.strictObject({
  style: styleKey('offset'),
  param: paramKey,
  first: z.int().nonnegative().default(0).describe('offset of the first row'),
  ...sizeKeys,
});

/**
 * A parameter specifies the position of the page's first row: `?start=40`. The position is the number of rows received
 * so far, so pages are neither skipped nor repeated if they have more or fewer rows than expected.
 */
const offset = {
  style: 'offset',
  schema: offsetSettings,
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
} satisfies PagingMethod<z.output<typeof offsetSettings>>;

const cursorSettings = z.strictObject({
  style: styleKey('cursor'),
  param: paramKey,
  next: Pointer.describe("JSON path of the next page's cursor"),
  first: z.string().nullable().default(null).describe('cursor of the first page; null omits the parameter'),
  ...sizeKeys,
});

/** A parameter takes its value from the previous page's body: `?after=b64`. */
const cursor = {
  style: 'cursor',
  schema: cursorSettings,
  keptHeaders: [],
  requestOf: ({ param, first }, { next }) => {
    const value = next ?? first;
    return { parameters: value === null ? {} : { [param]: value } };
  },
  nextPage: ({ next, first }, body) => {
    const link = linkAt(body, next);
    return link === first ? null : link;
  },
  statusAfter: statusOfLinkedPages,
  describe: ({ param, next, first }) =>
    `The parameter ${param} takes the cursor that the previous page contains at ${pathInWords(next)}` +
    `${first === null ? '' : `; the first cursor is ${first}`}.`,
} satisfies PagingMethod<z.output<typeof cursorSettings>>;

const nextUrlSettings = z.strictObject({
  style: styleKey('next_url'),
  next: Pointer.describe("JSON path of the next page's URL"),
  ...sizeKeys,
});

/** The body gives the next page's URL. */
const nextUrl = {
  style: 'next_url',
  schema: nextUrlSettings,
  keptHeaders: [],
  requestOf: (_paging, { next }) => (next === null ? { parameters: {} } : { url: next }),
  nextPage: ({ next }, body) => linkAt(body, next),
  statusAfter: statusOfLinkedPages,
  describe: ({ next }) => `Each page contains the URL of the next page at ${pathInWords(next)}.`,
} satisfies PagingMethod<z.output<typeof nextUrlSettings>>;

const linkHeaderSettings = z.strictObject({ style: styleKey('link_header'), ...sizeKeys });

/** The `Link` header gives the next page's URL (RFC 8288, `rel="next"`). */
const linkHeader = {
  style: 'link_header',
  schema: linkHeaderSettings,
  keptHeaders: ['link'],
  requestOf: (_paging, { next }) => (next === null ? { parameters: {} } : { url: next }),
  nextPage: (_paging, _body, headers) => nextLink(headers),
  statusAfter: statusOfLinkedPages,
  describe: () => 'The header Link contains the URL of the next page.',
} satisfies PagingMethod<z.output<typeof linkHeaderSettings>>;

/** The settings of `dialect.search.paging`, distinguished by `style`. */
export const Paging = z.discriminatedUnion('style', [
  noneSettings,
  pageSettings,
  offsetSettings,
  cursorSettings,
  nextUrlSettings,
  linkHeaderSettings,
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
