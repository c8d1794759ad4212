import { existsSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { windowRows } from '../allowance/window_table.ts';
import { DEFAULT_CONFIG_PATH } from '../config/config.ts';
import { configText, type InitAnswers } from '../config/initial_config.ts';
import { parseConfig } from '../config/load_config.ts';
import { UsageError } from '../errors.ts';
import { wholeNumber, withSharedOptions } from './context.ts';
import { fromFlags, fromQuestions, type InitFlags } from './init/answers.ts';
import { type Output, openOutput, standardStreams } from './output.ts';
import { type Asker, openAsker } from './questions.ts';

/** `init`: writes a commented configuration from a few questions or from flags. */
export function initCommand(): Command {
  const command = new Command('init')
    .option('--yes', 'ask no questions: use the flags and the defaults')
    .option('--force', 'replace an existing configuration')
    .option('--base-url <url>', 'base URL of the API')
    .option('--key-variable <name>', 'environment variable that holds the key', 'REGISTRY_API_KEY')
    .option('--key-file <file>', 'file that holds the key, instead of a variable')
    .option('--data <folder>', 'folder for the warehouse and the ledger', 'data')
    .option('--name <name>', 'name of the registry')
    .addOption(new Option('--tier <tier>', 'account tier').choices(['free', 'paid']))
    .option('--commercial-use', 'the data is used commercially (paid tier only)')
    .option('--per-minute <n>', 'calls a minute', wholeNumber);
  for (const { key, words } of windowRows())
    command.option(`--${key.replaceAll('_', '-')} <n>`, `calls ${words.scope}`, wholeNumber);
  command
    .option('--unlimited', 'only the rate is limited')
    .option('--already-spent <n>', 'calls already made with this account', wholeNumber)
    .addOption(new Option('--for <what>', 'what to fetch first').choices(['names', 'records']))
    .option('--watchlist <file>', 'mirror only the companies named in this file, one per line')
    .addHelpText('after', EXAMPLES)
    .action((flags: InitFlags) => init(flags));
  return withSharedOptions(command);
}

async function init(flags: InitFlags): Promise<void> {
  const streams = standardStreams();
  const output = openOutput(flags, streams);
  const path = flags.config ?? streams.env.REGISTRY_MIRROR_CONFIG ?? DEFAULT_CONFIG_PATH;
  refuseExisting(path, flags);
  const asks = !flags.yes && output.mode === 'text' && process.stdin.isTTY;
  const asker = asks ? openAsker(process.stdin, streams) : null;
  let isProbing = false;
  try {
    const answers = asker === null ? fromFlags(flags) : await fromQuestions(flags, asker);
    write(path, answers, flags);
    report(output, path, answers);
    isProbing = asker !== null && (await offersProbe(asker, answers, streams.env));
  } finally {
    asker?.close();
  }
  if (!isProbing) return;
  const { findDialect } = await import('./probe.ts');
  await findDialect({ config: path });
}

/** If the key is set, offers to probe the API. */
async function offersProbe(
  asker: Asker,
  { keyVariable, keyFile }: InitAnswers,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const isPresent = keyFile === null ? (env[keyVariable] ?? '') !== '' : existsSync(keyFile);
  if (!isPresent) return false;
  return asker.yes('Probe the API now? It takes at most 16 calls, usually about ten.', true);
}

function refuseExisting(path: string, { force }: InitFlags): void {
  if (!existsSync(path) || force) return;
  throw new UsageError(`${path} already exists`, {
    hint: 'Check it with `registry-mirror config validate`, use another file with --config FILE, or replace it with --force.',
  });
}

function write(path: string, answers: InitAnswers, { force }: InitFlags): void {
  const text = configText(answers);
  // Check the text without the key and the watchlist, because neither has to exist yet.
  const env = { [answers.keyVariable]: 'not-set-yet' };
  parseConfig({ path, text: text.replace(/^scope: .*$/m, ''), env });
  try {
    writeFileSync(path, text, { flag: force ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} cannot be written (${code})`, {
      hint: 'Use another file: --config FILE',
      cause: error,
    });
  }
}

function report(output: Output, path: string, { keyVariable, keyFile }: InitAnswers): void {
  const { env } = standardStreams();
  const isSet = keyFile !== null || (env[keyVariable] ?? '') !== '';
  const key = isSet ? [] : [`export ${keyVariable}=…`];
  const next = [...key, 'registry-mirror probe', 'registry-mirror sync'];
  output.result({
    command: 'init',
    data: { file: path, next },
    text: [`Wrote ${path}. Next:`, ...next.map((line) => `  ${line}`)].join('\n'),
  });
}

const EXAMPLES = `
Examples:
  $ registry-mirror init
  $ registry-mirror init --yes --base-url https://registry.example/api --tier paid --per-month 20000

Exit codes: 0 written; 2 the file already exists, or a value is missing. No call is sent.`;
