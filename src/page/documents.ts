import { IANAZone } from 'luxon';
import { openLedger } from '../allowance/ledger.ts';
import { readLock } from '../report/facts.ts';
import { explainSqlite } from '../sqlite/database_file.ts';
import { CHANGE_KINDS, readChanges } from '../warehouse/change_list.ts';
import { companyPages } from '../warehouse/page_queries.ts';
import { quarantineRegister } from '../warehouse/quarantine.ts';
import { recentRuns } from '../warehouse/run.ts';
import { runCalls } from '../warehouse/run_calls.ts';
import { responseTexts } from '../warehouse/serve_records.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { CHANGES_PER_PAGE, changeFilterOf, changesPage } from './changes_page.ts';
import { rangeOf } from './chart/periods.ts';
import { type CompanyView, companyPage } from './company_page.ts';
import type { PageDocument } from './frame.ts';
import { openLedgerReader } from './ledger_reader.ts';
import { openOverviewPage } from './overview_page.ts';
import type { PageSettings } from './page_settings.ts';
import { openPageSnapshot } from './page_snapshot.ts';
import { quarantinePage } from './quarantine_page.ts';
import { runPage } from './run_page.ts';
import { COMPANY_STATES, searchPage } from './search_page.ts';

/** Returns how many companies match a query, and the ids of the best matches (at most `limit`). */
export type FindCompanies = (
  query: string,
  limit: number,
) => { readonly total: number; readonly ids: readonly string[] };

export interface DocumentsOptions {
  readonly settings: PageSettings;
  readonly find: FindCompanies;
  readonly now: () => number;
}

/** What a document depends on, besides its URL. */
export interface DocumentContext {
  /** The reader's time zone. */
  readonly zone: string;
  /** The mirror version that a live document shows. */
  readonly version: string;
}

/**
 * Reads the warehouse and the ledger, and draws a document for each of the page's URLs. It never writes to the files.
 * They are opened at the first request, so that `serve` also starts without a ledger.
 */
export class Documents {
  readonly #options: DocumentsOptions;
  #files: ReturnType<typeof openFiles> | null = null;

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  /**
   * Returns null if no such page exists. Invalid parameters are ignored.
   *
   * @throws FailedError if a file cannot be read.
   */
  draw(url: URL, context: DocumentContext): PageDocument | null {
    const { settings, now } = this.#options;
    try {
      this.#files ??= openFiles(settings, now());
      return this.#draw(url, this.#files, context);
    } catch (error) {
      throw explainSqlite(error, `the warehouse ${settings.warehousePath}`);
    }
  }

  close(): void {
    this.#files?.close();
  }

  #draw(url: URL, files: OpenFiles, { zone, version }: DocumentContext): PageDocument | null {
    const { settings, now } = this.#options;
    const view = { nowMs: now(), zone };
    const { searchParams } = url;
    const text = (name: string) => (searchParams.get(name) ?? '').trim().slice(0, MAX_CHARACTERS);
    const integer = (name: string) => integerOf(searchParams.get(name));
    const company = (versionId: number | null) =>
      readCompany(files, { entityId: searchParams.get('id') ?? '', versionId });
    const format: 'csv' | 'html' = url.pathname.endsWith('.csv') ? 'csv' : 'html';
    switch (url.pathname.replace(/\.csv$/, '')) {
      case '/': {
        const range = rangeOf(searchParams.get('range'));
        return {
          body: files.overviewPage({ ...view, version, range, hasTables: searchParams.has('tables') }),
        };
      }
      case '/page/company': {
        const shown = company(integer('version'));
        const versions = comparedVersions(searchParams.get('compare'));
        const compared = versions.map((id) => company(id)?.shown ?? null);
        return shown === null ? null : { body: companyPage(shown, { ...view, compared }, settings) };
      }
      case '/page/company.json': {
        const body = company(integer('version'))?.shown?.text;
        return body == null ? null : { body, type: 'application/json; charset=utf-8' };
      }
      case '/page/search': {
        const state = COMPANY_STATES.find((one) => one === searchParams.get('state')) ?? null;
        const offset = Math.max(0, integer('from') ?? 0);
        return this.#search(files, { query: text('q'), state, offset, format, zone });
      }
      case '/page/changes': {
        const kind = CHANGE_KINDS.find((one) => one === searchParams.get('kind')) ?? 'all';
        const request = { ...{ since: text('since'), field: text('field'), kind, format } } as const;
        const page = { beforeId: integer('before'), most: CHANGES_PER_PAGE[format] };
        const changes = readChanges(files.db, changeFilterOf(request), page);
        return changesPage({ ...view, ...changes }, { ...request, beforeId: page.beforeId }, settings);
      }
      case '/page/quarantine': {
        const shown = readQuarantine(files, integer('id'));
        return shown === null ? null : { body: quarantinePage({ ...view, ...shown }, settings) };
      }
      default: {
        const runId = integerOf(/^\/page\/runs\/(\d{1,15})$/.exec(url.pathname)?.[1] ?? null);
        const shown = runId === null ? null : readRun(files, runId, view.nowMs);
        return shown === null ? null : { body: runPage({ ...view, ...shown }, settings) };
      }
    }
  }

  #search(
    { companies }: OpenFiles,
    { zone, ...request }: Omit<Parameters<typeof searchPage>[0]['request'], 'total' | 'ids'> & DocumentZone,
  ): PageDocument {
    const { find, settings } = this.#options;
    const { query, state } = request;
    const found = query === '' ? { total: 0, ids: [] } : find(query, MAX_FOUND);
    const matches = found.ids.flatMap((entityId) => companies.company(entityId) ?? []);
    const withState = matches.filter((one) => state === null || state === one.state);
    return searchPage({ request: { ...request, ...found }, companies: withState }, settings, zone);
  }
}

type OpenFiles = ReturnType<typeof openFiles>;
type DocumentZone = Pick<DocumentContext, 'zone'>;

function openFiles(settings: PageSettings, nowMs: number) {
  const { warehousePath, ledgerPath, accountId, allowance } = settings;
  const { db, close } = openWarehouse({ path: warehousePath, readonly: true, nowMs });
  const ledger = openLedgerReader(() => openLedger({ path: ledgerPath, accountId, allowance }));
  const readSnapshot = openPageSnapshot(db, ledger, settings);
  return {
    db,
    overviewPage: openOverviewPage({ db, readSnapshot }, settings),
    companies: companyPages(db),
    runs: runCalls(db),
    quarantine: quarantineRegister(db),
    textOf: responseTexts(db),
    close(): void {
      close();
      ledger.close();
    },
  };
}

/** Returns null if the company is unknown. `versionId` is the call id of a version, or null for the last version. */
function readCompany(
  { companies, textOf }: OpenFiles,
  { entityId, versionId }: { readonly entityId: string; readonly versionId: number | null },
): CompanyView | null {
  const company = companies.company(entityId);
  if (company === null) return null;
  const versions = companies.versions(entityId, MAX_VERSIONS);
  const version = versions.find(({ callId }) => callId === versionId) ?? versions[0];
  const shown = version === undefined ? null : { version, text: textOf(version.callId) };
  return { company, versions, changes: companies.changes(entityId, MAX_CHANGES), shown };
}

function readRun({ db, runs }: OpenFiles, runId: number, nowMs: number) {
  const run = runs.find(runId);
  if (run === null) return null;
  const isLatest = recentRuns(db, 1)[0]?.runId === runId;
  const isRunning = run.ended === null && isLatest && readLock(db, nowMs).isHeld;
  return { run, isRunning, counts: runs.counts(run) };
}

/** Returns one entry with its response, or all open entries. */
function readQuarantine({ quarantine, textOf }: OpenFiles, id: number | null) {
  if (id === null) return { entries: quarantine.list('open', MAX_ENTRIES), open: quarantine.counts().open };
  const entry = quarantine.find(id);
  return entry === null ? null : { entry, text: textOf(entry.callId) };
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

/** Reads the versions to compare, such as `12..15`. */
function comparedVersions(text: string | null): number[] {
  const [, from, to] = /^(\d{1,16})\.\.(\d{1,16})$/.exec(text ?? '') ?? [];
  return from === undefined || to === undefined ? [] : [Number(from), Number(to)];
}

const MAX_CHARACTERS = 200;
/** The maximum number of matches that a search's result pages, state filter and CSV file cover. */
const MAX_FOUND = 5_000;
const MAX_ENTRIES = 200;
const MAX_CHANGES = 1_000;
const MAX_VERSIONS = 200;
