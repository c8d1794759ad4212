import { Command } from '@commander-js/extra-typings';
import { stringify } from 'yaml';
import { windowRows } from '../allowance/window_table.ts';
import type { DayStart } from '../allowance/windows.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { keyFingerprint } from '../config/credentials.ts';
import { loadConfig } from '../config/load_config.ts';
import { UNIT_BYTES, UNIT_MS } from '../config/values.ts';
import { type DialectInWords, describeDialect } from '../dialect/describe.ts';
import { endpointsOf } from '../dialect/request.ts';
import { count } from '../report/figures.ts';
import { define } from './command.ts';
import type { Output, Result } from './output.ts';

/** `config`: checks, explains and shows the configuration. */
export default () =>
  new Command('config')
    .addCommand(
      define(
        'basics',
        new Command('validate')
          .summary('check the configuration and explain it (sends no calls)')
          .addHelpText('after', '\nExit codes: 0 valid; 2 invalid.'),
        ({ output, path }) => {
          try {
            const config = loadConfig({ path });
            if (config.incomplete !== undefined) throw config.incomplete.error;
            return described(output, path, config);
          } catch (error) {
            if (!(error instanceof ConfigError)) throw error;
            return problemsOf(output, path, error);
          }
        },
      ),
    )
    .addCommand(
      define(
        'basics',
        new Command('show').summary('show every value with its default; secrets are masked'),
        ({ output, path: file }) => {
          const values = effectiveValues(loadConfig({ path: file }));
          const title = output.style('dim', `# ${file}, with the environment and the defaults`);
          return { data: { file, values }, text: `${title}\n${stringify(values).trimEnd()}` };
        },
      ),
    );

/** Returns all values in the file's notation. Secrets become `[key]`, which is how a `Secret` is serialised. */
function effectiveValues({ incomplete, ...config }: Config): unknown {
  const data = { dialect: incomplete?.stated, ...config };
  return JSON.parse(JSON.stringify(data), (key, value: unknown) => {
    if (key === 'day_starts') return dayStartText(value as DayStart);
    if (typeof value !== 'object' || value === null) return value;
    const [[unit, number] = []] = Object.entries(value);
    if (Object.keys(value).length !== 1 || typeof number !== 'number') return value;
    const units = unit === undefined ? undefined : UNITS[unit];
    return units === undefined ? value : exact(number, units);
  });
}

/** Formats a value in the largest unit that divides it, such as `90d`, `36h` or `8MiB`. */
function exact(value: number, units: Readonly<Record<string, number>>): string {
  const [unit, size] = Object.entries(units)
    .filter(([, one]) => value % one === 0)
    .reduce((largest, one) => (one[1] > largest[1] ? one : largest), ['', 1]);
  return `${value / size}${unit}`;
}

// The documentation states no age in weeks.
const { w: _weekMs, ...TIME_UNITS } = UNIT_MS;
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ms: TIME_UNITS,
  bytes: UNIT_BYTES,
};

function problemsOf(output: Output, file: string, { problems, message }: ConfigError): Result {
  const text = `${message}\n${output.style('red', `${file} is invalid.`)}`;
  return {
    error: { message, hint: `Correct ${file}.` },
    data: { file, valid: false, problems },
    text,
    attention: text,
    exitCode: 2,
  };
}

function described(output: Output, file: string, config: Config): Result {
  const calls = callsInWords(config);
  const { warehouse, ledger } = config;
  const described = config.dialect === undefined ? null : describeDialect(config.dialect);
  const { search, entity, stats } = endpointsOf(config.upstream);
  const words =
    described !== null && stats === null
      ? { ...described, statistics: ['The API has no statistics.'] }
      : described;
  const endpoints = { search, entity, stats: stats?.href ?? null };
  const text = [
    `${output.style('bold', `${file} is valid.`)}`,
    section(output, 'Calls', calls),
    section(
      output,
      'Addresses',
      Object.values(endpoints).filter((url) => url !== null),
    ),
    section(output, 'Files', [`Warehouse: ${warehouse}`, `Ledger: ${ledger}`]),
    words === null ? NO_DIALECT : dialectText(output, words),
  ].join('\n\n');
  return { data: { file, valid: true, calls, endpoints, warehouse, ledger, dialect: words }, text };
}

const NO_DIALECT = 'The dialect is missing. Learn it: registry-mirror probe';

function dialectText(output: Output, words: DialectInWords): string {
  const { search, records, statistics, responses } = words;
  return [
    section(output, 'Search', search),
    section(output, 'Records', records),
    section(output, 'Statistics', statistics),
    ...(responses.length === 0
      ? []
      : [section(output, 'Responses whose meaning differs from their status', responses)]),
  ].join('\n\n');
}

function section(output: Output, title: string, lines: readonly string[]): string {
  return [output.style('bold', title), ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Describes the account and its limits. */
function callsInWords({ account, allowance, upstream }: Config): string[] {
  const limits = windowRows().flatMap(({ key, span, words }) => {
    const limit = allowance[key];
    if (limit === null) return [];
    const start =
      span.kind === 'calendar' && span.unit === 'day' ? ` (${dayInWords(allowance.day_starts)})` : '';
    return [`${count(limit)} ${words.per}${start}`];
  });
  const rate = allowance.per_minute === null ? 'No rate limit' : `${count(allowance.per_minute)} a minute`;
  return [
    `Account ${account.id}, ${account.tier} tier${account.commercial_use ? ', commercial use' : ''}; key fingerprint: ${keyFingerprint(upstream)}.`,
    `${rate}, ${limits.length === 0 ? 'no other limit' : limits.join(', ')}.`,
    ...(account.already_spent === 0
      ? []
      : [`${count(account.already_spent)} calls were made before the ledger existed.`]),
  ];
}

function dayInWords(day: DayStart): string {
  return day.kind === 'rolling' ? 'in any 24 hours' : `days start at ${dayStartText(day).replace(' ', ', ')}`;
}

/** Formats the start of the day in the file's notation, such as `rolling` or `00:00 Europe/Oslo`. */
function dayStartText(day: DayStart): string {
  if (day.kind === 'rolling') return 'rolling';
  const { minuteOfDay, timeZone } = day;
  const time = [Math.floor(minuteOfDay / 60), minuteOfDay % 60].map((part) => String(part).padStart(2, '0'));
  return `${time.join(':')} ${timeZone}`;
}
