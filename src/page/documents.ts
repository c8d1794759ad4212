import type { Database } from 'better-sqlite3';
import { DateTime, IANAZone } from 'luxon';
import type { Config } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { readRun } from '../report/facts.ts';
import { explainSqlite } from '../sqlite/database_file.ts';
import { CHANGE_KINDS, readChanges } from '../warehouse/change_list.ts';
import { changesOf, findCompany, versionsOf } from '../warehouse/company_history.ts';
import { companySearch } from '../warehouse/company_search.ts';
import { findQuarantined, listQuarantined, quarantineCounts } from '../warehouse/quarantine.ts';
import { responseTexts } from '../warehouse/serve_records.ts';
import { type CompanyView, companyPage } from './company_page.ts';
import type { PageDocument } from './frame.ts';
import { overviewPage } from './overview_page.ts';
import { timesIn } from './page_figures.ts';
import { SnapshotReader } from './page_snapshot.ts';
import { RANGES } from './periods.ts';
import { COMPANIES_FOUND, COMPANY_STATES, searchPage } from './search_page.ts';
import { CHANGES_PER_PAGE, changesPage } from './section/changes.ts';
import { quarantinePage } from './section/quarantine.ts';
import { runPage } from './section/runs.ts';

interface DocumentsOptions {
  readonly config: Config;
  readonly now: () => number;
}

/** The open warehouse, which another file can replace while the page is served. */
export interface PageWarehouse {
  /** Returns the open file. Throws FailedError while no file can be read. */
  current(): { readonly db: Database };
  /** Called with an error of the file, which is then opened again. */
  doubt(error: unknown): boolean;
}

/** Reads the warehouse and the ledger, and draws a document for each of the page's URLs. It never writes to the files. */
export class Documents {
  readonly #options: DocumentsOptions;
  #snapshots: SnapshotReader | null = null;

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  /**
   * Returns a document with times in the reader's time zone, or null if no such page exists.
   *
   * @throws FailedError if a file cannot be read.
   * @throws ParameterError if a parameter cannot be read.
   */
  draw(url: URL, zone: string, warehouse: PageWarehouse): PageDocument | null {
    const { config } = this.#options;
    const { db } = warehouse.current();
    try {
      if (this.#snapshots?.db !== db) this.#snapshots = new SnapshotReader(db);
      const snapshots = this.#snapshots;
      // In one transaction, so that all figures of a document have the same time, also during a run.
      return db.transaction(() => this.#draw(url, zone, snapshots))();
    } catch (error) {
      warehouse.doubt(error);
      throw explainSqlite(error, `the warehouse ${config.warehouse}`);
    }
  }

  #draw({ pathname, searchParams }: URL, zone: string, snapshots: SnapshotReader): PageDocument | null {
    const { config, now } = this.#options;
    const { db } = snapshots;
    const nowMs = now();
    const context = { config, times: timesIn(zone, nowMs) };
    const given = new Parameters(searchParams);
    const company = (versionId: number | null) => readCompany(db, searchParams.get('id') ?? '', versionId);
    const format: 'csv' | 'html' = pathname.endsWith('.csv') ? 'csv' : 'html';
    switch (pathname.replace(/\.csv$/, '')) {
      case '/': {
        const range = given.oneOf('range', RANGES);
        return overviewPage({ ...context, db, snapshot: snapshots.read(context, nowMs, range) });
      }
      case '/page/company': {
        const shown = company(given.integer('version'));
        return shown === null ? null : companyPage(shown, context);
      }
      case '/page/company.json': {
        const body = company(given.integer('version'))?.shown?.text;
        return body == null ? null : { body, type: 'application/json; charset=utf-8' };
      }
      case '/page/search': {
        const query = given.text('q');
        const state = given.oneOf('state', COMPANY_STATES);
        const offset = given.integer('from') ?? 0;
        const found = companySearch(db)(query, COMPANIES_FOUND[format] + 1);
        const companies = found
          .slice(0, COMPANIES_FOUND[format])
          .filter((one) => state === null || state === one.state)
          .flatMap(({ entityId }) => findCompany(db, entityId) ?? []);
        const hasMore = found.length > COMPANIES_FOUND[format];
        return searchPage({ query, state, offset, format, companies, hasMore }, context);
      }
      case '/page/changes': {
        const kind = given.oneOf('kind', CHANGE_KINDS) ?? 'all';
        const beforeId = given.integer('before');
        const [since, field] = [given.text('since'), given.text('field')];
        const filter = { sinceMs: given.time('since'), path: field === '' ? null : field, kind };
        const changes = readChanges(db, filter, { beforeId, most: CHANGES_PER_PAGE[format] });
        return changesPage(changes, { since, field, kind, format, beforeId }, context);
      }
      case '/page/quarantine': {
        const shown = readQuarantine(db, given.integer('id'));
        return shown === null ? null : quarantinePage(shown, context);
      }
      default: {
        const runId = /^\/page\/runs\/(\d{1,15})$/.exec(pathname)?.[1];
        const shown = runId === undefined ? null : readRun(db, Number(runId), nowMs);
        return shown === null ? null : runPage(shown, context);
      }
    }
  }
}

/** Returns null if the company is unknown. `versionId` is the call id of a version, or null for the last version. */
function readCompany(db: Database, entityId: string, versionId: number | null): CompanyView | null {
  const company = findCompany(db, entityId);
  if (company === null) return null;
  const versions = versionsOf(db, entityId, MAX_VERSIONS);
  const version = versions.find(({ callId }) => callId === versionId) ?? versions[0];
  const shown = version === undefined ? null : { version, text: responseTexts(db)(version.callId) };
  return { company, versions, changes: changesOf(db, entityId, MAX_CHANGES), shown };
}

/** Returns one entry with its response, or all open entries. */
function readQuarantine(db: Database, id: number | null) {
  if (id === null)
    return { entries: listQuarantined(db, 'open', MAX_ENTRIES), open: quarantineCounts(db).open };
  const entry = findQuarantined(db, id);
  return entry === null ? null : { entry, text: responseTexts(db)(entry.callId) };
}

/** Returns the time zone from the cookie that the page's script sets, or `fallback` if it is missing or invalid. */
export function zoneOf(cookies: string | undefined, fallback: string): string {
  const zone = /(?:^|; )zone=([\w+\-/]{1,60})(?:;|$)/.exec(cookies ?? '')?.[1];
  return zone !== undefined && IANAZone.isValidZone(zone) ? zone : fallback;
}

const MAX_ENTRIES = 200;
const MAX_CHANGES = 1_000;
const MAX_VERSIONS = 200;

/** Thrown if a value in a page's URL cannot be read. */
export class ParameterError extends UsageError {}

/**
 * The parameters of a page's URL. An absent or empty parameter is null, or '' if it is text.
 *
 * @throws ParameterError if a value cannot be read.
 */
class Parameters {
  readonly #given: URLSearchParams;

  constructor(given: URLSearchParams) {
    this.#given = given;
  }

  text(name: string): string {
    return (this.#given.get(name) ?? '').trim().slice(0, MAX_CHARACTERS);
  }

  integer(name: string): number | null {
    const isValid = (text: string) => /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
    return this.#read(name, 'a whole number', (text) => (isValid(text) ? Number(text) : null));
  }

  oneOf<V extends string>(name: string, values: readonly V[]): V | null {
    return this.#read(name, values.join(', '), (text) => values.find((one) => one === text) ?? null);
  }

  /** Reads a date or a time as epoch milliseconds. It is UTC unless it has a zone. */
  time(name: string): number | null {
    return this.#read(name, 'a date such as 2026-01-31', (text) => {
      const time = DateTime.fromISO(text, { zone: 'utc' });
      return time.isValid ? time.toMillis() : null;
    });
  }

  #read<V>(name: string, expected: string, read: (text: string) => V | null): V | null {
    const text = this.text(name);
    if (text === '') return null;
    const value = read(text);
    if (value !== null) return value;
    throw new ParameterError(`This page cannot read ${name}=${text}. Expected: ${expected}.`);
  }
}

const MAX_CHARACTERS = 200;
