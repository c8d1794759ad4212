import { z } from 'zod';
import type { Json } from '../json/json.ts';
import { pathInWords } from '../json/pointer.ts';
import { Pointer } from '../json/pointer_schema.ts';
import { textAt } from './body_values.ts';
import type { Headers } from './headers.ts';

/** Matches a header name (RFC 9110, section 5.6.2, `token`). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The location of a value in a response: a header name, or a JSON path in the body, which begins with "/" or is "". */
export const HeaderOrPath = z.union([z.string().regex(HEADER_NAME, 'must be a header name'), Pointer]);

/** Returns the header's name in lower case, or null if the value is in the body. */
export function headerNameIn(at: string | null): string | null {
  return at === null || at === '' || at.startsWith('/') ? null : at.toLowerCase();
}

/** Returns the text of a value in a response, or null if there is none. */
export function textIn(at: string | null, headers: Headers, body: Json | undefined): string | null {
  const header = headerNameIn(at);
  return header === null ? textAt(body, at) : (headers[header] ?? null);
}

export function whereInWords(at: string): string {
  return headerNameIn(at) === null ? `at ${pathInWords(at)}` : `in the header ${at}`;
}
