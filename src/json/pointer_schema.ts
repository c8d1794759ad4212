import { z } from 'zod';
import { segmentsOf, selectorsIn } from './pointer.ts';

/** The schemas of JSON Pointers. They have their own file, so that code that only uses pointers does not load zod. */

const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/, 'must be a JSON Pointer: empty, or beginning with "/"');

const ID = '{id}';
const isSelector = (segment: string) => selectorsIn(segment).length > 0;
const keyPath = pointer.refine(
  (text) => !segmentsOf(text).some(isSelector),
  'must consist of keys and positions, such as /data/0; a selector in brackets is not possible here',
);

/** A pointer to a value in a body. */
export const Pointer = pointer
  .refine(
    (text) => !segmentsOf(text).some((segment) => segment.startsWith('[') && !isSelector(segment)),
    'has brackets that select nothing; write [key=value], [key!=value], [key=absent], [0] or [last]',
  )
  .refine(
    (text) => !text.includes(ID),
    'contains {id}, which is possible only in dialect.entity.root, because only a record call has an id',
  )
  .describe(
    'JSON Pointer (RFC 6901); "" is the whole body, and [key=value], [key=absent], [0] or [last] selects an element of a list',
  );

/** A pointer of keys and positions only. */
export const KeyPointer = keyPath
  .refine((text) => !text.includes(ID), 'contains {id}, which is possible only in dialect.entity.root')
  .describe('JSON Pointer (RFC 6901) of keys and positions; "" is the whole body');

/**
 * A pointer to a list of results. `/records/{id}` are the values of an object whose keys are the ids. A key `*` stands for
 * all elements of a list.
 */
export const ResultsPointer = keyPath
  .refine(
    (text) => !text.slice(0, text.endsWith(`/${ID}`) ? -ID.length : undefined).includes(ID),
    'contains {id}, which can only be the last key',
  )
  .describe(
    'JSON Pointer (RFC 6901) of keys and positions; a last key {id} means an object with a result for each id, and * all elements of a list',
  );

/** A pointer to a record. `{id}` is replaced with the requested id: `/entities/{id}`. */
export const RecordPointer = keyPath.describe(
  'JSON Pointer (RFC 6901) of keys and positions; {id} is the requested id, and "" is the whole body',
);
