import { parentPort, workerData } from 'node:worker_threads';
import { companyPage } from './company_page.ts';
import { overviewPage } from './overview_page.ts';
import { openPageReader } from './page_reader.ts';
import type { PageMessage, PageReply, PageRequest } from './page_request.ts';
import type { PageSettings } from './page_settings.ts';
import { searchPage } from './search_page.ts';

const { facts, clockOffsetMs } = workerData as { facts: PageSettings; clockOffsetMs: number };
const now = () => Date.now() + clockOffsetMs;
const reader = openPageReader(facts, now());

parentPort?.on('message', ({ number, ask }: PageMessage) => {
  parentPort?.postMessage(reply(number, ask));
});

function reply(number: number, ask: PageRequest): PageReply {
  try {
    return { number, document: documentFor(ask), failure: null };
  } catch (error) {
    return {
      number,
      document: null,
      failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

function documentFor(ask: PageRequest): string | null {
  switch (ask.page) {
    case 'overview':
      return overviewPage(reader.overview(now()), facts);
    case 'company': {
      const view = reader.company(ask.entityId, ask.versionId, now());
      return view === null ? null : companyPage(view, facts);
    }
    case 'search':
      return searchPage(
        { query: ask.query, total: ask.total, companies: reader.companies(ask.ids) },
        facts,
        now(),
      );
  }
}
