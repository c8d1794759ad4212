import { z } from 'zod';
import { cursor } from './cursor.ts';
import { linkHeader } from './link_header.ts';
import { nextUrl } from './next_url.ts';
import { none } from './none.ts';
import { offset } from './offset.ts';
import { page } from './page.ts';
import type { PagingMethod, PagingSettings } from './paging_method.ts';

/**
 * All paging styles. To add a style, write its file and add it to this list. The compiler then reports what else is
 * missing.
 */
export const PAGING_METHODS = [none, page, offset, cursor, nextUrl, linkHeader] as const;

/** Several paging styles, with a schema for their settings and a lookup by name. */
interface PagingStyles<Schema extends z.ZodType<PagingSettings>> {
  /** The schema of `dialect.search.paging`, which is a union of all styles, distinguished by `style`. */
  readonly schema: Schema;
  /** Returns the paging method for a style. */
  methodOf(style: z.output<Schema>['style']): PagingMethod;
}

export function pagingStyles<const Methods extends readonly [Listed, ...Listed[]]>(methods: Methods) {
  const schema = z.discriminatedUnion('style', schemasOf(methods));
  const byStyle = new Map<string, PagingMethod>(methods.map((method) => [method.style, method]));
  return {
    schema,
    methodOf: (style) => {
      const method = byStyle.get(style);
      if (method === undefined) throw new TypeError(`no paging style is called "${style}"`);
      return method;
    },
  } satisfies PagingStyles<typeof schema>;
}

type Listed = PagingMethod & { readonly schema: z.core.$ZodTypeDiscriminable };
type SchemasOf<Methods extends readonly Listed[]> = {
  -readonly [Index in keyof Methods]: Methods[Index]['schema'];
};

function schemasOf<const Methods extends readonly Listed[]>(methods: Methods): SchemasOf<Methods> {
  // `map` loses the individual elements' types.
  return methods.map(({ schema }) => schema) as SchemasOf<Methods>;
}

const STYLES = pagingStyles(PAGING_METHODS);

export const Paging = STYLES.schema;
export type Paging = z.infer<typeof Paging>;
export type PagingStyleName = Paging['style'];

/** Returns the paging method for a style. */
export const pagingMethod = STYLES.methodOf;
