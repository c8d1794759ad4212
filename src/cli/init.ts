import { existsSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type WindowLimits, windowRows } from '../allowance/window_table.ts';
import { DEFAULT_CONFIG_PATH } from '../config/config.ts';
import { configText, type InitAnswers } from '../config/initial_config.ts';
import { parseConfig } from '../config/load_config.ts';
import { UsageError } from '../errors.ts';
import { type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import { type Output, openOutput, standardStreams } from './output.ts';
import { type Asker, openAsker, readCount, readText } from './questions.ts';
import { documentPath, withWorkingCommands, withWorkingLinks } from './setting.ts';

interface InitFlags extends SharedFlags, Partial<WindowLimits> {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly baseUrl?: string;
  readonly keyVariable?: string;
  readonly keyFile?: string;
  readonly data?: string;
  readonly name?: string;
  readonly tier?: 'free' | 'paid';
  readonly commercialUse?: boolean;
  readonly perMinute?: number;
  readonly unlimited?: boolean;
  readonly alreadySpent?: number;
  readonly for?: 'names' | 'records';
  readonly watchlist?: string;
}

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
    .addOption(new Option('--for <what>', 'purpose of the calls').choices(['names', 'records']))
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

function fromFlags(flags: InitFlags): InitAnswers {
  if (flags.baseUrl === undefined)
    throw new UsageError('the address of the API is missing', {
      hint: 'Add --base-url URL, or run `registry-mirror init` on a terminal without --yes.',
    });
  return {
    ...withDefaults(flags),
    baseUrl: flags.baseUrl,
    tier: flags.tier ?? 'free',
    commercialUse: flags.commercialUse ?? false,
    ...limitsOf(flags),
  };
}

type Defaulted = Pick<
  InitAnswers,
  | 'keyVariable'
  | 'keyFile'
  | 'dataFolder'
  | 'sourceName'
  | 'perMinute'
  | 'alreadySpent'
  | 'purpose'
  | 'watchlist'
  | 'schemaPath'
>;

function withDefaults(flags: InitFlags): Defaulted {
  return {
    keyVariable: flags.keyVariable ?? 'REGISTRY_API_KEY',
    keyFile: flags.keyFile ?? null,
    dataFolder: flags.data ?? 'data',
    sourceName: flags.name ?? 'Registry',
    perMinute: flags.perMinute ?? 10,
    alreadySpent: flags.alreadySpent ?? 0,
    purpose: flags.watchlist !== undefined ? 'watchlist' : (flags.for ?? 'names'),
    watchlist: flags.watchlist ?? null,
    schemaPath: documentPath('configuration.schema.json'),
  };
}

async function fromQuestions(flags: InitFlags, asker: Asker): Promise<InitAnswers> {
  const baseUrl = flags.baseUrl ?? (await asker.text('Address of the API?', readAddress));
  const sourceName =
    flags.name ?? (await asker.text('Name of the registry?', readText('a name'), 'Registry'));
  const keyVariable =
    flags.keyFile === undefined
      ? await asker.text(
          'Environment variable that contains your key? (Do not enter the key itself.)',
          readVariable,
          flags.keyVariable,
        )
      : undefined;
  const purpose = await askPurpose(flags, asker);
  const watchlist =
    purpose === 'watchlist'
      ? (flags.watchlist ??
        (await asker.text('File with the company names, one per line?', readText('a path'))))
      : null;
  const account = await askAccount(flags, asker);
  const limits = await askLimits(flags, asker);
  const perMinute = flags.perMinute ?? (await asker.text('Calls per minute?', readCount(1), '10'));
  const alreadySpent =
    flags.alreadySpent ?? (await asker.text('Calls already made with this account?', readCount(0), '0'));
  const defaults = withDefaults(flags);
  return {
    ...defaults,
    baseUrl,
    sourceName,
    ...(keyVariable !== undefined && { keyVariable }),
    purpose,
    watchlist,
    ...account,
    ...limits,
    perMinute,
    alreadySpent,
  };
}

async function askPurpose(flags: InitFlags, asker: Asker): Promise<InitAnswers['purpose']> {
  if (flags.watchlist !== undefined) return 'watchlist';
  if (flags.for !== undefined) return flags.for;
  return asker.choice(
    'Purpose of the calls?',
    [
      { label: 'a list of all companies (names and ids first)', value: 'names' as const },
      { label: 'complete records, company by company', value: 'records' as const },
      { label: 'only the companies on a watchlist', value: 'watchlist' as const },
    ],
    0,
  );
}

async function askAccount(
  flags: InitFlags,
  asker: Asker,
): Promise<Pick<InitAnswers, 'tier' | 'commercialUse'>> {
  const tier =
    flags.tier ??
    (await asker.choice('Account tier?', [
      { label: 'free (commercial use is not permitted)', value: 'free' as const },
      { label: 'paid', value: 'paid' as const },
    ]));
  const commercialUse =
    flags.commercialUse ?? (tier === 'paid' && (await asker.yes('Is the data used commercially?', false)));
  return { tier, commercialUse };
}

type Limits = WindowLimits & Pick<InitAnswers, 'unlimited'>;

/** Returns the limits that the flags set. */
function limitsOf({ unlimited = false, ...flags }: InitFlags): Limits {
  const limits = windowRows().map(({ property }) => [property, flags[property] ?? null]);
  return { ...(Object.fromEntries(limits) as WindowLimits), unlimited };
}

/** Asks for the allowance. There is no default, because the allowance depends on the user's contract. */
async function askLimits(flags: InitFlags, asker: Asker): Promise<Limits> {
  const named = limitsOf(flags);
  if (Object.values(named).some((limit) => limit !== null && limit !== false)) return named;
  const form = await asker.choice(ALLOWANCE_QUESTION, [
    ...windowRows().map(({ property, words }) => ({ label: `a limit ${words.per}`, value: property })),
    { label: 'both: in total and a day', value: 'both' as const },
    { label: 'only the rate is limited', value: 'unlimited' as const },
  ]);
  if (form === 'unlimited') return { ...named, unlimited: true };
  const limits = { ...named };
  for (const { property, words } of windowRows())
    if (form === property || (form === 'both' && (property === 'total' || property === 'perDay')))
      limits[property] = await asker.text(`Calls ${words.per}?`, readCount(1));
  return limits;
}

const ALLOWANCE_QUESTION =
  "Allowance in your terms? (The free tier's documentation gives both 100 calls in total and 1,000 calls per day. " +
  'Use the limit in your own terms.)';

function write(path: string, answers: InitAnswers, { force }: InitFlags): void {
  const text = withWorkingLinks(configText(answers), standardStreams().env);
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
  const next = [...key, 'registry-mirror probe', 'registry-mirror sync'].map((line) =>
    withWorkingCommands(line, env),
  );
  output.result({
    command: 'init',
    data: { file: path, next },
    text: [`Wrote ${path}. Next:`, ...next.map((line) => `  ${line}`)].join('\n'),
    attention: null,
  });
}

function readAddress(answer: string): string | Error {
  if (URL.canParse(answer) && /^https?:/.test(answer)) return answer;
  return new Error('Enter the complete address, such as https://registry.example/api.');
}

function readVariable(answer: string): string | Error {
  return /^[A-Za-z_]\w*$/.test(answer)
    ? answer
    : new Error('Enter a variable name, such as REGISTRY_API_KEY.');
}

const EXAMPLES = `
Examples:
  $ registry-mirror init
  $ registry-mirror init --yes --base-url https://registry.example/api --tier paid --per-month 20000

Exit codes: 0 written; 2 the file already exists, or a value is missing. No call is sent.`;
