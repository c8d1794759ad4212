import { z } from 'zod';

/** The schema of a JSON Pointer. It has its own file, so that code that only uses pointers does not load zod. */
export const Pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/, 'must be a JSON Pointer: empty, or beginning with "/"')
  .describe('JSON Pointer (RFC 6901); "" is the whole body, and [key=value] selects an element of a list');
