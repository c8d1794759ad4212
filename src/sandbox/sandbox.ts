import { performance } from 'node:perf_hooks';
import { type AccountOptions, type LivingAccounts, livingAccounts } from '../api/accounts.ts';
import { ApiProfile, type ApiProfileInput } from '../api/api_profile.ts';
import type { Catalogue } from '../api/catalogue.ts';
import { boundedServer, listenOn, shut } from '../api/http_server.ts';
import { dialectFor, pathsFor } from '../api/profile_dialect.ts';
import { meterInMemory } from '../api/quota_meter.ts';
import { buildService } from '../api/service.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Arrival } from './arrivals.ts';
import { type ArrivalLogOptions, arrivalLog } from './arrivals.ts';
import { type ChangingOptions, changingRegistry, type RegistryChange } from './changing_registry.ts';
import { companyCatalogue } from './company_catalogue.ts';
import { sampleCompanies } from './company_file.ts';
import { type Company, type CompanyStore, companyStore } from './company_store.ts';
import { answerInsight, isInsight } from './insight.ts';

export interface SandboxOptions extends ArrivalLogOptions {
  /** Default: the sample registry. */
  readonly companies?: Iterable<Company>;
  /** How it speaks; everything has a default. */
  readonly shape?: ApiProfileInput;
  /** Default: one paid account, `main`, without limits. */
  readonly accounts?: readonly AccountOptions[];
  /** Epoch milliseconds; default: the system's clock, with fractions. Limits and dates follow it. */
  readonly now?: () => number;
  /** How far the clock that the answers speak of (`Date`, dates in `Retry-After`) is off. */
  readonly clockSkewMs?: number;
  /** Companies change, appear and are deleted while it runs. Default: nothing happens by itself. */
  readonly changes?: ChangingOptions;
  readonly host?: string;
  /** 0: any free port. */
  readonly port?: number;
}

/** The spec's service on a socket, with everything about it to see and to change. */
export interface Sandbox {
  /** Scheme, host and port. */
  readonly url: string;
  /** What a client configures as `base_url`. */
  readonly baseUrl: string;
  /** `upstream.paths` where the default join would not find the shape's paths; else null. */
  readonly paths: ApiProfile['paths'] | null;
  readonly shape: ApiProfile;
  /** The dialect that understands the present shape. */
  readonly dialect: Dialect;
  readonly accounts: LivingAccounts;
  /** The companies: `put` and `remove` change the registry while it is asked. */
  readonly companies: CompanyStore;
  /** The catalogue in the present shape: `record(id)?.text` is what the entity endpoint tells. */
  readonly catalogue: Catalogue;
  keyOf(accountId: string): string;
  /** Requests in the order of their arrival. */
  arrivals(): readonly Arrival[];
  /** Requests that passed the limits, by account. */
  admitted(accountId: string): number;
  /** What happened in the registry by itself so far. */
  changes(): readonly RegistryChange[];
  /** Forgets arrivals and what was used of the limits. */
  reset(): void;
  /** Speaks in another shape from the next request on: moved paths, another envelope. */
  speak(profile: ApiProfileInput): Promise<void>;
  close(): Promise<void>;
}

/** Starts the sandbox in this process, on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { now = preciseNow, clockSkewMs = 0, host = '127.0.0.1', port = 0 } = options;
  const accounts = livingAccounts(options.accounts ?? [{ id: 'main' }]);
  const meter = meterInMemory(usedBefore(options.accounts ?? []));
  const companies = companyStore(options.companies ?? (await sampleCompanies()));
  const log = arrivalLog(options);
  const life = live(companies, options.changes, now);

  const voice = async (given: ApiProfileInput) => {
    const profile = ApiProfile.parse(given);
    const catalogue = companyCatalogue(companies, profile, now);
    const app = await buildService({
      catalogue,
      profile,
      accounts,
      meter,
      now,
      clockSkewMs,
      failed: (error) => process.emitWarning(error),
      observer: log.observer,
    });
    const close = async () => {
      catalogue.close();
      await app.close();
    };
    return { shape: profile, catalogue, app, dialect: dialectFor(profile), paths: pathsFor(profile), close };
  };
  let current = await voice(options.shape ?? {});

  const server = boundedServer((request, response) => {
    if (isInsight(request))
      answerInsight(request, response, { companies, catalogue: current.catalogue, log, life });
    else current.app.routing(request, response);
  });
  const url = await listenOn(server, host, port);

  return {
    url,
    baseUrl: `${url}/api`,
    get paths() {
      return current.paths;
    },
    get shape() {
      return current.shape;
    },
    get dialect() {
      return current.dialect;
    },
    get catalogue() {
      return current.catalogue;
    },
    accounts,
    companies,
    keyOf: accounts.keyOf,
    arrivals: log.arrivals,
    admitted: meter.admitted,
    changes: life.changes,
    reset() {
      log.clear();
      meter.reset();
    },
    async speak(profile) {
      const before = current;
      current = await voice(profile);
      await before.close();
    },
    async close() {
      life.end();
      await shut(server);
      await current.close();
    },
  };
}

/** Lets the registry live, second by second. */
function live(companies: CompanyStore, options: ChangingOptions | undefined, now: () => number): Life {
  const happened: RegistryChange[] = [];
  if (options === undefined) return { changes: () => happened, end: () => undefined };
  const registry = changingRegistry(companies, options);
  const timer = setInterval(() => happened.push(...registry.pass(STEP_MS, now())), STEP_MS);
  return { changes: () => happened, end: () => clearInterval(timer) };
}

interface Life {
  changes(): readonly RegistryChange[];
  end(): void;
}

const STEP_MS = 1_000;

/** Epoch milliseconds with fractions, so that arrivals within one millisecond keep their distance. */
function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

function usedBefore(accounts: readonly AccountOptions[]): Record<string, number> {
  return Object.fromEntries(accounts.map(({ id, used = 0 }) => [id, used]));
}
