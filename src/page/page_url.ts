import { IANAZone } from 'luxon';
import { CHANGE_KINDS } from '../warehouse/change_list.ts';
import { rangeOf } from './chart/periods.ts';
import { COMPANY_STATES, type PageRequest } from './page_request.ts';

/** Returns how many companies match a query, and the ids of the best matches (at most `limit`). */
export type FindCompanies = (
  query: string,
  limit: number,
) => { readonly total: number; readonly ids: readonly string[] };

export interface UrlContext {
  readonly find: FindCompanies;
  readonly zone: string;
  readonly version: string;
}

/** Reads a page request from a URL. Returns null if no such page exists. Invalid parameters are ignored. */
export function pageRequestOf(url: URL, { find, zone, version }: UrlContext): PageRequest | null {
  const { searchParams } = url;
  const shared = { zone, version };
  const text = (name: string) => (searchParams.get(name) ?? '').trim().slice(0, MAX_CHARACTERS);
  const integer = (name: string) => integerOf(searchParams.get(name));
  const entityId = searchParams.get('id') ?? '';
  switch (url.pathname) {
    case '/':
      return {
        ...{ ...shared, page: 'overview', range: rangeOf(searchParams.get('range')) },
        hasTables: searchParams.has('tables'),
      };
    case '/page/company':
      return {
        ...{ ...shared, page: 'company', entityId },
        versionId: integer('version'),
        compare: comparedVersions(searchParams.get('compare')),
      };
    case '/page/company.json':
      return { ...shared, page: 'record', entityId, versionId: integer('version') };
    case '/page/search':
    case '/page/search.csv': {
      const query = text('q');
      const matches = query === '' ? { total: 0, ids: [] } : find(query, MAX_FOUND);
      return {
        ...{ ...shared, page: 'search', query, ...matches },
        state: COMPANY_STATES.find((state) => state === searchParams.get('state')) ?? null,
        offset: Math.max(0, integer('from') ?? 0),
        format: url.pathname.endsWith('.csv') ? 'csv' : 'html',
      };
    }
    case '/page/changes':
    case '/page/changes.csv':
      return {
        ...{ ...shared, page: 'changes', since: text('since'), field: text('field') },
        kind: CHANGE_KINDS.find((kind) => kind === searchParams.get('kind')) ?? 'all',
        beforeId: integer('before'),
        format: url.pathname.endsWith('.csv') ? 'csv' : 'html',
      };
    case '/page/quarantine':
      return { ...shared, page: 'quarantine', quarantineId: integer('id') };
    default: {
      const runId = integerOf(/^\/page\/runs\/(\d{1,15})$/.exec(url.pathname)?.[1] ?? null);
      if (runId === null) return null;
      return { ...shared, page: 'run', runId };
    }
  }
}

/** Returns the time zone from the cookie that the page's script sets, or `fallback` if it is missing or invalid. */
export function zoneOf(cookies: string | undefined, fallback: string): string {
  const zone = /(?:^|; )zone=([\w+\-/]{1,60})(?:;|$)/.exec(cookies ?? '')?.[1];
  return zone !== undefined && IANAZone.isValidZone(zone) ? zone : fallback;
}

function integerOf(text: string | null): number | null {
  if (text === null || !/^\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/** Reads the versions to compare, such as `12..15`. Returns null if the text is missing or invalid. */
function comparedVersions(text: string | null): [number, number] | null {
  const [, from, to] = /^(\d{1,16})\.\.(\d{1,16})$/.exec(text ?? '') ?? [];
  return from === undefined || to === undefined ? null : [Number(from), Number(to)];
}

const MAX_CHARACTERS = 200;
/** The maximum number of matches that a search's result pages, state filter and CSV file cover. */
const MAX_FOUND = 5_000;
