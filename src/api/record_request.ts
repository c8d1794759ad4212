import { DateTime } from 'luxon';
import { RejectedRequest } from './problems.ts';

/**
 * Parses the parameter `as_of` and returns epoch milliseconds.
 *
 * @throws RejectedRequest if the text is neither a date nor a time with a time zone.
 */
export function timeOf(text: string): number {
  // Date.parse accepts 30 February as 2 March.
  const isDay = DateTime.fromISO(text.slice(0, 10)).isValid;
  if (isDay && /^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T23:59:59.999Z`);
  const atMs = isDay && TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) throw new RejectedRequest({ code: 'parameter_invalid', detail: AS_OF_FORM });
  return atMs;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const AS_OF_FORM =
  'as_of must be a date (2026-03-31: the end of that day in UTC) or a time with a time zone (2026-03-31T12:00:00Z).';

/** Compares entity tags by weak comparison (RFC 9110, section 13.1.2). */
export function isNotModified(etag: string | undefined, ifNoneMatch: string | undefined): boolean {
  if (etag === undefined || ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}
