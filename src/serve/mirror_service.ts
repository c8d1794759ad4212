import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Database } from 'better-sqlite3';
import { QuotaMeter, WrongKeys } from '../api/admission.ts';
import { clientDialect } from '../api/api_profile.ts';
import { boundedServer, closeServer, listenOn } from '../api/http_server.ts';
import type { ErrorPage } from '../api/problems.ts';
import { buildService } from '../api/service.ts';
import type { Config } from '../config/config.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { FailedError, messageOf } from '../errors.ts';
import { lockRequest } from '../operations/locked_run.ts';
import { type AccountFile, accountsBeside, openAccountFile } from '../warehouse/accounts.ts';
import { type CompanyProperties, companyProperties } from '../warehouse/company_properties.ts';
import { type CompanySearch, companySearch } from '../warehouse/company_search.ts';
import { acquireLock, heartbeat, releaseLock } from '../warehouse/lock.ts';
import { addChangesEndpoint } from './feed/changes_endpoint.ts';
import { addExportEndpoint } from './feed/export_endpoint.ts';
import { type MirrorCatalogue, mirrorCatalogue } from './mirror_catalogue.ts';
import { mirrorProfile, registryPaths } from './mirror_profile.ts';
import { type OperationalOptions, openOperationalEndpoints } from './operational_endpoints.ts';
import { addReconciliation, type ReconciliationOptions } from './reconciliation/reconciliation_service.ts';
import { type ReadableWarehouse, ServedWarehouse } from './served_warehouse.ts';

interface MirrorServiceOptions {
  readonly config: Config;
  readonly host: string;
  /** The port, or 0 for any free port. */
  readonly port: number;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
  /** Called with errors that do not stop the service. */
  readonly failed: (error: Error) => void;
  /** The settings for the reconciliation service for OpenRefine. If undefined, the service is not available. */
  readonly reconciliation?: ReconciliationOptions;
  /** The settings for /health and /metrics. If undefined, neither is available. */
  readonly operational?: OperationalOptions;
  /** Pages on the same server. */
  readonly intercept?: {
    /** Called before the endpoints. Returns true if it responds to the request. */
    handle(request: IncomingMessage, response: ServerResponse, warehouse: ReadableWarehouse): boolean;
    /** Returns the page for an unknown path. */
    notFound(): ErrorPage;
  };
}

/** A running service with the three endpoints for a warehouse. */
export interface MirrorService {
  /** Scheme, host and port. */
  readonly url: string;
  /** The base URL for clients. */
  readonly baseUrl: string;
  /** The `dialect` for a registry-mirror that mirrors this service. */
  readonly dialect: Dialect;
  /** Returns the number of companies that are not gone. */
  companies(): number;
  close(): Promise<void>;
}

/**
 * Starts a service over a warehouse. Other processes can write to the warehouse while the service runs. Throws
 * UsageError or FailedError if the warehouse or the address cannot be used.
 */
export async function startMirrorService(options: MirrorServiceOptions): Promise<MirrorService> {
  const { config, now } = options;
  const profile = mirrorProfile(config.dialect);
  const dialect = clientDialect(profile);
  const file = openAccountFile(accountsBeside(config.ledger));
  const opened: (() => unknown)[] = [() => file.close()];
  const closeAll = async () => {
    for (const close of opened.reverse()) await close();
  };
  try {
    opened.push(lockAccounts(file, now));
    const meter = new QuotaMeter(file);
    const wrongKeys = new WrongKeys();
    const served: ServedMirror = new ServedWarehouse({
      path: config.warehouse,
      now,
      open: (db) => openReaders(db, options, dialect),
      failed: options.failed,
    });
    opened.push(() => served.close());
    const app = await buildService({
      profile,
      accounts: file,
      meter,
      wrongKeys,
      now,
      failed: options.failed,
      hasHistory: true,
      catalogue: () => served.current().catalogue,
      isUnavailable: (error) => served.doubt(error),
      notFoundPage: () => options.intercept?.notFound() ?? null,
      endpoints(api) {
        addChangesEndpoint(api, () => served.current().db, profile);
        addExportEndpoint(api, config.warehouse, profile, now);
      },
      routes(api) {
        const { reconciliation } = options;
        if (reconciliation !== undefined)
          addReconciliation(api, () => served.current(), {
            ...reconciliation,
            sourceName: config.source.name,
            profile,
            accounts: file,
            meter,
            wrongKeys,
            now,
          });
      },
    });
    opened.push(() => app.close());
    const server = serverFor(served, options, app.routing);
    const url = await listen(server, options);
    opened.push(() => closeServer(server));
    return {
      url,
      baseUrl: `${url}/api`,
      dialect,
      companies: () => served.current().catalogue.count(),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Everything that reads one warehouse file. */
interface Readers {
  readonly db: Database;
  readonly catalogue: MirrorCatalogue;
  readonly search: CompanySearch;
  readonly properties: CompanyProperties;
}

type ServedMirror = ServedWarehouse<Readers>;

function openReaders(
  db: Database,
  { config: { dialect }, now }: MirrorServiceOptions,
  served: Dialect,
): Readers {
  const namesTakeIdentifiers = (dialect?.search.identifier_param ?? null) === null;
  return {
    db,
    catalogue: mirrorCatalogue({ db, dialect: dialect ?? served, namesTakeIdentifiers, now }),
    search: companySearch(db),
    properties: companyProperties(db),
  };
}

function serverFor(
  served: ServedMirror,
  { config, operational: settings, intercept }: MirrorServiceOptions,
  respond: RequestListener,
): Server {
  const servedPath = registryPaths(config.upstream);
  const operational =
    settings === undefined ? null : openOperationalEndpoints(served, config.source.name, settings);
  return boundedServer((request, response) => {
    if (operational?.handle(request, response)) return;
    if (intercept?.handle(request, response, served)) return;
    const { url = '/' } = request;
    // Fastify reads the property `originalUrl`, so that errors state the path that the client requested.
    Object.assign(request, { url: servedPath(url), originalUrl: url });
    respond(request, response);
  });
}

/**
 * Locks the accounts file, because only one server may count the accounts' requests. Returns a function that releases
 * the lock.
 */
function lockAccounts({ db, path }: AccountFile, now: () => number): () => void {
  const request = lockRequest();
  const { owner } = request;
  const lock = acquireLock(db, { ...request, nowMs: now() });
  if (!lock.taken)
    throw new FailedError(
      `Process ${lock.holder.pid} on ${lock.holder.host} already uses the accounts in ${path}.`,
      {
        hint: 'Stop that process first, or use a configuration with another ledger. The accounts file is stored beside the ledger.',
      },
    );
  const beat = setInterval(() => heartbeat(db, owner, now()), HEARTBEAT_MS).unref();
  return () => {
    clearInterval(beat);
    releaseLock(db, owner);
  };
}

async function listen(server: Server, { host, port }: MirrorServiceOptions) {
  try {
    return await listenOn(server, host, port);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new FailedError(`The service cannot listen on ${host}:${port}: ${reason}`, {
      hint: 'Choose another --port, or --port 0 for any free port.',
      cause,
    });
  }
}

const HEARTBEAT_MS = 5_000;
