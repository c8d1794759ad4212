import { once } from 'node:events';
import { appendFileSync, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { stringify } from 'yaml';
import { generateRegistry } from '../../data/generate.ts';
import { type ApiProfile, defaultProfile } from '../api/api_profile.ts';
import { FailedError, MirrorError, messageOf, UsageError } from '../errors.ts';
import { FOLDINGS } from '../names/folding.ts';
import type { IdentifierSearch, Semantics } from '../names/query_matching.ts';
import { counted } from '../report/figures.ts';
import { arrivalLine } from '../sandbox/arrivals.ts';
import { type CompanyFileOptions, readCompanies, sampleCompanies } from '../sandbox/company_file.ts';
import { changedProfile, presetNames, readProfile } from '../sandbox/profile_file.ts';
import { entityLines, type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
import type { AccountLimits, ServedAccount } from '../warehouse/accounts.ts';
import type { Company } from '../warehouse/sandbox_companies.ts';
import { define, portNumber, wholeFrom, wholeNumber } from './command.ts';
import { type LimitFlags, limitsOf, withLimitOptions } from './limit_options.ts';
import type { Result } from './output.ts';

/** `sandbox`: serves the registry's API on loopback, for tests and trials. */
export default () =>
  define('alone', options(), async ({ output, print, untilInterrupted }, flags: SandboxFlags) => {
    const key = flags.key === undefined ? {} : { key: flags.key };
    const accounts = [{ id: 'main', ...limitsOf(flags), ...key }];
    const profile = changedProfile(await readProfile(flags.shape ?? 'default'), flags);
    const companies = companiesOf(flags, profile);
    const { arrivals: path } = flags;
    const onArrival: SandboxOptions['onArrival'] = (arrival) =>
      path !== undefined && writeArrivals(path, arrivalLine(arrival));
    if (path !== undefined) writeArrivals(path, '');
    const sandbox = await start(flags, { companies, profile, accounts, onArrival });
    const signal = untilInterrupted();
    if (flags.dump !== undefined) await dump(sandbox, flags.dump);
    const { data, text } = ready(sandbox);
    if (flags.json) print({ data, text });
    else output.document(text);
    if (!signal.aborted) await once(signal, 'abort');
    await sandbox.close();
  });

const options = () =>
  withLimitOptions(new Command('sandbox'), 'free')
    .description(
      'Serves the three endpoints over synthetic companies or any CSV file, with keys and limits, and prints a ' +
        'matching configuration. /_sandbox/arrivals lists the received requests. /_sandbox/entities, ' +
        '/_sandbox/summaries and /_sandbox/changes return the true data. These paths are for tests and are not part ' +
        'of the API.',
    )
    .option('--data <file>', 'companies as CSV with a header or as JSON Lines (default: the sample registry)')
    .option('--companies <n>', 'generate n synthetic companies instead', positiveWhole)
    .option('--id-column <name>', 'id column (default: guessed)')
    .option('--name-column <name>', 'name column (default: guessed)')
    .option('--where <column=value>', 'only rows with this value', columnValue)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on (default: any free one)', portNumber)
    .option('--key <key>', "the account's key (default: random)")
    .option('--shape <name|file>', `API profile: ${presetNames().join(', ')}, or a YAML file`)
    .addOption(new Option('--matches <how>', 'query rule for names').choices(NAME_SEARCHES))
    .addOption(new Option('--identifiers <how>', 'query rule for identifiers').choices(IDENTIFIER_SEARCHES))
    .addOption(new Option('--folding <what>', 'differences that a search ignores').choices(FOLDINGS))
    .option('--page-size <n>', 'default rows per page', positiveWhole)
    .option('--max-page-size <n>', 'maximum rows per page', positiveWhole)
    .option('--window <n>', 'maximum results per query, over all pages', positiveWhole)
    .option('--latency <ms>', 'delay before each response, in milliseconds', wholeNumber)
    .option('--changed <n>', 'companies that change per hour', wholeNumber)
    .option('--appearing <n>', 'companies that appear per hour', wholeNumber)
    .option('--deleted <n>', 'companies that are deleted per hour', wholeNumber)
    .option('--seed <n>', 'seed for --companies and their changes', wholeNumber, 1)
    .option('--arrivals <file>', 'log every request to this file, as JSON Lines')
    .option('--dump <file>', 'write all records to this file at the start, as JSON Lines')
    .option('--json', 'print one JSON document instead of a configuration')
    .addHelpText('after', EXAMPLES);

type SandboxFlags = LimitFlags & ReturnType<ReturnType<typeof options>['opts']>;

const positiveWhole = wholeFrom(1);
const NAME_SEARCHES = ['prefix', 'token', 'token_prefix', 'substring'] as const satisfies Semantics[];
const IDENTIFIER_SEARCHES = ['prefix', 'exact', 'none'] as const satisfies IdentifierSearch[];

const EXAMPLES = `
Examples:
  $ registry-mirror sandbox --total 100
  $ registry-mirror sandbox --per-day 1000 > registry-mirror.yaml
  $ registry-mirror sandbox --tier paid --per-minute 600 --unlimited --port 8080 --key test
  $ registry-mirror sandbox --unlimited --data companies.csv --where name_status=Current --matches prefix
  $ registry-mirror sandbox --tier paid --shape brreg --arrivals arrivals.jsonl --dump truth.jsonl`;

function writeArrivals(path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (cause) {
    throw new UsageError(`The arrivals file ${path} cannot be written.`, { cause });
  }
}

function companiesOf(flags: SandboxFlags, { ids }: ApiProfile): AsyncIterable<Company> | Iterable<Company> {
  const { data, companies, idColumn, nameColumn, where, seed } = flags;
  if (data !== undefined && companies !== undefined)
    throw new UsageError('--data cannot be combined with --companies.', { hint: 'Leave out one of them.' });
  if (companies !== undefined)
    return generateRegistry({ companies, seed, ids: ids === 'number' ? 'big_numeric' : 'registry' });
  if (data === undefined) return sampleCompanies();
  const options: CompanyFileOptions = { idColumn, nameColumn, where };
  return readCompanies(data, options);
}

async function start(flags: SandboxFlags, options: SandboxOptions): Promise<Sandbox> {
  const { host, port = 0, latency = 0 } = flags;
  try {
    return await startSandbox({ ...options, host, port, latencyMs: latency, ...changesOf(flags) });
  } catch (cause) {
    if (cause instanceof MirrorError) throw cause;
    const why = messageOf(cause);
    throw new FailedError(`The sandbox cannot listen on ${host}:${port}: ${why}`, { cause });
  }
}

function changesOf({ changed = 0, appearing = 0, deleted = 0, seed }: SandboxFlags): SandboxOptions {
  if (changed + appearing + deleted === 0) return {};
  return { changes: { rates: { changed, appearing, deleted }, seed } };
}

async function dump(sandbox: Sandbox, path: string): Promise<void> {
  try {
    await pipeline(Readable.from(entityLines(sandbox)), createWriteStream(path));
  } catch (cause) {
    await sandbox.close();
    throw new FailedError(`The records cannot be written to ${path}.`, { cause });
  }
}

function ready(sandbox: Sandbox): Result {
  const [account] = sandbox.accounts.accounts() as [ServedAccount];
  const { url, baseUrl } = sandbox;
  const configuration = configurationFor(sandbox, account);
  const key = sandbox.keyOf(account.accountId);
  const companies = sandbox.companies.count();
  return {
    data: { url, base_url: baseUrl, key, companies, configuration },
    text: [
      `# Sandbox ready: ${baseUrl}  key ${key}`,
      `# ${counted(companies, 'company', 'companies')}. Stop it with Ctrl-C. Matching configuration:`,
      stringify(configuration),
    ].join('\n'),
  };
}

function columnValue(text: string): { column: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must have the form column=value.');
  return { column: text.slice(0, at), value: text.slice(at + 1) };
}

/** Returns a configuration for mirroring a running sandbox with one of its accounts. */
function configurationFor(sandbox: Sandbox, account: ServedAccount): object {
  const { accountId: id, tier } = account;
  const { key_header } = sandbox.profile;
  return {
    version: 1,
    source: { name: 'Sandbox registry', url: sandbox.url },
    upstream: {
      base_url: sandbox.baseUrl,
      api_key: sandbox.keyOf(id),
      ...(key_header === defaultProfile.key_header ? {} : { key_header }),
      ...(sandbox.paths === null ? {} : { paths: sandbox.paths }),
    },
    account: { id, tier },
    allowance: allowanceOf(account),
    dialect: sandbox.dialect,
  };
}

function allowanceOf({ perMinute, total, perDay }: AccountLimits): object {
  return {
    ...(perMinute === null ? {} : { per_minute: perMinute }),
    ...(total === null ? {} : { total }),
    ...(perDay === null ? {} : { per_day: perDay, day_starts: '00:00 UTC' }),
    ...(total === null && perDay === null ? { unlimited: true } : {}),
  };
}
