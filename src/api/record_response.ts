import { DateTime } from 'luxon';
import type { Catalogue } from './catalogue.ts';
import type { Problem } from './problems.ts';
import { type ApiResponse, jsonResponse } from './request_context.ts';

interface RecordRequest {
  readonly ifNoneMatch: string | undefined;
  /** The value of the parameter `as_of`. If undefined, the current record is requested. */
  readonly asOf?: string | undefined;
}

/** Returns the response to a request for one record. */
export function recordResponse(
  catalogue: Catalogue,
  id: string,
  { ifNoneMatch, asOf }: RecordRequest,
): ApiResponse | Problem {
  const atMs = asOf === undefined ? null : timeOf(asOf);
  if (Number.isNaN(atMs)) return { code: 'parameter_invalid', detail: AS_OF_FORM };
  const record = catalogue.record(id, atMs);
  if ('code' in record) return record;
  const { text, etag } = record;
  const headers = { ...record.headers, ...(etag === undefined ? {} : { etag }) };
  if (etag !== undefined && isMatch(etag, ifNoneMatch)) return { status: 304, headers, body: '' };
  return jsonResponse(text, headers);
}

const AS_OF_FORM =
  'as_of must be a date (2026-03-31: the end of that day in UTC) or a time with a time zone (2026-03-31T12:00:00Z).';

/** Parses a time and returns epoch milliseconds, or NaN if the text is neither a date nor a time with a time zone. */
function timeOf(text: string): number {
  // Date.parse accepts 30 February as 2 March.
  if (!DateTime.fromISO(text.slice(0, 10)).isValid) return Number.NaN;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T23:59:59.999Z`);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  return isTime ? Date.parse(text) : Number.NaN;
}

/** Compares entity tags by weak comparison (RFC 9110, section 13.1.2). */
function isMatch(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}
