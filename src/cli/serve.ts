import { once } from 'node:events';
import { Command } from 'commander';
import pino from 'pino';
import { SCHEDULED_JOBS } from '../../jobs/all_jobs.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { allowanceOf } from '../operations/assemble.ts';
import { openPage } from '../page/page.ts';
import type { PageSettings } from '../page/page_settings.ts';
import { counted } from '../report/figures.ts';
import { type MirrorService, startMirrorService } from '../serve/mirror_service.ts';
import { accountsBeside } from '../serve/stored_accounts.ts';
import { openAccountFile } from '../warehouse/serve_accounts.ts';
import { interruptible, openContext, type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import type { Output } from './output.ts';

interface ServeFlags extends SharedFlags {
  readonly host: string;
  readonly port: number;
  /** true, false, or as the address suggests. */
  readonly page?: boolean;
}

/** `serve`: the registry's three endpoints over the mirror. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .summary("the registry's own endpoints over the mirror, and a status page")
    .description(
      'Answers as the registry does, out of the mirror: a client changes its base address, takes a key of ' +
        '`registry-mirror keys create`, and spends nothing. Runs until Ctrl-C.',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0: any free one', wholeNumber, 8080)
    .option('--page', 'show the status page, which asks for no key, also beyond this machine')
    .option('--no-page', 'show no status page')
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
  const { config, output } = openContext(flags);
  const interruption = interruptible(() => output.note('Closing …'));
  output.note('Reading the names of the mirror …');
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
    ...(page === null ? {} : { intercept: page.handle }),
  });
  try {
    announce(service, { config, accountsPath, hasPage: page !== null, isLocal }, output);
    if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  } finally {
    await page?.close();
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
    keys === 0 ? 'No keys yet, so every request is refused: registry-mirror keys create NAME' : null,
    isLocal ? null : NO_TLS,
    hasPage && !isLocal ? OPEN_PAGE : null,
  ].filter((warning) => warning !== null);
  output.result({
    command: 'serve',
    ok: true,
    data: { url, base_url: baseUrl, page, paths, companies, keys, warnings, dialect },
    text: [
      output.style('bold', `${config.source.name}: ${counted(companies, 'company', 'companies')}`),
      ...(page === null ? [] : [`  page      ${page}`]),
      `  clients   take ${baseUrl} as their base address, with one of ${counted(keys, 'valid key')}`,
      `  described ${url}/openapi.json`,
      ...warnings.map((warning) => output.style('yellow', `  note      ${warning}`)),
      '  Ctrl-C ends it.',
    ].join('\n'),
    attention: warnings.length === 0 ? null : warnings.join('\n'),
  });
}

function pageSettings(config: Config): PageSettings {
  const { source, max_age: maxAge, schedule } = config;
  return {
    warehousePath: config.warehouse,
    ledgerPath: config.ledger,
    accountId: config.account.id,
    allowance: allowanceOf(config),
    source: { name: source.name, url: source.url },
    hasDialect: config.dialect !== undefined,
    recordRoot: config.dialect?.entity.root ?? '',
    maxAge: { statsMs: maxAge.stats.ms, summariesMs: maxAge.summaries.ms, recordsMs: maxAge.records.ms },
    schedule: { timezone: schedule.timezone },
    jobs: SCHEDULED_JOBS.map((job) => ({
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

/** Failures go to the log; one that repeats with every request, once in a while. */
function failureLog(): (error: Error) => void {
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  const toldAtMs = new Map<string, number>();
  return (error) => {
    const nowMs = systemClock.now();
    if (nowMs - (toldAtMs.get(error.message) ?? 0) < SAME_AGAIN_MS) return;
    if (toldAtMs.size > 100) toldAtMs.clear();
    toldAtMs.set(error.message, nowMs);
    log.error(error);
  };
}

const NO_LICENCE =
  'The licence of these data is not known (source.licence is null): to hand them on to others may need permission.';
const NO_TLS = 'Keys travel as they are: put a proxy with TLS in front before others reach this address.';
const OPEN_PAGE = 'The status page asks for no key: whoever reaches this address can read it.';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;
const SAME_AGAIN_MS = 60_000;
