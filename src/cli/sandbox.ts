import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse, stringify } from 'yaml';
import { FailedError, MirrorError, UsageError } from '../errors.ts';
import type { Account, AccountOptions, Tier } from '../server/accounts.ts';
import { arrivalsFile } from '../server/arrivals.ts';
import { readCompanies } from '../server/company_file.ts';
import type { Company } from '../server/company_store.ts';
import { entityLines } from '../server/insight.ts';
import { sampleCompanies } from '../server/sample.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../server/sandbox.ts';
import { configurationFor } from '../server/sandbox_configuration.ts';
import { PRESETS } from '../server/shape/presets.ts';
import { Shape } from '../server/shape/shape.ts';

/** `registry-mirror sandbox`: the registry's service on loopback, to try things on. */
export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description(
      'Serve a registry to try things on: the three endpoints, keys, limits, over a sample or any CSV',
    )
    .option('--data <file>', 'companies: CSV with a header, or JSON Lines (default: the sample registry)')
    .option('--id-column <name>', 'column of the id (default: guessed)')
    .option('--name-column <name>', 'column of the name (default: guessed)')
    .option('--where <column=value>', 'only rows with this value', columnValue)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on (default: any free one)', wholeNumber)
    .option('--key <key>', 'key of the account (default: made at random)')
    .addOption(new Option('--tier <tier>', 'tier of the account').choices(['free', 'paid']).default('free'))
    .option('--per-minute <n>', 'requests in any 60 seconds (default: 10 on the free tier)', positiveNumber)
    .option('--total <n>', 'requests of the account in all', positiveNumber)
    .option('--per-day <n>', 'requests of the account a day (UTC)', positiveNumber)
    .option('--unlimited', 'no allowance: requests are limited by the minute alone')
    .addOption(new Option('--matches <how>', 'how a query finds names').choices(NAME_MATCHES))
    .addOption(
      new Option('--identifiers <how>', 'how a query finds identifiers').choices(['prefix', 'exact', 'none']),
    )
    .addOption(new Option('--folding <what>', 'differences that a search overlooks').choices(FOLDINGS))
    .option('--page-size <n>', 'rows on a page by default', positiveNumber)
    .option('--max-page-size <n>', 'most rows on a page', positiveNumber)
    .option('--window <n>', 'results of one query that can be reached', positiveNumber)
    .option('--shape <name|file>', `how it speaks: a YAML file, or ${Object.keys(PRESETS).join(', ')}`)
    .option('--latency <ms>', 'every answer comes this much later', wholeNumber)
    .option('--changed <n>', 'companies that change in an hour', wholeNumber)
    .option('--appearing <n>', 'companies that appear in an hour', wholeNumber)
    .option('--deleted <n>', 'companies that are deleted in an hour', wholeNumber)
    .option('--seed <n>', 'which companies these are (default: 1)', wholeNumber)
    .option('--arrivals <file>', 'log every request to this file, as JSON Lines')
    .option('--dump <file>', 'write every record to this file, as JSON Lines, before listening')
    .option('--json', 'print one JSON document instead of a configuration')
    .addHelpText('after', EXAMPLES)
    .action((options: SandboxFlags) => serveSandbox(options));
}

const NAME_MATCHES = ['prefix', 'token', 'token_prefix', 'substring'] as const;
const FOLDINGS = ['none', 'case', 'diacritics'] as const;

const EXAMPLES = `
Standard output is a configuration for registry-mirror that fits; arrivals and the truth can be read from
/_sandbox/arrivals, /_sandbox/entities and /_sandbox/summaries, which no client is meant to know.

Examples:
  $ registry-mirror sandbox --total 100
  $ registry-mirror sandbox --per-day 1000 > registry-mirror.yaml
  $ registry-mirror sandbox --tier paid --per-minute 600 --unlimited --port 8080 --key test
  $ registry-mirror sandbox --unlimited --data companies.csv --where name_status=Current --matches prefix
  $ registry-mirror sandbox --tier paid --unlimited --shape brreg --arrivals arrivals.jsonl --dump truth.jsonl
`;

interface SandboxFlags {
  readonly data?: string;
  readonly idColumn?: string;
  readonly nameColumn?: string;
  readonly where?: { readonly column: string; readonly value: string };
  readonly host: string;
  readonly port?: number;
  readonly key?: string;
  readonly tier: Tier;
  readonly perMinute?: number;
  readonly total?: number;
  readonly perDay?: number;
  readonly unlimited?: boolean;
  readonly matches?: (typeof NAME_MATCHES)[number];
  readonly identifiers?: 'prefix' | 'exact' | 'none';
  readonly folding?: (typeof FOLDINGS)[number];
  readonly pageSize?: number;
  readonly maxPageSize?: number;
  readonly window?: number;
  readonly shape?: string;
  readonly latency?: number;
  readonly changed?: number;
  readonly appearing?: number;
  readonly deleted?: number;
  readonly seed?: number;
  readonly arrivals?: string;
  readonly dump?: string;
  readonly json?: boolean;
}

async function serveSandbox(flags: SandboxFlags): Promise<void> {
  const accounts = [accountOf(flags)];
  const shape = await shapeOf(flags);
  const companies = await companiesOf(flags);
  const file = flags.arrivals === undefined ? null : arrivalsFile(flags.arrivals);
  const sandbox = await start(flags, { companies, shape, accounts, onArrival: (noted) => file?.add(noted) });
  const [account] = sandbox.accounts.all();
  if (account === undefined) throw new FailedError('The sandbox has no account.');
  if (flags.dump !== undefined)
    await pipeline(Readable.from(entityLines(sandbox)), createWriteStream(flags.dump));
  process.stdout.write(flags.json ? readyDocument(sandbox, account) : readyConfiguration(sandbox, account));
  await stopSignal();
  await sandbox.close();
  await file?.close();
}

/** Neither documented allowance may be taken for granted: one must be said, or that there is none. */
function accountOf(flags: SandboxFlags): AccountOptions {
  const { tier, total, perDay, unlimited } = flags;
  const hasAllowance = total !== undefined || perDay !== undefined;
  if (unlimited && hasAllowance) throw new UsageError('--unlimited and an allowance exclude each other.');
  if (tier === 'free' && !hasAllowance && !unlimited) {
    throw new UsageError(
      'The allowance of the free tier is stated in two forms, and neither is taken for granted.',
      {
        hint: 'Choose --total 100 (calls in all), --per-day 1000 (calls a day), both, or --unlimited.',
      },
    );
  }
  const perMinute = flags.perMinute ?? (tier === 'free' ? FREE_PER_MINUTE : null);
  return {
    id: 'main',
    tier,
    perMinute,
    total: total ?? null,
    perDay: perDay ?? null,
    ...(flags.key === undefined ? {} : { key: flags.key }),
  };
}

const FREE_PER_MINUTE = 10;

async function shapeOf(flags: SandboxFlags): Promise<Shape> {
  const given = flags.shape === undefined ? {} : await namedShape(flags.shape);
  const base = parsedShape(given, flags.shape ?? 'the shape');
  const { search } = base;
  const changed = {
    ...base,
    search: {
      ...search,
      matches: flags.matches ?? search.matches,
      identifiers: flags.identifiers ?? search.identifiers,
      folding: flags.folding ?? search.folding,
      max_size: flags.maxPageSize ?? Math.max(search.max_size, flags.pageSize ?? 0),
      window: flags.window === undefined ? search.window : { ...search.window, rows: flags.window },
      paging: {
        ...search.paging,
        size: flags.pageSize ?? Math.min(search.paging.size, flags.maxPageSize ?? Number.POSITIVE_INFINITY),
      },
    },
  };
  return parsedShape(changed, 'the shape with these options');
}

async function namedShape(name: string): Promise<unknown> {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  try {
    return parse(await readFile(name, 'utf8'));
  } catch (cause) {
    throw new UsageError(`"${name}" is neither a shape nor a YAML file that can be read.`, {
      hint: `Shapes: ${Object.keys(PRESETS).join(', ')}.`,
      cause,
    });
  }
}

function parsedShape(given: unknown, name: string): Shape {
  const parsed = Shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new UsageError(`${name} is not understood: ${problems.join('; ')}`);
}

async function companiesOf({ data, idColumn, nameColumn, where }: SandboxFlags): Promise<Company[]> {
  if (data === undefined) return sampleCompanies();
  return readCompanies(data, {
    ...(idColumn === undefined ? {} : { idColumn }),
    ...(nameColumn === undefined ? {} : { nameColumn }),
    ...(where === undefined ? {} : { where }),
  });
}

async function start(
  { host, port = 0, latency = 0, ...flags }: SandboxFlags,
  options: SandboxOptions,
): Promise<Sandbox> {
  try {
    return await startSandbox({ ...options, host, port, latencyMs: latency, ...changesOf(flags) });
  } catch (cause) {
    if (cause instanceof MirrorError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FailedError(`The sandbox cannot listen on ${host}:${port}: ${why}`, { cause });
  }
}

function changesOf({
  changed = 0,
  appearing = 0,
  deleted = 0,
  seed = 1,
}: Partial<SandboxFlags>): SandboxOptions {
  if (changed + appearing + deleted === 0) return {};
  return { changes: { rates: { changed, appearing, deleted }, seed } };
}

function readyConfiguration(sandbox: Sandbox, account: Account): string {
  const count = sandbox.companies.count().toLocaleString('en');
  return [
    `# Sandbox ready: ${sandbox.baseUrl}  key ${sandbox.keyOf(account.id)}`,
    `# ${count} companies. Stop it with Ctrl-C. A configuration that fits:`,
    stringify(configurationFor(sandbox, account)),
  ].join('\n');
}

function readyDocument(sandbox: Sandbox, account: Account): string {
  const data = {
    url: sandbox.url,
    base_url: sandbox.baseUrl,
    key: sandbox.keyOf(account.id),
    companies: sandbox.companies.count(),
    configuration: configurationFor(sandbox, account),
  };
  return `${JSON.stringify({ ok: true, command: 'sandbox', data })}\n`;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError('It must be above 0.');
  return number;
}

function columnValue(text: string): { column: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must have the form column=value.');
  return { column: text.slice(0, at), value: text.slice(at + 1) };
}
