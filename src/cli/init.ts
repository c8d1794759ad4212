import { existsSync, writeFileSync } from 'node:fs';
import { Command, Option } from '@commander-js/extra-typings';
import { windowRows } from '../allowance/window_table.ts';
import { DEFAULT_CONFIG_PATH } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { configText, type InitAnswers } from '../config/initial_config.ts';
import { loadConfig, parseConfig } from '../config/load_config.ts';
import { UsageError } from '../errors.ts';
import { define, tierOption, wholeNumber } from './command.ts';
import { initAnswers } from './init/answers.ts';
import { type Result, standardStreams } from './output.ts';
import { type Asker, askerFor } from './questions.ts';

/** `init`: writes a commented configuration from a few questions or from flags. */
export default () => {
  const command = new Command('init')
    .option('--yes', 'ask no questions: use the flags and the defaults')
    .option('--force', 'replace an existing configuration')
    .option('--base-url <url>', 'base URL of the API')
    .option('--key-variable <name>', 'environment variable that holds the key', 'REGISTRY_API_KEY')
    .option('--key-file <file>', 'file that holds the key, instead of a variable')
    .option('--no-key', 'the API needs no key')
    .option('--data <folder>', 'folder for the warehouse and the ledger', 'data')
    .option('--name <name>', 'name of the registry')
    .addOption(tierOption())
    .option('--commercial-use', 'the data is used commercially (paid tier only)')
    .option('--per-minute <n>', 'calls a minute', wholeNumber);
  for (const { key, words } of windowRows())
    (command as Command).option(`--${key.replaceAll('_', '-')} <n>`, `calls ${words.scope}`, wholeNumber);
  return define(
    'basics',
    command
      .option('--unlimited', 'only the rate is limited')
      .option('--already-spent <n>', 'calls already made with this account', wholeNumber)
      .addOption(new Option('--for <what>', 'what to fetch first').choices(['names', 'records']))
      .option('--watchlist <file>', 'mirror only the companies named in this file, one per line')
      .addHelpText('after', EXAMPLES),
    async (opened, flags) => {
      const { env } = standardStreams();
      const path = flags.config ?? env.REGISTRY_MIRROR_CONFIG ?? DEFAULT_CONFIG_PATH;
      refuseExisting(path, flags.force);
      let isProbing = false;
      {
        using asker = askerFor(opened.output, flags.yes);
        const answers = await initAnswers(flags, asker);
        write(path, answers, flags.force);
        opened.print(resultOf(path, answers, env));
        isProbing = asker !== null && (await offersProbe(asker, answers, env));
      }
      if (!isProbing) return;
      const { findDialect } = await import('./probe.ts');
      const config = loadConfig({ path });
      opened.output.result('probe', await findDialect({ ...opened, config, path }, {}));
    },
  );
};

const EXAMPLES = `
Examples:
  $ registry-mirror init
  $ registry-mirror init --yes --base-url https://registry.example/api --tier paid --per-month 20000

Exit codes: 0 written; 2 the file already exists, or a value is missing. No call is sent.`;

/** If the key is set, offers to probe the API. */
async function offersProbe(asker: Asker, answers: InitAnswers, env: Environment): Promise<boolean> {
  if (!hasKey(answers, env)) return false;
  return asker.yes('Probe the API now? It takes at most 16 calls, usually about ten.', true);
}

function refuseExisting(path: string, force = false): void {
  if (!existsSync(path) || force) return;
  throw new UsageError(`${path} already exists`, {
    hint: 'Check it with `registry-mirror config validate`, use another file with --config FILE, or replace it with --force.',
  });
}

function write(path: string, answers: InitAnswers, force = false): void {
  const text = configText(answers);
  // Check the text without the watchlist, because it does not have to exist yet.
  parseConfig({ path, text: text.replace(/^scope: .*$/m, ''), env: {} });
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

function resultOf(path: string, answers: InitAnswers, env: Environment): Result {
  const key = answers.keyFile !== null || hasKey(answers, env) ? [] : [`export ${answers.keyVariable}=…`];
  const steps = [...key.map((command) => [command, 'your key'] as const), ...NEXT_STEPS];
  const width = Math.max(...steps.map(([command]) => command.length));
  const text = [
    `Wrote ${path}. Next:`,
    ...steps.map(([command, purpose]) => `  ${command.padEnd(width)}  # ${purpose}`),
  ].join('\n');
  return { data: { file: path, next: steps.map(([command]) => command) }, text };
}

const NEXT_STEPS: readonly (readonly [command: string, purpose: string])[] = [
  ['registry-mirror doctor', 'checks key, files and network; makes no API call'],
  ['registry-mirror probe', 'learns the API in at most 16 calls'],
  ['registry-mirror plan', 'estimates the cost of the mirror; makes no API call'],
  ['registry-mirror sync', 'builds the mirror, and later updates it'],
];

/** Returns whether the key is present, or the API needs none. */
function hasKey({ keyVariable, keyFile }: InitAnswers, env: Environment): boolean {
  if (keyFile !== null) return existsSync(keyFile);
  return keyVariable === null || (env[keyVariable] ?? '') !== '';
}
