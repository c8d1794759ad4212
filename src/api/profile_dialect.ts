import { Dialect, type Paging, type ResponseRule } from '../dialect/dialect.ts';
import { type ApiProfile, defaultProfile, type ErrorBody } from './api_profile.ts';

/**
 * Returns the `upstream.paths` that a client must configure for a profile, or null if the client's default paths work.
 */
export function pathsFor(profile: ApiProfile): ApiProfile['paths'] | null {
  const { paths } = defaultProfile;
  const isDefault =
    profile.paths.search === paths.search &&
    profile.paths.entity === paths.entity &&
    profile.paths.stats === paths.stats;
  return isDefault ? null : profile.paths;
}

/** Returns the dialect that fits a profile, as an expert would write it. */
export function dialectFor(profile: ApiProfile, options: { readonly pageSize?: number } = {}): Dialect {
  const { search, summary, record, gone, stats } = profile;
  return Dialect.parse({
    search: {
      query_param: search.query_param,
      identifier_param: search.identifier_param,
      query_template: search.query_template,
      identifier_template: search.identifier_template,
      paging: pagingFor(profile, options.pageSize),
      results: search.results,
      item: search.item,
      main: search.main,
      id: summary.id,
      id_fallbacks: summary.other_id === null ? [] : [summary.other_id],
      group_as: search.results_per_company === 1 ? null : 'results',
      name: summary.name,
      total: search.total,
      total_clamped_at: search.total_clamped_at,
      matches: search.matches,
      identifiers: search.identifiers,
      min_length: search.min_length,
      absent_when_empty: search.empty === 'absent' || search.empty === 'null',
    },
    entity: {
      root: record.root,
      id: record.id,
      id_fallbacks: record.other_id === null ? [] : [record.other_id],
      name: record.name,
      gone: gone.as === 'marked' ? { at: gone.at, ...(gone.is === undefined ? {} : { is: gone.is }) } : null,
    },
    stats: { total: stats.total },
    volatile: record.volatile,
    responses: rulesFor(profile),
  });
}

function pagingFor({ search }: ApiProfile, pageSize: number | undefined): Paging {
  const maxSize = search.paging.size_param === null ? search.paging.size : search.max_size;
  const size = search.paging.size_param === null ? maxSize : Math.min(pageSize ?? maxSize, maxSize);
  return { ...search.paging, size, window: search.window?.rows ?? null };
}

/** Returns the rules for responses whose meaning differs from their HTTP status. */
function rulesFor({ errors, search }: ApiProfile): ResponseRule[] {
  const rules: ResponseRule[] = [
    limitRule(errors.body, errors.exhausted.status, 'allowance_exhausted', 'exhausted'),
    limitRule(errors.body, errors.throttled.status, 'rate_limited', 'throttled'),
  ].filter((rule) => rule !== null);
  if (search.empty === 'not_found') rules.push({ kind: 'search', status: 404, means: 'absent' });
  if (errors.unknown_id !== 404)
    rules.push({ kind: 'entity', status: errors.unknown_id, at: '/Message', matches: '.', means: 'absent' });
  if (search.broad_above !== null) rules.push({ ...TOO_BROAD, status: 400, means: 'refused' });
  if (search.window !== null && search.window.beyond === 400) rules.push({ status: 400, means: 'refused' });
  return rules;
}

function limitRule(
  body: ErrorBody,
  status: number,
  code: LimitCode,
  means: 'throttled' | 'exhausted',
): ResponseRule | null {
  if (body !== 'empty') return { status, ...LIMIT_CONDITIONS[body](code), means };
  // Only the status distinguishes throttled from exhausted. If both have the same status, waiting is safer.
  return means === 'throttled' || status !== 429 ? { status, means } : null;
}

type LimitCode = 'rate_limited' | 'allowance_exhausted';

const LIMIT_CONDITIONS: Record<
  Exclude<ErrorBody, 'empty'>,
  (code: LimitCode) => Pick<ResponseRule, 'at' | 'is' | 'matches'>
> = {
  problem: (is) => ({ at: '/code', is }),
  nested: (is) => ({ at: '/error/code', is }),
  message: (code) => ({ at: '/error/message', matches: PATTERNS[code] }),
  flat: (is) => ({ at: '/error', is }),
  list: (code) => ({ at: '/errors/0/error', is: code.replaceAll('_', '-') }),
  json_api: (is) => ({ at: '/errors/0/code', is }),
  spring: (is) => ({ at: '/message', is }),
  text: (code) => ({ at: '/Message', matches: PATTERNS[code] }),
  html: (code) => ({ matches: PATTERNS[code] }),
};

/** The rule for a query rejected because it has too many matches. The message states how many. */
const TOO_BROAD = {
  kind: 'search',
  matches: 'too many companies',
  total: 'too many companies \\(([\\d,]+)\\)',
} as const;

/** Patterns that match the problem titles in `problems.ts`. */
const PATTERNS = {
  rate_limited: 'requests in the last minute',
  allowance_exhausted: 'allowance of this account',
};
