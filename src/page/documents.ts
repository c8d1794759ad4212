import { explainSqlite } from '../sqlite/database_file.ts';
import { changesPage } from './changes_page.ts';
import { companyPage } from './company_page.ts';
import { openOverviewPage } from './overview_page.ts';
import { openPageReader, type PageReader } from './page_reader.ts';
import type { PageDocument, PageRequest } from './page_request.ts';
import type { PageSettings } from './page_settings.ts';
import { quarantinePage } from './quarantine_page.ts';
import { runPage } from './run_page.ts';
import { searchPage } from './search_page.ts';

interface OpenPages {
  readonly reader: PageReader;
  readonly overviewPage: ReturnType<typeof openOverviewPage>;
}

/** Draws the pages. The files are opened at the first request, so that `serve` also starts without a ledger. */
export class Documents {
  readonly #settings: PageSettings;
  readonly #now: () => number;
  #pages: OpenPages | null = null;

  constructor(settings: PageSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** Returns null if no such page exists. Throws FailedError if a file cannot be read. */
  draw(request: PageRequest): PageDocument | null {
    try {
      this.#pages ??= this.#open();
      return documentFor(request, { ...this.#pages, nowMs: this.#now(), settings: this.#settings });
    } catch (error) {
      throw explainSqlite(error, `the warehouse ${this.#settings.warehousePath}`);
    }
  }

  /** Closes the files. The next request opens them again. */
  close(): void {
    this.#pages?.reader.close();
    this.#pages = null;
  }

  #open(): OpenPages {
    const reader = openPageReader(this.#settings, this.#now());
    return { reader, overviewPage: openOverviewPage(reader, this.#settings) };
  }
}

function documentFor(
  request: PageRequest,
  context: OpenPages & { readonly nowMs: number; readonly settings: PageSettings },
): PageDocument | null {
  const { reader, overviewPage, nowMs, settings } = context;
  const { zone } = request;
  switch (request.page) {
    case 'overview':
      return { body: overviewPage({ ...request, nowMs }) };
    case 'company': {
      const view = reader.company(request.entityId, request.versionId);
      if (view === null) return null;
      const compared = request.compare?.map((id) => reader.company(request.entityId, id)?.shown ?? null);
      return { body: companyPage(view, { nowMs, zone, compared: compared ?? [] }, settings) };
    }
    case 'record': {
      const text = reader.company(request.entityId, request.versionId)?.shown?.text;
      return text == null ? null : { body: text, type: 'application/json; charset=utf-8' };
    }
    case 'search': {
      const found = reader.companies(request.ids);
      const companies = found.filter(({ state }) => request.state === null || state === request.state);
      return searchPage({ request, companies }, settings, zone);
    }
    case 'changes':
      return changesPage({ nowMs, zone, ...reader.changes(request) }, request, settings);
    case 'run': {
      const view = reader.run(request.runId, nowMs);
      return view === null ? null : { body: runPage({ nowMs, zone, ...view }, settings) };
    }
    case 'quarantine': {
      const { quarantineId } = request;
      const view = quarantineId === null ? reader.quarantined() : reader.quarantineEntry(quarantineId);
      return view === null ? null : { body: quarantinePage({ nowMs, zone, ...view }, settings) };
    }
  }
}
