import { parentPort, workerData } from 'node:worker_threads';
import { MirrorError } from '../errors.ts';
import { explainSqlite } from '../sqlite/database_file.ts';
import { changesPage } from './changes_page.ts';
import { companyPage } from './company_page.ts';
import { openOverviewPage } from './overview_page.ts';
import { openPageReader } from './page_reader.ts';
import type { PageDocument, PageFailure, PageMessage, PageReply, PageRequest } from './page_request.ts';
import type { PageThreadData } from './page_thread_client.ts';
import { quarantinePage } from './quarantine_page.ts';
import { runPage } from './run_page.ts';
import { searchPage } from './search_page.ts';

const { settings, clockOffsetMs } = workerData as PageThreadData;
const now = () => Date.now() + clockOffsetMs;
let pages: ReturnType<typeof openPages> | null = null;

parentPort?.on('message', ({ number, request }: PageMessage) => {
  parentPort?.postMessage(reply(number, request));
});

function reply(number: number, request: PageRequest): PageReply {
  try {
    pages ??= openPages();
    return { number, document: documentFor(request, pages), failure: null };
  } catch (error) {
    return { number, document: null, failure: failureOf(error) };
  }
}

function openPages() {
  const reader = openPageReader(settings, now());
  return { reader, overviewPage: openOverviewPage(reader, settings) };
}

function failureOf(error: unknown): PageFailure {
  const explained = explainSqlite(error, `the warehouse ${settings.warehousePath}`);
  const fault =
    explained instanceof MirrorError ? { message: explained.message, remedy: explained.hint } : null;
  return { stack: error instanceof Error ? (error.stack ?? error.message) : String(error), fault };
}

function documentFor(
  request: PageRequest,
  { reader, overviewPage }: ReturnType<typeof openPages>,
): PageDocument | null {
  const nowMs = now();
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
      const view = reader.run(request.runId, request.onlyFailed, nowMs);
      return view === null ? null : { body: runPage({ nowMs, zone, ...view }, settings) };
    }
    case 'quarantine': {
      const { quarantineId } = request;
      const view = quarantineId === null ? reader.quarantined() : reader.quarantineEntry(quarantineId);
      return view === null ? null : { body: quarantinePage({ nowMs, zone, ...view }, settings) };
    }
  }
}
