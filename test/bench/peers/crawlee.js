// Crawlee's HttpCrawler with its own request queue and dataset, stored on disk (the default).
import { join } from 'node:path';
import { Configuration, Dataset, HttpCrawler, LogLevel, log } from '@crawlee/http';
import { headers, order, recordUrl, report, searchUrl } from './order.js';

log.setLevel(LogLevel.ERROR);
const configuration = Configuration.getGlobalConfig();
configuration.set('storageClientOptions', { localDataDirectory: join(order.folder, 'crawlee') });
configuration.set('systemInfoV2', true);
const pages = Math.ceil(order.records / 100);

await report(async () => {
  let calls = 0;
  let failed = 0;
  const crawler = new HttpCrawler({
    minConcurrency: order.lanes,
    maxConcurrency: order.lanes,
    maxRequestRetries: 0,
    useSessionPool: false,
    persistCookiesPerSession: false,
    additionalMimeTypes: ['application/json'],
    preNavigationHooks: [
      (_context, options) => {
        options.headers = headers;
      },
    ],
    requestHandler: async ({ request, json }) => {
      calls += 1;
      if (request.label === 'record') return void (await Dataset.pushData(json));
      await crawler.addRequests(json.results.map(({ id }) => ({ url: recordUrl(id), label: 'record' })));
    },
    failedRequestHandler: ({ request }) => {
      failed += 1;
      process.stderr.write(`${request.url}: ${request.errorMessages.join('; ')}\n`);
    },
  });
  await crawler.run(
    Array.from({ length: pages }, (_, index) => ({ url: searchUrl(index + 1), label: 'search' })),
  );
  if (failed > 0) throw new Error(`${failed} requests failed`);
  const dataset = await Dataset.open();
  const { itemCount } = await dataset.getInfo();
  return { calls, records: itemCount };
});
