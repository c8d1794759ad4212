import { once } from 'node:events';
import { Command } from 'commander';
import pino from 'pino';
import { factSettings, JOB_SCHEDULES } from '../../jobs/schedules.ts';
import { accountsBeside } from '../api/accounts.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { openPage } from '../page/page.ts';
import type { PageSettings } from '../page/page_settings.ts';
import { counted } from '../report/figures.ts';
import { type MirrorService, startMirrorService } from '../serve/mirror_service.ts';
import { openAccountFile } from '../warehouse/serve_accounts.ts';
import { interruptible, openContext, portNumber, type SharedFlags, withSharedOptions } from './context.ts';
import type { Output } from './output.ts';

interface ServeFlags extends SharedFlags {
  readonly host: string;
  readonly port: number;
  /** Whether to show the page. If undefined, it is shown only on a loopback address. */
  readonly page?: boolean;
}

/** `serve`: serves the registry's three endpoints from the mirror. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description(
      "Serves the registry's API from the mirror, without sending calls. A client needs the new base URL and a " +
        'key from `registry-mirror keys create`. Runs until Ctrl-C.',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on (0 for any free port)', portNumber, 8080)
    .option('--page', 'show the status page to other machines too (it needs no key)')
    .option('--no-page', 'hide the status page')
    .addHelpText('after', EXAMPLES)
    .action((flags: ServeFlags) => serve(flags));
  return withSharedOptions(command);
}

const EXAMPLES = `
Examples:
  $ registry-mirror keys create reports
  $ registry-mirror serve
  $ curl -H "Authorization: Bearer $KEY" "http://127.0.0.1:8080/api/search?q=acme"`;

async function serve(flags: ServeFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  const interruption = interruptible(() => output.note('Closing …'));
  const accountsPath = accountsBeside(config.ledger);
  const isLocal = LOOPBACK.test(flags.host);
  const failed = failureLog();
  const { now } = systemClock;
  const page =
    (flags.page ?? isLocal)
      ? openPage({
          settings: pageSettings(config),
          find: (text, most) => service.find(text, most),
          version: () => service.version(),
          onlyLocalHosts: isLocal,
          now,
          failed,
        })
      : null;
  const service = await startMirrorService({
    warehousePath: config.warehouse,
    accountsPath,
    dialect: config.dialect,
    upstream: config.upstream,
    host: flags.host,
    port: flags.port,
    now,
    failed,
    reconciliation: {
      sourceName: config.source.name,
      access: isLocal && page !== null ? 'open' : 'keyed',
      companyPage: page === null ? null : '/page/company?id={{id}}',
    },
    operational: { sourceName: config.source.name, hasMetrics: page !== null, onlyLocalHosts: isLocal },
    ...(page === null ? {} : { intercept: page }),
  });
  try {
    announce(service, { config, accountsPath, hasPage: page !== null, isLocal }, output);
    if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  } finally {
    page?.close();
    await service.close();
    interruption.done();
  }
}

interface Announced {
  readonly config: Config;
  readonly accountsPath: string;
  readonly hasPage: boolean;
  readonly isLocal: boolean;
}

function announce(
  service: MirrorService,
  { config, accountsPath, hasPage, isLocal }: Announced,
  output: Output,
): void {
  const { url, baseUrl, paths, dialect } = service;
  const companies = service.companies();
  const keys = validKeys(accountsPath);
  const page = hasPage ? `${url}/` : null;
  const warnings = [
    config.source.licence === null ? NO_LICENCE : null,
    keys === 0
      ? 'No keys exist, so every request is rejected. Create one: registry-mirror keys create NAME'
      : null,
    isLocal ? null : NO_TLS,
    hasPage && !isLocal ? OPEN_PAGE : null,
  ].filter((warning) => warning !== null);
  output.result({
    command: 'serve',
    data: { url, base_url: baseUrl, page, paths, companies, keys, warnings, dialect },
    text: [
      output.style('bold', `${config.source.name}: ${counted(companies, 'company', 'companies')}`),
      ...(page === null ? [] : [`  page      ${page}`]),
      `  API       ${baseUrl}, ${counted(keys, 'valid key')}`,
      `  OpenAPI   ${url}/openapi.json`,
      `  reconcile ${url}/reconcile (OpenRefine)`,
      `  health    ${url}/health${hasPage ? `, metrics ${url}/metrics (Prometheus)` : ''}`,
      ...warnings.map((warning) => output.style('yellow', `  warning   ${warning}`)),
      '  Stop it with Ctrl-C.',
    ].join('\n'),
    attention: warnings.length === 0 ? null : warnings.join('\n'),
  });
}

function pageSettings(config: Config): PageSettings {
  const { source, max_age: maxAge } = config;
  return {
    warehousePath: config.warehouse,
    ledgerPath: config.ledger,
    concurrency: config.upstream.concurrency,
    source: { name: source.name, url: source.url },
    hasDialect: config.dialect !== undefined,
    recordRoot: config.dialect?.entity.root ?? '',
    maxAge: { statsMs: maxAge.stats.ms, summariesMs: maxAge.summaries.ms, recordsMs: maxAge.records.ms },
    ...factSettings(config),
    jobs: JOB_SCHEDULES.map((job) => ({
      name: job.name,
      title: job.title,
      pattern: job.pattern(config),
      dueMs: job.maxAgeMs?.(config) ?? null,
    })),
  };
}

function validKeys(accountsPath: string): number {
  const file = openAccountFile(accountsPath);
  try {
    return file.keys().filter(({ revokedAt }) => revokedAt === null).length;
  } finally {
    file.close();
  }
}

/** Logs failures, but each message at most once a minute. */
function failureLog(): (error: Error) => void {
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  const loggedAtMs = new Map<string, number>();
  return (error) => {
    const nowMs = systemClock.now();
    if (nowMs - (loggedAtMs.get(error.message) ?? 0) < REPEAT_AFTER_MS) return;
    if (loggedAtMs.size > 100) loggedAtMs.clear();
    loggedAtMs.set(error.message, nowMs);
    log.error(error);
  };
}

const NO_LICENCE =
  "The data's licence is unknown (source.licence is not set). Republishing the data may require permission.";
const NO_TLS = 'Keys are sent unencrypted. If other machines can reach this address, use a proxy with TLS.';
const OPEN_PAGE = 'The status page needs no key. Everyone who can reach this address can read it.';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;
const REPEAT_AFTER_MS = 60_000;
