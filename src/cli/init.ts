import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from '@commander-js/extra-typings';
import { byWindowKey, type WindowLimits, windowRows } from '../allowance/window_table.ts';
import { type ConfigInput, DEFAULT_CONFIG_PATH } from '../config/config.ts';
import { ConfigError } from '../config/config_error.ts';
import type { Environment } from '../config/environment.ts';
import { configFrom, loadConfig } from '../config/load_config.ts';
import { packagedFile } from '../config/packaged_file.ts';
import { newConfiguration } from '../config/write_config.ts';
import { UsageError } from '../errors.ts';
import type { Tier } from '../warehouse/accounts.ts';
import { define, tierOption, wholeNumber } from './command.ts';
import { type Result, standardStreams } from './output.ts';
import { type Asker, askerFor, readCount, readText } from './questions.ts';

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
    (command as Command).option(`--${key.replaceAll('_', '-')} <n>`, `calls ${words.per}`, wholeNumber);
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
        const values = await askValues(flags, asker);
        write(path, values, flags.force);
        const missing = missingKey(values, env);
        opened.print(resultOf(path, missing));
        isProbing = asker !== null && missing === null && (await offersProbe(asker));
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

function offersProbe(asker: Asker): Promise<boolean> {
  return asker.yes('Probe the API now? It takes at most 16 calls, usually about ten.', true);
}

function refuseExisting(path: string, force = false): void {
  if (!existsSync(path) || force) return;
  throw new UsageError(`${path} already exists`, {
    hint: 'Check it with `registry-mirror config validate`, use another file with --config FILE, or replace it with --force.',
  });
}

function write(path: string, values: ConfigInput, force = false): void {
  checkValues(values);
  const template = readFileSync(packagedFile('docs/new-configuration.yaml'), 'utf8');
  const text = newConfiguration(template, packagedFile('docs/configuration.schema.json'), values);
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

/**
 * Checks the values without the key and the watchlist, because they need not exist yet.
 *
 * @throws UsageError that names the flags of invalid values.
 */
function checkValues(values: ConfigInput): void {
  try {
    configFrom({ ...values, scope: 'whole', upstream: { ...values.upstream, api_key: null } });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(({ key, message }) => {
      const [name = '', remedy] = FLAG_REMEDIES[key] ?? [flagOf(key)];
      return `${name === '' ? '' : `${name}: `}${message}${remedy === undefined ? '' : `; ${remedy}`}`;
    });
    throw new UsageError(problems.join('\n'));
  }
}

/** Returns the flag that sets a key, such as `--per-minute` for `allowance.per_minute`. */
function flagOf(key: string): string {
  return `--${key.slice(key.lastIndexOf('.') + 1).replaceAll('_', '-')}`;
}

/** The flag and the remedy of problems that concern several flags. */
const FLAG_REMEDIES: Readonly<Record<string, readonly [flag: string, remedy: string]>> = {
  allowance: [
    '',
    'add the limit in your own terms: the free tier is documented both as 100 calls in total per account (--total 100) ' +
      'and as 1,000 a day (--per-day 1000); a licence may have a monthly limit (--per-month) or none (--unlimited)',
  ],
  'allowance.unlimited': ['--unlimited', 'use either --unlimited or the limits'],
  'account.commercial_use': ['--commercial-use', 'add --tier paid if you have a licence'],
};

function resultOf(path: string, missing: string | null): Result {
  const isVariable = missing?.startsWith('env:') === true;
  const key = isVariable ? [[`export ${missing.slice(4)}=…`, 'your key'] as const] : [];
  const steps = [...key, ...NEXT_STEPS];
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

/** Returns where the key is expected, such as `env:REGISTRY_API_KEY`, or null if it is there or the API needs none. */
function missingKey({ upstream: { api_key: reference } }: ConfigInput, env: Environment): string | null {
  const [, place, kind, name = ''] = /^\$\{((env|file):(.*))\}$/.exec(reference ?? '') ?? [];
  const isThere = kind === 'file' ? existsSync(name) : (env[name] ?? '') !== '';
  return place === undefined || isThere ? null : place;
}

interface InitFlags extends Partial<WindowLimits> {
  readonly baseUrl?: string;
  readonly keyVariable?: string;
  readonly keyFile?: string;
  readonly key?: boolean;
  readonly data?: string;
  readonly name?: string;
  readonly tier?: Tier;
  readonly commercialUse?: boolean;
  readonly perMinute?: number;
  readonly unlimited?: boolean;
  readonly alreadySpent?: number;
  readonly for?: 'names' | 'records';
  readonly watchlist?: string;
}

/**
 * Returns the configuration's values from the flags. Asks the user for the others, and to confirm the variable of the
 * key. Without an asker, uses the defaults.
 *
 * @throws UsageError if the base URL is missing and there is no asker.
 */
async function askValues(flags: InitFlags, asker: Asker | null): Promise<ConfigInput> {
  const answer = async <T>(given: T | undefined, byDefault: T, ask: (asker: Asker) => Promise<T>) =>
    given ?? (asker === null ? byDefault : await ask(asker));
  const base_url = await answer(flags.baseUrl, null, (it) =>
    it.text("What is the API's base URL?", readAddress),
  );
  if (base_url === null)
    throw new UsageError("the API's base URL is missing", {
      hint: 'Add --base-url URL, or run `registry-mirror init` on a terminal without --yes.',
    });
  const name = await answer(flags.name, 'Registry', (it) =>
    it.text('What is the registry called?', readText('a name'), 'Registry'),
  );
  const api_key = await askKey(flags, asker);
  const purpose = await answer<Purpose>(
    flags.watchlist === undefined ? flags.for : 'watchlist',
    'names',
    (it) => it.choice('What should be fetched first?', PURPOSES, 0),
  );
  const watchlist =
    purpose === 'watchlist'
      ? await answer(flags.watchlist, null, (it) =>
          it.text('Which file lists the company names, one per line?', readText('a path')),
        )
      : null;
  const tier = await answer<Tier>(flags.tier, 'free', (it) =>
    it.choice('Which tier is the account on?', TIERS),
  );
  const commercial_use = await answer(
    tier === 'free' ? (flags.commercialUse ?? false) : flags.commercialUse,
    false,
    (it) => it.yes('Is the data used commercially?', false),
  );
  const named = limitsOf(flags);
  const limits = asker === null ? named : await askLimits(named, tier, asker);
  const per_minute = await answer(flags.perMinute, 10, (it) =>
    it.text('How many calls a minute?', readCount(1), '10'),
  );
  const already_spent = await answer(flags.alreadySpent, 0, (it) =>
    it.text('How many calls has this account already made?', readCount(0), '0'),
  );
  const { data = 'data' } = flags;
  return {
    version: 1,
    source: { name },
    upstream: { base_url, api_key },
    account: { tier, commercial_use, already_spent },
    allowance: { ...limits, per_minute },
    focus: purpose === 'records' ? 'records' : 'balanced',
    scope: watchlist === null ? 'whole' : { names: watchlist },
    warehouse: `${data}/warehouse.db`,
    ledger: `${data}/ledger.db`,
  };
}

type Purpose = (typeof PURPOSES)[number]['value'];

const PURPOSES = [
  { label: 'a list of all companies (names and ids first)', value: 'names' },
  { label: 'complete records, company by company', value: 'records' },
  { label: 'only the companies on a watchlist', value: 'watchlist' },
] as const;

const TIERS = [
  { label: 'free (commercial use is not permitted)', value: 'free' },
  { label: 'paid', value: 'paid' },
] as const;

/** Returns the reference to the key, or null if the API needs none. */
async function askKey(
  { key, keyFile, keyVariable = 'REGISTRY_API_KEY' }: InitFlags,
  asker: Asker | null,
): Promise<string | null> {
  if (key === false) return null;
  if (keyFile !== undefined) return `\${file:${keyFile}}`;
  const question =
    'Which environment variable contains your key? (Do not enter the key itself. If the API needs none, enter none.)';
  const name = asker === null ? keyVariable : await asker.text(question, readVariable, keyVariable);
  return name === 'none' ? null : `\${env:${name}}`;
}

/** The limits of `allowance`, by key. */
type Limits = ReturnType<typeof limitsOf>;

/** Returns the limits that the flags set. */
function limitsOf({ unlimited = false, ...flags }: InitFlags) {
  return { unlimited, ...byWindowKey(({ property }) => flags[property] ?? null) };
}

/** Asks for the allowance. There is no default, because the allowance depends on the user's contract. */
export async function askLimits(named: Limits, tier: Tier, asker: Asker): Promise<Limits> {
  if (Object.values(named).some((limit) => limit !== null && limit !== false)) return named;
  const form = await asker.choice(tier === 'free' ? FREE_ALLOWANCE_QUESTION : ALLOWANCE_QUESTION, [
    ...windowRows().map(({ key, words }) => ({ label: `a limit ${words.per}`, value: key })),
    { label: 'both: in total and a day', value: 'both' as const },
    { label: 'only the rate is limited', value: 'unlimited' as const },
  ]);
  if (form === 'unlimited') return { ...named, unlimited: true };
  const limits = { ...named };
  for (const { key, words } of windowRows())
    if (form === key || (form === 'both' && (key === 'total' || key === 'per_day')))
      limits[key] = await asker.text(`How many calls ${words.per}?`, readCount(1));
  return limits;
}

const ALLOWANCE_QUESTION = 'Which allowance do your terms state?';
const FREE_ALLOWANCE_QUESTION =
  `${ALLOWANCE_QUESTION} (The free tier's documentation gives both 100 calls in total and 1,000 calls per day. ` +
  'Use the limit in your own terms.)';

function readAddress(answer: string): string | Error {
  if (URL.canParse(answer) && /^https?:/.test(answer)) return answer;
  return new Error('Enter the complete URL, such as https://registry.example/api.');
}

function readVariable(answer: string): string | Error {
  return /^[A-Za-z_]\w*$/.test(answer)
    ? answer
    : new Error('Enter a variable name, such as REGISTRY_API_KEY.');
}
