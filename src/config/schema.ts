import { z } from 'zod';
import { byWindowKey, windowRows } from '../allowance/window_table.ts';
import { Dialect } from '../dialect/dialect.ts';
import { Mapping } from '../dialect/mapping.ts';
import {
  ApiKey,
  BaseUrl,
  Cron,
  DayStarts,
  Duration,
  EntityPath,
  HostPath,
  Password,
  ProxyUrl,
  RedisUrl,
  Size,
  Timezone,
} from './values.ts';

/** The configuration file. Its keys are the keys of the typed Config: there is no translation between them. */

const Source = z.strictObject({
  name: z
    .string()
    .min(1)
    .default('Registry')
    .describe('what the registry is called, for reports and exports'),
  url: z.string().nullable().default(null).describe('where people find the registry'),
  licence: z.string().nullable().default(null).describe('the licence of the data'),
  attribution: z.string().nullable().default(null).describe('the sentence that the licence asks for'),
});

const Upstream = z.strictObject({
  base_url: BaseUrl.describe('address of the API; paths are joined to exactly one /api'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of the file
  api_key: ApiKey.describe('sent as a Bearer token; write ${env:NAME} or ${file:PATH}'),
  paths: z
    .strictObject({
      search: HostPath.exactOptional().describe('path of the search'),
      entity: EntityPath.exactOptional().describe('path of one record, with {id}'),
      stats: HostPath.exactOptional().describe('path of the statistics'),
    })
    .prefault({})
    .describe("paths from the host's root, where the default join is wrong"),
  concurrency: z.int().min(1).max(256).default(4).describe('calls in flight at once'),
  timeouts: z
    .strictObject({
      connect: Duration.prefault('5s').describe('until the connection stands'),
      response: Duration.prefault('30s').describe('until the answer is complete'),
    })
    .prefault({})
    .describe('deadlines of one call'),
  max_body: Size.prefault('8MiB').describe('largest answer that is taken in, after decompression'),
  user_agent: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('User-Agent; null: registry-mirror and its version'),
  contact: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('address or URL added to the default User-Agent'),
  proxy: ProxyUrl.nullable().prefault(null).describe('HTTP proxy for all calls'),
  ca_file: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('file of additional certificate authorities (PEM)'),
});

const Account = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must consist of letters, digits, ".", "_" and "-"')
      .default('main')
      .describe('owns the allowance; the key may change'),
    tier: z.enum(['free', 'paid']).default('free').describe('free or paid'),
    commercial_use: z.boolean().default(false).describe('whether the data are used commercially'),
    license_ends: z.iso
      .date('must be a date such as 2027-03-31')
      .nullable()
      .default(null)
      .describe('last day of a paid licence'),
    already_spent: z.int().nonnegative().default(0).describe('calls made before this tool'),
  })
  .superRefine((account, ctx) => {
    if (account.tier !== 'free' || !account.commercial_use) return;
    ctx.addIssue({
      code: 'custom',
      path: ['commercial_use'],
      message: 'the free tier does not permit commercial use',
      params: { remedy: 'set tier: paid if you hold a licence, else commercial_use: false' },
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
      .describe('calls a minute; null or unlimited: no limit'),
    ...byWindowKey(({ words }) => limit.describe(`calls ${words.scope}`)),
    unlimited: z.boolean().default(false).describe('no allowance but the rate'),
    day_starts: DayStarts.prefault('rolling').describe('when a day begins: "00:00 Europe/Oslo", or rolling'),
    reserve: z
      .number()
      .min(0)
      .max(0.9)
      .default(0.1)
      .describe('share of each window kept back from backfills for the scheduled work'),
  })
  .superRefine((allowance, ctx) => {
    const limited = windowRows().some(({ key }) => allowance[key] !== null);
    if (limited && allowance.unlimited)
      ctx.addIssue({
        code: 'custom',
        path: ['unlimited'],
        message: 'contradicts the limits stated beside it',
        params: { remedy: 'keep either unlimited: true or the limits' },
      });
    if (!limited && !allowance.unlimited)
      ctx.addIssue({
        code: 'custom',
        message: 'no allowance is stated, and calls may cost money or an account',
        params: { remedy: ALLOWANCE_REMEDY },
      });
  });

const ALLOWANCE_REMEDY =
  'write what your own terms say: the free tier is documented both as 100 calls in total per account (total: 100) ' +
  'and as 1,000 a day (per_day: 1000); a licence may count by month (per_month) or not at all (unlimited: true)';

const MaxAge = z.strictObject({
  stats: Duration.prefault('7d').describe('statistics'),
  summaries: Duration.prefault('30d').describe('what searches list'),
  records: Duration.prefault('90d').describe('records of entities'),
});

const Schedule = z.strictObject({
  timezone: Timezone.default('UTC').describe('time zone of the patterns'),
  stats: Cron.default('7 3 * * *').describe('cron pattern of poll-stats'),
  sweep: Cron.default('17 3 * * *').describe('cron pattern of sweep-search'),
  entities: Cron.default('*/10 * * * *').describe('cron pattern of fetch-entities'),
});

const path = z.string().min(1);

const Scope = z
  .union(
    [
      z.literal('whole'),
      z.strictObject({ names: path.describe('file of names, one a line') }),
      z.strictObject({ ids: path.describe('file of entity ids, one a line') }),
      z.strictObject({ queries: path.describe('file of search queries, one a line') }),
    ],
    { error: 'must be whole, { names: FILE }, { ids: FILE } or { queries: FILE }' },
  )
  .default('whole');

const Retention = z.strictObject({
  answers: Duration.nullable()
    .prefault(null)
    .describe('bodies that a later answer has replaced are kept so long; null: for ever'),
  versions: z.int().min(1).default(1).describe('and so many versions of each record, however old'),
});

const Worker = z.strictObject({
  redis_url: RedisUrl.prefault('redis://127.0.0.1:6379').describe('Redis of the queue'),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9._{}-]+$/, 'must consist of letters, digits, ".", "_", "-", "{" and "}"')
    .default('registry-mirror')
    .describe('first part of every key in Redis'),
  job_time: Duration.prefault('5m').describe('longest time that one job works before it hands over'),
  job_calls: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('most calls of one job; null: as many as fit'),
  health_host: z.string().min(1).default('127.0.0.1').describe('address that health and metrics listen on'),
  health_port: z.int().min(0).max(65_535).nullable().default(9464).describe('their port; null: none'),
  board_password: Password.nullable()
    .prefault(null)
    .describe('password of the queue dashboard, which needs one beyond this machine'),
  log_level: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('least of what is logged; debug: every call'),
});

export const ConfigFile = z.strictObject({
  version: z.literal(1, { error: 'must be 1' }).describe('version of this format'),
  source: Source.prefault({}).describe('the registry'),
  upstream: Upstream.describe('how the API is reached'),
  account: Account.prefault({}).describe('whose allowance is spent'),
  allowance: Allowance.prefault({}).describe('how many calls may be made'),
  dialect: Dialect.optional().describe('how the API speaks; `probe` writes it'),
  max_age: MaxAge.prefault({}).describe('when a thing is due again'),
  schedule: Schedule.prefault({}).describe('when the worker looks whether it is'),
  focus: z
    .enum(['coverage', 'records', 'freshness'])
    .default('coverage')
    .describe('what a call is worth most for'),
  scope: Scope.describe('which companies are wanted'),
  mapping: Mapping.prefault({}).describe('how payloads become tables'),
  retention: Retention.prefault({}).describe('what is pruned, and when'),
  warehouse: path.default('data/warehouse.db').describe('the SQLite file of the mirror'),
  ledger: path.default('data/ledger.db').describe("the SQLite file of the account's calls"),
  worker: Worker.prefault({}).describe('the scheduled worker'),
});

/** The configuration as it is used: every default filled in, every value in its unit. */
export type Config = z.output<typeof ConfigFile>;
/** The configuration as it is written. */
export type ConfigInput = z.input<typeof ConfigFile>;
