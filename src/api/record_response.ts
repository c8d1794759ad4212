import { type Json, stringifyJson } from '../json/json.ts';
import { compileTemplate, placedAt } from '../json/json_template.ts';
import type { ApiProfile } from './api_profile.ts';
import type { Catalogue } from './catalogue.ts';
import type { Problem } from './problems.ts';
import { type ApiResponse, jsonResponse } from './request_context.ts';

/** Answers for one company, in the words of a shape. */
export interface RecordResponder {
  answer(id: string, ask: RecordAsk): ApiResponse | Problem;
}

export interface RecordAsk {
  readonly ifNoneMatch: string | undefined;
  /** The moment whose state is asked for, as it was written; undefined: now. */
  readonly asOf?: string | undefined;
}

export function recordResponder(catalogue: Catalogue, profile: ApiProfile): RecordResponder {
  const body = compileTemplate<'record'>([
    ...Object.entries(profile.record.fixed).map(([at, value]) => ({ at, value })),
    { at: profile.record.root, hole: 'record' },
  ]);

  return {
    answer(id, { ifNoneMatch, asOf }) {
      const atMs = asOf === undefined ? null : momentOf(asOf);
      if (Number.isNaN(atMs)) return { code: 'parameter_invalid', detail: AS_OF_FORM };
      const record = atMs === null ? catalogue.record(id) : (catalogue.recordAsOf?.(id, atMs) ?? null);
      if (record === null) return catalogue.refusal?.(id, atMs) ?? { code: 'entity_not_found' };
      if (record.gone && profile.gone.as === 'not_found') return { code: 'entity_not_found' };
      if (record.gone && profile.gone.as === 'gone') return { code: 'entity_gone' };
      const headers = { ...record.headers, ...(record.etag === undefined ? {} : { etag: record.etag }) };
      if (record.etag !== undefined && isMatch(record.etag, ifNoneMatch))
        return { status: 304, headers, body: '' };
      return jsonResponse(body.fill({ record: record.text }), headers);
    },
  };
}

const AS_OF_FORM =
  'as_of is a date (2026-03-31, the end of that day in UTC) or a time with its zone (2026-03-31T12:00:00Z).';

/** Epoch milliseconds; NaN where the text is neither a date nor a time with its zone. */
function momentOf(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T23:59:59.999Z`);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  return isTime ? Date.parse(text) : Number.NaN;
}

/** RFC 9110, 13.1.2: weak comparison. */
function isMatch(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}

/** The statistics and the coverage, with the count where the shape puts it. */
export function statsResponse(catalogue: Catalogue, { stats }: ApiProfile): ApiResponse {
  let body: Json = catalogue.stats();
  for (const [at, value] of Object.entries(stats.fixed)) body = placedAt(body, at, value);
  if (stats.total !== null) body = placedAt(body, stats.total, catalogue.count());
  return jsonResponse(stringifyJson(body));
}
