import { DateTime } from 'luxon';
import { type Json, stringifyJson } from '../json/json.ts';
import { compileTemplate, placedAt } from '../json/json_template.ts';
import type { ApiProfile } from './api_profile.ts';
import type { Catalogue } from './catalogue.ts';
import type { Problem } from './problems.ts';
import { type ApiResponse, jsonResponse } from './request_context.ts';

/** Builds the response to a request for one record, in an API profile's format. */
type RecordResponder = (id: string, request: RecordRequest) => ApiResponse | Problem;

interface RecordRequest {
  readonly ifNoneMatch: string | undefined;
  /** The value of the parameter `as_of`. If undefined, the current record is requested. */
  readonly asOf?: string | undefined;
}

export function recordResponder(catalogue: Catalogue, profile: ApiProfile): RecordResponder {
  const body = compileTemplate<'record'>([
    ...Object.entries(profile.record.fixed).map(([at, value]) => ({ at, value })),
    { at: profile.record.root, hole: 'record' },
  ]);

  const missing =
    profile.record.missing === 'problem'
      ? null
      : compileTemplate<never>([{ at: profile.record.root.replace(/\/0$/, ''), value: [] }]);

  return (id, { ifNoneMatch, asOf }) => {
    const atMs = asOf === undefined ? null : timeOf(asOf);
    if (Number.isNaN(atMs)) return { code: 'parameter_invalid', detail: AS_OF_FORM };
    const record = atMs === null ? catalogue.record(id) : (catalogue.recordAsOf?.(id, atMs) ?? null);
    if (record === null && missing !== null) return jsonResponse(missing.fill({}));
    if (record === null) return catalogue.missingRecordProblem?.(id, atMs) ?? { code: 'entity_not_found' };
    if (record.gone && profile.gone.as === 'not_found') return { code: 'entity_not_found' };
    if (record.gone && profile.gone.as === 'gone') return { code: 'entity_gone' };
    const headers = { ...record.headers, ...(record.etag === undefined ? {} : { etag: record.etag }) };
    if (record.etag !== undefined && isMatch(record.etag, ifNoneMatch))
      return { status: 304, headers, body: '' };
    return jsonResponse(body.fill({ record: record.text }), headers);
  };
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

/** Returns the catalogue's statistics, with the count at the JSON path that the profile specifies. */
export function statsResponse(catalogue: Catalogue, { stats }: ApiProfile): ApiResponse {
  let body: Json = catalogue.stats();
  for (const [at, value] of Object.entries(stats.fixed)) body = placedAt(body, at, value);
  if (stats.total !== null) body = placedAt(body, stats.total, catalogue.count());
  return jsonResponse(stringifyJson(body));
}
