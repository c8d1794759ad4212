import { z } from 'zod';
import { byWindowKey, windowRows } from '../allowance/window_table.ts';
import { Dialect, type StatedDialect } from '../dialect/dialect.ts';
import { Mapping } from '../dialect/mapping.ts';
import { placeholdersIn } from '../dialect/template.ts';
import { constantParts, partsOf } from '../dialect/url_template.ts';
import { FOCUSES } from '../planner.ts';
import type { ConfigError } from './config_error.ts';
import { BEARER, keyHeaderName } from './credentials.ts';
import { Receiver } from './receiver.ts';
import {
  ApiKey,
  BaseUrl,
  ConstantHeaders,
  Cron,
  DayStarts,
  Duration,
  EntityPath,
  KeyHeader,
  Password,
  ProxyUrl,
  RedisUrl,
  SearchPath,
  Size,
  StatsPath,
  Timezone,
} from './values.ts';

/** The configuration file's schema. The typed Config has the same keys. */

const Source = z.strictObject({
  name: z.string().min(1).default('Registry').describe('name of the registry'),
  url: z.string().nullable().default(null).describe('website of the registry'),
  licence: z.string().nullable().default(null).describe('licence for the data'),
  attribution: z
    .string()
    .nullable()
    .default(null)
    .describe('attribution that the licence requires; every export contains it'),
});

const Upstream = z
  .strictObject({
    base_url: BaseUrl.describe('base URL of the API; the three paths are joined to it with exactly one /api'),
    api_key: ApiKey.nullable().describe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the file uses this notation
      'API key; ${env:NAME} and ${file:PATH} are replaced; null if the API needs no key',
    ),
    key_header: KeyHeader.default(BEARER).describe(
      'header that sends the key: a name such as X-API-Key, or a header with {key} or {key:basic}',
    ),
    key_param: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('query parameter that sends the key instead of a header'),
    headers: ConstantHeaders.prefault({}).describe('constant headers for every call, such as X-Auth-Email'),
    paths: z
      .strictObject({
        search: SearchPath.exactOptional().describe(
          'path of the search, with constant parameters in an optional query string and other parameters in braces',
        ),
        entity: EntityPath.exactOptional().describe(
          'path of a record, with {id}, {id:path} or {id:json} and an optional query string',
        ),
        stats: StatsPath.nullable()
          .exactOptional()
          .describe('path of the statistics, with an optional query string; null if the API has none'),
      })
      .prefault({})
      .describe("paths from the host's root, if the default join is wrong"),
    concurrency: z.int().min(1).max(256).default(4).describe('maximum number of calls in flight'),
    timeouts: z
      .strictObject({
        connect: Duration.prefault('5s').describe('time until the connection is open'),
        response: Duration.prefault('30s').describe('time until the response is complete'),
      })
      .prefault({})
      .describe('timeouts for one call'),
    check_clock: z
      .boolean()
      .default(true)
      .describe(
        "compares this machine's clock with the upstream's; false if the upstream's own clock is wrong",
      ),
    max_body: Size.prefault('8MiB').describe('maximum size of a response after decompression'),
    user_agent: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('the whole User-Agent header; null means registry-mirror/VERSION and the contact'),
    contact: z.string().min(1).nullable().default(null).describe('address or URL in the default User-Agent'),
    proxy: ProxyUrl.nullable()
      .prefault(null)
      .describe('HTTP proxy for all calls; null means the proxy set in the environment, if any'),
    ca_file: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('file with additional certificate authorities (PEM)'),
  })
  .superRefine(({ api_key, key_header, key_param, headers }, ctx) => {
    const refuse = (path: string[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    if (key_param !== null && key_header !== BEARER)
      refuse(['key_param'], 'key_header sends the key too; remove one of them');
    if (api_key === null && (key_param !== null || key_header !== BEARER))
      refuse(['api_key'], 'is null, although key_header or key_param sends a key');
    const keyHeader = api_key === null || key_param !== null ? null : keyHeaderName(key_header);
    for (const name of Object.keys(headers))
      if (name.toLowerCase() === keyHeader)
        refuse(['headers', name], 'key_header sends the key in this header');
  });

const Account = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must consist of letters, digits, ".", "_" and "-"')
      .default('main')
      .describe("the account's name in the ledger; with a new key, the count continues"),
    tier: z.enum(['free', 'paid']).default('free').describe('account tier'),
    commercial_use: z.boolean().default(false).describe('whether the data is used commercially'),
    license_ends: z.iso
      .date('must be a date such as 2027-03-31')
      .nullable()
      .default(null)
      .describe('last day of a paid licence'),
    already_spent: z
      .int()
      .nonnegative()
      .default(0)
      .describe('calls made with the account before this program used it'),
  })
  .superRefine((account, ctx) => {
    if (account.tier !== 'free' || !account.commercial_use) return;
    ctx.addIssue({
      code: 'custom',
      path: ['commercial_use'],
      message: 'the free tier does not permit commercial use',
      params: { remedy: 'set tier: paid if you have a licence, else commercial_use: false' },
    });
  });

const limit = z.int().positive().nullable().default(null);

const Allowance = z
  .strictObject({
    per_minute: z
      .union([z.int().positive(), z.null(), z.literal('unlimited')], {
        error: 'must be a whole number above 0, or unlimited',
      })
      .default(10)
      .transform((value) => (value === 'unlimited' ? null : value))
      .describe('calls in any 60 seconds; null or unlimited means no limit'),
    ...byWindowKey(({ words }) => limit.describe(`calls ${words.per}`)),
    unlimited: z.boolean().default(false).describe('no limit except the rate'),
    pace_until: z.iso
      .date('must be a date such as 2027-03-31')
      .nullable()
      .default(null)
      .describe('last day that total must last for; default: account.license_ends'),
    day_starts: DayStarts.prefault('rolling').describe('start of the day: "00:00 Europe/Oslo", or rolling'),
    reserve: z
      .number()
      .min(0)
      .max(0.9)
      .default(0.1)
      .describe('share of each window that backfills leave for scheduled work'),
  })
  .superRefine((allowance, ctx) => {
    const limited = windowRows().some(({ key }) => allowance[key] !== null);
    if (limited && allowance.unlimited)
      ctx.addIssue({
        code: 'custom',
        path: ['unlimited'],
        message: 'contradicts the limits',
        params: { remedy: 'keep either unlimited: true or the limits in the same section' },
      });
    if (!limited && !allowance.unlimited)
      ctx.addIssue({
        code: 'custom',
        message: 'no allowance is configured',
        params: { remedy: ALLOWANCE_REMEDY },
      });
  });

const ALLOWANCE_REMEDY =
  'set the limit that your own terms state: the free tier is documented both as 100 calls in total per account (total: 100) ' +
  'and as 1,000 a day (per_day: 1000); a licence may have a monthly limit (per_month) or none (unlimited: true)';

const MaxAge = z.strictObject({
  stats: Duration.prefault('7d').describe('age at which the statistics are requested again'),
  summaries: Duration.prefault('30d').describe('age at which searches are repeated'),
  records: Duration.prefault('90d').describe('age at which a record is fetched again'),
});

const Schedule = z.strictObject({
  timezone: Timezone.default('UTC').describe('time zone for the cron patterns'),
  stats: Cron.default('7 3 * * *').describe('cron pattern for the job poll-stats'),
  sweep: Cron.default('17 3 * * *').describe('cron pattern for the job sweep-search'),
  entities: Cron.default('*/10 * * * *').describe('cron pattern for the job fetch-entities'),
});

const path = z.string().min(1);

const Scope = z
  .union(
    [
      z.literal('whole'),
      z.strictObject({ names: path.describe('file with company names, one per line') }),
      z.strictObject({ ids: path.describe('file with entity ids, one per line') }),
      z.strictObject({ queries: path.describe('file with search queries, one per line') }),
    ],
    { error: 'must be whole, { names: FILE }, { ids: FILE } or { queries: FILE }' },
  )
  .default('whole');

const Responses = z.strictObject({
  compress: z
    .boolean()
    .default(true)
    .describe('compress responses; plain SQL cannot read compressed records in entity_history.document'),
});

const Retention = z.strictObject({
  answers: Duration.nullable()
    .prefault(null)
    .describe('how long replaced responses are kept; null means forever'),
  versions: z
    .int()
    .min(1)
    .default(1)
    .describe('number of versions to keep for each record, regardless of age'),
});

const Worker = z.strictObject({
  redis_url: RedisUrl.prefault('redis://127.0.0.1:6379').describe('URL of the Redis server for the queue'),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9._{}-]+$/, 'must consist of letters, digits, ".", "_", "-", "{" and "}"')
    .default('registry-mirror')
    .describe('prefix for every key in Redis'),
  job_time: Duration.prefault('5m').describe('maximum duration of one job'),
  job_calls: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('maximum number of calls per job; null means no limit except the time'),
  health_host: z.string().min(1).default('127.0.0.1').describe('address for health and metrics'),
  health_port: z
    .int()
    .min(0)
    .max(65_535)
    .nullable()
    .default(9464)
    .describe('port for health and metrics; null disables them'),
  board_password: Password.nullable()
    .prefault(null)
    .describe('password for the queue dashboard, required on any address other than loopback'),
  log_level: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('lowest level that is logged; debug logs every call'),
  tracing: z.boolean().default(false).describe('trace jobs with the package bullmq-otel'),
});

export const ConfigFile = z
  .strictObject({
    version: z.literal(1, { error: 'must be 1' }).describe("the file format's version"),
    source: Source.prefault({}).describe('the registry'),
    upstream: Upstream.describe('the API'),
    account: Account.prefault({}).describe('the account at the registry'),
    allowance: Allowance.prefault({}).describe('the number of calls'),
    dialect: Dialect.optional().describe('details of the API; `probe` writes them'),
    max_age: MaxAge.prefault({}).describe('ages at which known data is due again'),
    schedule: Schedule.prefault({}).describe("the worker's schedule"),
    focus: z.enum(FOCUSES).default('balanced').describe('which calls come first'),
    scope: Scope.describe('companies to mirror'),
    mapping: Mapping.prefault({}).describe('exceptions to the default mapping of payloads to tables'),
    responses: Responses.prefault({}).describe('how responses are stored'),
    retention: Retention.prefault({}).describe('what compact deletes'),
    warehouse: path.default('data/warehouse.db').describe("the mirror's SQLite file"),
    ledger: path.default('data/ledger.db').describe("the SQLite file that counts the account's calls"),
    worker: Worker.prefault({}).describe('the scheduled worker'),
    notify: z
      .array(Receiver)
      .default([])
      .refine(
        (all) => new Set(all.map(({ name }) => name)).size === all.length,
        'has two receivers with the same name',
      )
      .describe('receivers of notifications'),
  })
  .superRefine(({ upstream, dialect }, ctx) => {
    if (dialect === undefined) return;
    const { query_param, identifier_param, extra, paging, min_length } = dialect.search;
    const page = {
      'dialect.search.paging.param': 'param' in paging ? paging.param : null,
      'dialect.search.paging.size_param': paging.size_param,
      'upstream.key_param': upstream.key_param,
    };
    const query = {
      'dialect.search.query_param': query_param,
      'dialect.search.identifier_param': identifier_param,
    };
    const added = Object.fromEntries(
      Object.keys(extra).map((name) => [`dialect.search.extra.${name}`, name]),
    );
    const refuseTwice = (path: string[], name: string, others: Readonly<Record<string, string | null>>) => {
      const [other] = Object.entries(others).find(([, own]) => own === name) ?? [];
      if (other === undefined) return;
      const message = `sends the parameter ${name}, which ${other} sends too`;
      ctx.addIssue({ code: 'custom', path, message, params: { remedy: 'remove one of them' } });
    };
    const path = upstream.paths.search ?? '';
    const refusePath = (message: string, remedy: string) =>
      ctx.addIssue({ code: 'custom', path: ['upstream', 'paths', 'search'], message, params: { remedy } });
    const sent = new Set([...Object.values({ ...page, ...query }), ...Object.values(added)]);
    for (const name of placeholdersIn(path))
      if (!sent.has(name))
        refusePath(
          `has {${name}}, but the dialect sends no parameter ${name}`,
          `set a key such as dialect.search.query_param to ${name}`,
        );
    if (min_length === 0 && placeholdersIn(partsOf(path).path).some((name) => name === query_param))
      refusePath(
        `needs {${query_param}}, so a search without a query has no address`,
        'set dialect.search.min_length to at least 1',
      );
    const constants = new Set(new URLSearchParams(constantParts(path).join('&')).keys());
    for (const name of constants)
      refuseTwice(['upstream', 'paths', 'search'], name, { ...page, ...query, ...added });
    // The query's parameter can also be in `extra`, which has the value that is sent without a query.
    for (const name of Object.keys(extra)) refuseTwice(['dialect', 'search', 'extra', name], name, page);
  });

/** The checked configuration, with all defaults and converted values. */
export type Config = z.output<typeof ConfigFile> & {
  /** The dialect in the file, if it lacks keys. `dialect` is then undefined. */
  readonly incomplete?: IncompleteDialect;
};

interface IncompleteDialect {
  readonly stated: StatedDialect;
  /** Lists the missing keys. */
  readonly error: ConfigError;
}

/** The configuration as written in the file. */
export type ConfigInput = z.input<typeof ConfigFile>;
