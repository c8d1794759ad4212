import { parentPort, workerData } from 'node:worker_threads';
import type { PageAsk, PageMessage, PageReply } from './ask.ts';
import { companyPage } from './company.ts';
import { openDesk } from './desk.ts';
import type { PageFacts } from './facts.ts';
import { overviewPage } from './overview.ts';
import { searchPage } from './search.ts';

const { facts, clockOffsetMs } = workerData as { facts: PageFacts; clockOffsetMs: number };
const now = () => Date.now() + clockOffsetMs;
const desk = openDesk(facts, now());

parentPort?.on('message', ({ number, ask }: PageMessage) => {
  parentPort?.postMessage(reply(number, ask));
});

function reply(number: number, ask: PageAsk): PageReply {
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

function documentFor(ask: PageAsk): string | null {
  switch (ask.page) {
    case 'overview':
      return overviewPage(desk.overview(now()), facts);
    case 'company': {
      const view = desk.company(ask.entityId, ask.versionId, now());
      return view === null ? null : companyPage(view, facts);
    }
    case 'search':
      return searchPage(
        { query: ask.query, total: ask.total, companies: desk.companies(ask.ids) },
        facts,
        now(),
      );
  }
}
