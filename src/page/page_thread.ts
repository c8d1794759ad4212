import { parentPort, workerData } from 'node:worker_threads';
import { companyPage } from './company_page.ts';
import { openOverviewPage } from './overview_page.ts';
import { openPageReader } from './page_reader.ts';
import type { PageMessage, PageReply, PageRequest } from './page_request.ts';
import type { PageThreadData } from './page_thread_client.ts';
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

function documentFor(request: PageRequest): string | null {
  switch (request.page) {
    case 'overview':
      return overviewPage(now());
    case 'company': {
      const view = reader.company(request.entityId, request.versionId, now());
      return view === null ? null : companyPage(view, settings);
    }
    case 'search': {
      const { query, total, ids } = request;
      return searchPage({ query, total, companies: reader.companies(ids) }, settings, now());
    }
  }
}
