import { z } from 'zod';
import { pathInWords } from '../../json/pointer.ts';
import { Pointer } from '../../json/pointer_schema.ts';
import {
  linkAt,
  type PagingMethod,
  paramKey,
  sizeKeys,
  statusOfLinkedPages,
  styleKey,
} from './paging_method.ts';

const schema = z.strictObject({
  style: styleKey('cursor'),
  param: paramKey,
  next: Pointer.describe("JSON path of the next page's cursor"),
  first: z.string().nullable().default(null).describe('cursor of the first page; null omits the parameter'),
  ...sizeKeys,
});

/** A parameter takes its value from the previous page's body: `?after=b64`. */
export const cursor = {
  style: 'cursor',
  schema,
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
} satisfies PagingMethod<z.output<typeof schema>>;
