import { parentPort, workerData } from 'node:worker_threads';
import { changesPage } from './changes_page.ts';
import { companyPage } from './company_page.ts';
import { openOverviewPage } from './overview_page.ts';
import { openPageReader } from './page_reader.ts';
import type { PageDocument, PageMessage, PageReply, PageRequest } from './page_request.ts';
import type { PageThreadData } from './page_thread_client.ts';
import { quarantinePage } from './quarantine_page.ts';
import { runPage } from './run_page.ts';
import { searchPage } from './search_page.ts';

const { settings, clockOffsetMs } = workerData as PageThreadData;
const now = () => Date.now() + clockOffsetMs;
const reader = openPageReader(settings, now());
const overviewPage = openOverviewPage(reader, settings);

parentPort?.on('message', ({ number, request }: PageMessage) => {
  parentPort?.postMessage(reply(number, request));
});

function reply(number: number, request: PageRequest): PageReply {
  try {
    return { number, document: documentFor(request), failure: null };
  } catch (error) {
    return {
      number,
      document: null,
      failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

function documentFor(request: PageRequest): PageDocument | null {
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
