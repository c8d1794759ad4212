import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Dialect } from '../dialect/dialect.ts';
import { type AccountOptions, type LivingAccounts, livingAccounts } from './accounts.ts';
import { type Arrival, arrivalOf, type NotedVisit } from './arrivals.ts';
import type { Catalogue } from './catalogue.ts';
import { companyCatalogue } from './company_catalogue.ts';
import { type Company, type CompanyStore, companyStore } from './company_store.ts';
import { deliverFaulty, type Fault } from './faults.ts';
import { answerInsight, isInsight } from './insight.ts';
import { meterInMemory } from './meter.ts';
import { sampleCompanies } from './sample.ts';
import { buildService } from './service.ts';
import { dialectFor, pathsFor } from './shape/dialect_for.ts';
import { Shape, type ShapeInput } from './shape/shape.ts';
import type { Spectator, Visit } from './visit.ts';

export interface SandboxOptions {
  /** Default: the sample registry. */
  readonly companies?: Iterable<Company>;
  /** How it speaks; everything has a default. */
  readonly shape?: ShapeInput;
  /** Default: one paid account, `main`, without limits. */
  readonly accounts?: readonly AccountOptions[];
  /** Asked for every request that passed key and limits: how its answer goes wrong; null: it does not. */
  readonly faults?: (visit: Readonly<Visit>) => Fault | null;
  /** Every answer comes this much later. */
  readonly latencyMs?: number;
  /** Epoch milliseconds; default: the system's clock, with fractions. Limits and dates follow it. */
  readonly now?: () => number;
  readonly host?: string;
  /** 0: any free port. */
  readonly port?: number;
  /** Told of every arrival, when its answer is known. */
  readonly onArrival?: (noted: NotedVisit) => void;
  /** false: arrivals are counted, not kept (for benchmarks). */
  readonly keepArrivals?: boolean;
}

/** The spec's service on a socket, with everything about it to see and to change. */
export interface Sandbox {
  /** Scheme, host and port. */
  readonly url: string;
  /** What a client configures as `base_url`. */
  readonly baseUrl: string;
  /** `upstream.paths` where the default join would not find the shape's paths; else null. */
  readonly paths: Shape['paths'] | null;
  readonly shape: Shape;
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
  /** Forgets arrivals and what was used of the limits. */
  reset(): void;
  /** Speaks in another shape from the next request on: moved paths, another envelope. */
  speak(shape: ShapeInput): Promise<void>;
  close(): Promise<void>;
}

/** Starts the sandbox in this process, on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const now = options.now ?? preciseNow;
  const accounts = livingAccounts(options.accounts ?? [{ id: 'main' }]);
  const meter = meterInMemory(usedBefore(options.accounts ?? []));
  const companies = companyStore(options.companies ?? (await sampleCompanies()));
  const log = visitLog(options);

  const voice = async (given: ShapeInput) => {
    const shape = Shape.parse(given);
    const catalogue = companyCatalogue(companies, shape, now);
    const failed = (error: Error) => process.emitWarning(error);
    const app = await buildService({
      catalogue,
      shape,
      accounts,
      meter,
      now,
      failed,
      spectator: log.spectator,
    });
    return { shape, catalogue, app, dialect: dialectFor(shape), paths: pathsFor(shape) };
  };
  let current = await voice(options.shape ?? {});

  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    if (isInsight(request))
      answerInsight(request, response, { companies, catalogue: current.catalogue, log });
    else current.app.routing(request, response);
  });
  const url = await listen(server, options);

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
    reset() {
      log.clear();
      meter.reset();
    },
    async speak(shape) {
      const before = current;
      current = await voice(shape);
      await before.app.close();
    },
    async close() {
      await shut(server);
      await current.app.close();
    },
  };
}

/** The visits so far, and the spectator that notes them and spoils answers. */
export interface VisitLog {
  readonly spectator: Spectator;
  arrivals(): readonly Arrival[];
  clear(): void;
}

function visitLog({ faults, latencyMs = 0, onArrival, keepArrivals = true }: SandboxOptions): VisitLog {
  let visits: NotedVisit[] = [];
  const noted = new WeakMap<Visit, NotedVisit>();
  const spectator: Spectator = {
    arrived(visit) {
      const note: NotedVisit = { visit, fault: null };
      noted.set(visit, note);
      if (keepArrivals) visits.push(note);
    },
    answering(visit, answer, reply) {
      const note = noted.get(visit);
      const fault = faults?.(visit) ?? (latencyMs > 0 ? ({ kind: 'delay', ms: latencyMs } as const) : null);
      if (note !== undefined) {
        note.fault = fault?.kind ?? null;
        onArrival?.(note);
      }
      if (fault === null) return 'left';
      deliverFaulty(fault, answer, reply);
      return 'taken';
    },
  };
  return { spectator, arrivals: () => visits.map(arrivalOf), clear: () => void (visits = []) };
}

/** Epoch milliseconds with fractions, so that arrivals within one millisecond keep their distance. */
function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

function usedBefore(accounts: readonly AccountOptions[]): Record<string, number> {
  return Object.fromEntries(accounts.map(({ id, used = 0 }) => [id, used]));
}

async function listen(server: Server, { host = '127.0.0.1', port = 0 }: SandboxOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // Requests that hang by intent would hold the server for ever.
    server.closeAllConnections();
  });
}
