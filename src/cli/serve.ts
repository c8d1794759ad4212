import { once } from 'node:events';
import { Command } from '@commander-js/extra-typings';
import { ErrorLog } from '../../jobs/error_log.ts';
import { isLoopback } from '../api/http_server.ts';
import type { Config } from '../config/config.ts';
import { Page } from '../page/page.ts';
import { counted } from '../report/figures.ts';
import { type MirrorService, startMirrorService } from '../serve/mirror_service.ts';
import { accountsBeside, openAccountFile } from '../warehouse/accounts.ts';
import { define, portNumber } from './command.ts';
import { openLogger } from './log.ts';
import { lines, type Output, type Result } from './output.ts';
import { labelled } from './text_layout.ts';

/** `serve`: serves the registry's three endpoints from the mirror. */
export default () =>
  define(
    'config',
    new Command('serve')
      .description(
        "Serves the registry's API from the mirror, without sending calls. A client needs the new base URL and a " +
          'key from `registry-mirror keys create`. Runs until Ctrl-C.',
      )
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .option('--port <n>', 'port to listen on (0 for any free port)', portNumber, 8080)
      .option('--page', 'show the status page to other machines too (it needs no key)')
      .option('--no-page', 'hide the status page')
      .addHelpText('after', EXAMPLES),
    async ({ config, clock, output, print, untilInterrupted }, { host, port, page: showsPage }) => {
      const signal = untilInterrupted('Closing …');
      const isLocal = isLoopback(host);
      const log = new ErrorLog(openLogger('error'), clock);
      const failed = (error: Error) => log.log(error, 'a request failed');
      const { now } = clock;
      // By default, the page is shown only on a loopback address.
      const page = (showsPage ?? isLocal) ? new Page({ config, onlyLocalHosts: isLocal, now, failed }) : null;
      const service = await startMirrorService({
        config,
        host,
        port,
        now,
        failed,
        reconciliation: {
          access: isLocal && page !== null ? 'open' : 'keyed',
          companyPage: page === null ? null : '/page/company?id={{id}}',
        },
        operational: { hasMetrics: page !== null, onlyLocalHosts: isLocal },
        ...(page === null ? {} : { intercept: page }),
      });
      try {
        const keys = validKeys(accountsBeside(config.ledger));
        print(announcement(service, { config, keys, hasPage: page !== null, isLocal }, output));
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await service.close();
      }
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror keys create reports
  $ registry-mirror serve
  $ curl -H "Authorization: Bearer $KEY" "http://127.0.0.1:8080/api/search?q=acme"`;

interface Announced {
  readonly config: Config;
  readonly keys: number;
  readonly hasPage: boolean;
  readonly isLocal: boolean;
}

function announcement(
  service: MirrorService,
  { config, keys, hasPage, isLocal }: Announced,
  output: Output,
): Result {
  const { url, baseUrl, dialect } = service;
  const companies = service.companies();
  const page = hasPage ? `${url}/` : null;
  const warnings = [
    config.source.licence === null && NO_LICENCE,
    keys === 0 && NO_KEYS,
    !isLocal && NO_TLS,
    hasPage && !isLocal && OPEN_PAGE,
  ].filter((warning) => warning !== false);
  return {
    data: { url, base_url: baseUrl, page, paths: null, companies, keys, warnings, dialect },
    text: lines(
      output.style('bold', `${config.source.name}: ${counted(companies, 'company', 'companies')}`),
      page !== null && labelled('page', page),
      labelled('API', `${baseUrl}, ${counted(keys, 'valid key')}`),
      labelled('OpenAPI', `${url}/openapi.json`),
      labelled('reconcile', `${url}/reconcile (OpenRefine)`),
      labelled('health', `${url}/health${hasPage ? `, metrics ${url}/metrics (Prometheus)` : ''}`),
      ...warnings.map((warning) => output.style('yellow', labelled('warning', warning))),
      '  Stop it with Ctrl-C.',
    ),
    attention: warnings.length === 0 ? null : warnings.join('\n'),
  };
}

function validKeys(accountsPath: string): number {
  using file = openAccountFile(accountsPath);
  return file.keys().filter(({ revokedAt }) => revokedAt === null).length;
}

const NO_LICENCE =
  "The data's licence is unknown (source.licence is not set). Republishing the data may require permission.";
const NO_KEYS =
  'No keys exist, so every API request is rejected. Create one: registry-mirror keys create NAME';
const NO_TLS = 'Keys are sent unencrypted. If other machines can reach this address, use a proxy with TLS.';
const OPEN_PAGE = 'The status page needs no key. Everyone who can reach this address can read it.';
