import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type AdmissionOptions, QuotaMeter, WrongKeys } from '../api/admission.ts';
import { ApiProfile, type ApiProfileInput, clientDialect, clientPaths } from '../api/api_profile.ts';
import type { Catalogue } from '../api/catalogue.ts';
import { boundedServer, closeServer, isLoopback, listenOn } from '../api/http_server.ts';
import { buildService } from '../api/service.ts';
import { type AccountLimits, openAccountFile } from '../warehouse/accounts.ts';
import { type Company, SandboxCompanies } from '../warehouse/sandbox_companies.ts';
import { ArrivalLog, type ArrivalLogOptions, arrivalLine, PRIVATE_PREFIX } from './arrivals.ts';
import { type ChangingOptions, changingRegistry, type RegistryChange } from './changing_registry.ts';
import { type CompanyCatalogue, companyCatalogue } from './company_catalogue.ts';
import { sampleCompanies } from './company_file.ts';

export interface SandboxOptions extends ArrivalLogOptions {
  /** The default is the sample registry. */
  readonly companies?: Iterable<Company> | AsyncIterable<Company>;
  /** The API profile. Every value in it has a default. */
  readonly profile?: ApiProfileInput;
  /** The default is one paid account, `main`, without limits. Every account has a key. */
  readonly accounts?: readonly AccountOptions[];
  /** Returns the time for limits and dates, in epoch milliseconds. The default is the system clock, with fractions. */
  readonly now?: () => number;
  /** Changes what searches return. By default, they return the true companies. */
  readonly flaws?: (catalogue: Catalogue) => Catalogue;
  /** Automatic changes: companies change, appear and are deleted. By default, there are none. */
  readonly changes?: ChangingOptions;
  readonly host?: string;
  /** The port, or 0 for any free port. */
  readonly port?: number;
}

interface AccountOptions extends Partial<AccountLimits> {
  readonly id: string;
  /** The default is a random key. */
  readonly key?: string;
}

/** A running sandbox. Tests can inspect and change all its state. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Starts the sandbox in this process, on a loopback address. */
export async function startSandbox(options: SandboxOptions = {}) {
  const { now = preciseNow, host = '127.0.0.1', port = 0 } = options;
  const { accounts, keys } = openAccounts(options.accounts ?? [{ id: 'main' }], now());
  const meter = new QuotaMeter(accounts);
  const companies = new SandboxCompanies();
  await companies.addAll(options.companies ?? sampleCompanies());
  const log = new ArrivalLog(options, now);
  const changes = startChanges(companies, options.changes, now);
  const parts = { companies, log, changes, admission: { accounts, meter, wrongKeys: new WrongKeys(), now } };
  let current = await openEndpoints(parts, options.profile ?? {}, options.flaws);
  const server = boundedServer((request, response) => current.app.routing(request, response));
  const url = await listenOn(server, host, port);

  return {
    /** Scheme, host and port. */
    url,
    /** The `base_url` for clients. */
    baseUrl: `${url}/api`,
    /** The `upstream.paths` that clients must configure, or null if the default paths work. */
    get paths() {
      return clientPaths(current.profile);
    },
    get profile() {
      return current.profile;
    },
    /** The dialect that fits the profile. */
    get dialect() {
      return clientDialect(current.profile);
    },
    /** The companies in the profile's format. */
    get catalogue() {
      return current.catalogue;
    },
    accounts,
    /** The companies. `put` and `remove` change the registry while the sandbox handles requests. */
    companies,
    keyOf: (accountId: string) => keys.get(accountId) ?? '',
    /** Returns all requests in the order of their arrival. */
    arrivals: () => log.arrivals(),
    /** Clears arrivals and resets the limits. */
    reset() {
      log.clear();
      meter.reset();
    },
    /** Replaces the profile and the flaws, beginning with the next request. The new profile can have different paths. */
    async useProfile(profile: ApiProfileInput, flaws?: SandboxOptions['flaws']) {
      const previous = current;
      current = await openEndpoints(parts, profile, flaws);
      await previous.app.close();
    },
    async close() {
      changes.stop();
      await closeServer(server);
      await current.app.close();
      companies.close();
    },
  };
}

interface EndpointParts {
  readonly companies: SandboxCompanies;
  readonly log: ArrivalLog;
  readonly changes: ChangeHistory;
  readonly admission: Omit<AdmissionOptions, 'profile'>;
}

/** Opens the endpoints in one profile's format. */
async function openEndpoints(
  { companies, log, changes, admission }: EndpointParts,
  given: ApiProfileInput,
  flaws: SandboxOptions['flaws'],
) {
  const profile = ApiProfile.parse(given);
  const catalogue = companyCatalogue(companies, profile, admission.now);
  const served = flaws?.(catalogue) ?? catalogue;
  const app = await buildService({
    ...admission,
    profile,
    catalogue: () => served,
    hasHistory: false,
    failed: (error) => process.emitWarning(error),
    observe: (app) => log.observe(app),
    routes: (app) => addInsight(app, { companies, catalogue, log, changes }),
  });
  return { profile, catalogue, app };
}

/** Opens accounts in memory, each with a key. */
function openAccounts(options: readonly AccountOptions[], nowMs: number) {
  const accounts = openAccountFile(null);
  const keys = new Map<string, string>();
  for (const { id, key, ...limits } of options) {
    accounts.addAccount({ ...NO_LIMITS, ...limits, accountId: id }, nowMs);
    keys.set(id, accounts.addKey(id, nowMs, key === undefined ? undefined : { keyId: key, key }).key);
  }
  return { accounts, keys };
}

export const NO_LIMITS: AccountLimits = { tier: 'paid', perMinute: null, total: null, perDay: null };

/** Starts a timer that makes automatic changes once a second. */
function startChanges(
  companies: SandboxCompanies,
  options: ChangingOptions | undefined,
  now: () => number,
): ChangeHistory {
  const made: RegistryChange[] = [];
  if (options === undefined) return { changes: () => made, stop: () => undefined };
  const registry = changingRegistry(companies, options);
  const timer = setInterval(() => made.push(...registry.advance(STEP_MS, now())), STEP_MS);
  return { changes: () => made, stop: () => clearInterval(timer) };
}

interface ChangeHistory {
  changes(): readonly RegistryChange[];
  stop(): void;
}

const STEP_MS = 1_000;

/**
 * Returns the time in epoch milliseconds with fractions, so that arrivals in the same millisecond have distinct times.
 */
function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

interface InsightSources extends Omit<EndpointParts, 'admission'> {
  readonly catalogue: CompanyCatalogue;
}

/**
 * Adds endpoints for tests whose client runs in another process on this machine. They need no key, and requests to them
 * are not logged. All return JSON Lines. `/_sandbox/arrivals` returns all arrivals, `/_sandbox/entities` all records as
 * the service returns them, `/_sandbox/summaries` all list items, and `/_sandbox/changes` the automatic changes.
 */
function addInsight(app: FastifyInstance, sources: InsightSources): void {
  const endpoints = {
    arrivals: () => sources.log.arrivals().map(arrivalLine),
    entities: () => entityLines(sources),
    summaries: () => summaryLines(sources),
    changes: () => sources.changes.changes().map((change) => `${JSON.stringify(change)}\n`),
  };
  for (const [name, lines] of Object.entries(endpoints))
    app.get(PRIVATE_PREFIX + name, { schema: { hide: true } }, ({ ip }, reply) => {
      if (!isLoopback(ip.replace(/^::ffff:/, ''))) return reply.callNotFound();
      return reply.type('application/jsonl; charset=utf-8').send(Readable.from(lines()));
    });
}

/** Generates one line `{"id": …, "gone": …, "document": …}` for each company and each tombstone. */
export function* entityLines({
  companies,
  catalogue,
}: Pick<InsightSources, 'companies' | 'catalogue'>): Generator<string> {
  for (const { id } of companies.all()) {
    const found = catalogue.document(id);
    if (found !== null) yield `{"id":${JSON.stringify(id)},"gone":${found.gone},"document":${found.text}}\n`;
  }
}

function* summaryLines({ companies, catalogue }: InsightSources): Generator<string> {
  for (const { id } of companies.all()) {
    const summary = catalogue.summary(id);
    if (summary !== null) yield `{"id":${JSON.stringify(id)},"document":${summary}}\n`;
  }
}
