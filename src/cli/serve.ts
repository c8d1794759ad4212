import { once } from 'node:events';
import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { accountsBeside } from '../server/mirror/accounts.ts';
import { type MirrorService, startMirrorService } from '../server/mirror/service.ts';
import { openAccountFile } from '../warehouse/serve_accounts.ts';
import { interruptible, openContext, type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import { counted } from './format.ts';
import type { Output } from './output.ts';

interface ServeFlags extends SharedFlags {
  readonly host: string;
  readonly port: number;
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
  const service = await startMirrorService({
    warehousePath: config.warehouse,
    accountsPath,
    dialect: config.dialect,
    upstream: config.upstream,
    host: flags.host,
    port: flags.port,
    now: systemClock.now,
    failed: (error) => void process.stderr.write(`registry-mirror serve: ${error.stack}\n`),
  });
  try {
    announce(service, config, accountsPath, output);
    if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  } finally {
    await service.close();
    interruption.done();
  }
}

function announce(service: MirrorService, config: Config, accountsPath: string, output: Output): void {
  const { url, baseUrl, paths, dialect } = service;
  const companies = service.companies();
  const keys = validKeys(accountsPath);
  const warnings = [
    config.source.licence === null ? NO_LICENCE : null,
    keys === 0 ? 'No keys yet, so every request is refused: registry-mirror keys create NAME' : null,
  ].filter((warning) => warning !== null);
  output.result({
    command: 'serve',
    ok: true,
    data: { url, base_url: baseUrl, paths, companies, keys, warnings, dialect },
    text: [
      output.style(
        'bold',
        `${config.source.name}: ${counted(companies, 'company', 'companies')} at ${baseUrl}`,
      ),
      `  clients   ${counted(keys, 'valid key')}; the base address of a client is ${baseUrl}`,
      `  described ${url}/openapi.json`,
      ...warnings.map((warning) => output.style('yellow', `  note      ${warning}`)),
      '  Ctrl-C ends it.',
    ].join('\n'),
    attention: warnings.length === 0 ? null : warnings.join('\n'),
  });
}

function validKeys(accountsPath: string): number {
  const file = openAccountFile(accountsPath);
  try {
    return file.keys().filter(({ revokedAt }) => revokedAt === null).length;
  } finally {
    file.close();
  }
}

const NO_LICENCE =
  'The licence of these data is not known (source.licence is null): to hand them on to others may need permission.';
