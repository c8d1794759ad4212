import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { type ApiProfile, defaultProfile } from '../api/api_profile.ts';
import { boundedServer, closeServer, listenOn } from '../api/http_server.ts';
import { pathsFor } from '../api/profile_dialect.ts';
import { buildService } from '../api/service.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import { FailedError, messageOf } from '../errors.ts';
import { acquireLock, heartbeat, isAlive, releaseLock } from '../warehouse/lock.ts';
import { type AccountFile, openAccountFile } from '../warehouse/serve_accounts.ts';
import { fileVersion } from '../warehouse/serve_lists.ts';
import { namesMark } from '../warehouse/serve_names.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { changesEndpoint } from './feed/changes_endpoint.ts';
import { exportEndpoint } from './feed/export_endpoint.ts';
import { mirrorCatalogue } from './mirror_catalogue.ts';
import { mirrorDialect, mirrorProfile } from './mirror_profile.ts';
import { openNameIndexUpdater } from './name_index_updater.ts';
import { type OperationalOptions, openOperationalEndpoints } from './operational_endpoints.ts';
import { openReconciliation, type ReconciliationOptions } from './reconciliation/reconciliation_service.ts';
import { storedAccounts } from './stored_accounts.ts';
import { storedMeter } from './stored_usage.ts';

export interface MirrorServiceOptions {
  readonly warehousePath: string;
  readonly accountsPath: string;
  /** The registry's dialect, or undefined if it is not configured. */
  readonly dialect: Dialect | undefined;
  readonly upstream: UpstreamAddress;
  readonly host: string;
  /** The port, or 0 for any free port. */
  readonly port: number;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
  /** Called with errors that do not stop the service. */
  readonly failed: (error: Error) => void;
  /** The settings for the reconciliation service for OpenRefine. If undefined, the service is not available. */
  readonly reconciliation?: Pick<ReconciliationOptions, 'sourceName' | 'access' | 'companyPage'>;
  /** The settings for /health and /metrics. If undefined, neither is available. */
  readonly operational?: Omit<OperationalOptions, 'db'>;
  /** Called before the endpoints. Returns true if it responds to the request. */
  readonly intercept?: (...request: Parameters<RequestListener>) => boolean;
}

/** A running service with the three endpoints for a warehouse. */
export interface MirrorService {
  /** Scheme, host and port. */
  readonly url: string;
  /** The base URL for clients. */
  readonly baseUrl: string;
  /** The `upstream.paths` for a registry-mirror that mirrors this service, or null if the defaults work. */
  readonly paths: ApiProfile['paths'] | null;
  /** The `dialect` for a registry-mirror that mirrors this service. */
  readonly dialect: Dialect;
  /** Returns the number of companies in the name index. */
  companies(): number;
  /** Returns how many companies match a query, and the ids of the best matches (at most `limit`). */
  find(query: string, limit: number): { readonly total: number; readonly ids: readonly string[] };
  /** Returns a number that changes with each write to the mirror. */
  version(): number;
  /** Updates the name index. Resolves when the index covers all companies in the warehouse. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a service over a warehouse. Other processes can write to the warehouse while the service runs. Throws
 * UsageError or FailedError if the warehouse or the address cannot be used.
 */
export async function startMirrorService(options: MirrorServiceOptions): Promise<MirrorService> {
  const { now, failed, dialect, warehousePath } = options;
  const profile = mirrorProfile(dialect, options.upstream);
  const paths = pathsFor(profile);
  const ownDialect = mirrorDialect(dialect, profile);
  const warehouse = openForServing(warehousePath, now());
  const accounts = openAccountFile(options.accountsPath);
  const opened: (() => unknown)[] = [() => warehouse.close(), () => accounts.close()];
  const closeAll = async () => {
    for (const close of opened.reverse()) await close();
  };
  try {
    opened.push(lockAccounts(accounts, now));
    const meter = storedMeter(accounts);
    opened.push(meter.close);
    const updater = await openNameIndexUpdater({
      warehousePath,
      readMark: namesMark(warehouse.db),
      now,
      failed,
    });
    opened.push(updater.close);
    const catalogue = mirrorCatalogue({
      db: warehouse.db,
      dialect: dialect ?? ownDialect,
      index: updater.current,
      namesTakeIdentifiers: (dialect?.search.identifier_param ?? null) === null,
      now,
    });
    const ownAccounts = storedAccounts(accounts, now);
    const app = await buildService({
      catalogue,
      profile,
      accounts: ownAccounts,
      meter,
      now,
      failed,
      endpoints: [changesEndpoint(warehouse.db, profile), exportEndpoint(warehousePath, profile, now)],
    });
    opened.push(() => app.close());
    const reconciliation =
      options.reconciliation === undefined
        ? null
        : await openReconciliation(warehouse.db, {
            ...options.reconciliation,
            accounts: ownAccounts,
            meter,
            profile,
            now,
            failed,
          });
    if (reconciliation !== null) opened.push(reconciliation.close);
    const operational =
      options.operational === undefined
        ? null
        : openOperationalEndpoints({ db: warehouse.db, ...options.operational });
    const server = boundedServer((request, response) => {
      if (operational?.handle(request, response)) return;
      if (options.intercept?.(request, response)) return;
      if (reconciliation?.handle(request, response)) return;
      if (paths !== null) request.url = registryUrl(request, profile);
      app.routing(request, response);
    });
    const url = await listen(server, options);
    opened.push(() => closeServer(server));
    return {
      url,
      baseUrl: `${url}/api`,
      paths,
      dialect: ownDialect,
      companies: () => updater.current().companies,
      find(query, limit) {
        const found = catalogue.search({
          by: 'any',
          text: query,
          names: profile.search.matches,
          identifiers: 'prefix',
        });
        return { total: found.total, ids: found.ids(0, limit) };
      },
      version: fileVersion(warehouse.db),
      refresh: updater.refresh,
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Opens the warehouse for reading. Creates the file if it is missing, and migrates it if an older version wrote it. */
function openForServing(path: string, nowMs: number): Warehouse {
  if (!existsSync(path)) openWarehouse({ path, nowMs }).close();
  try {
    return openWarehouse({ path, readonly: true, nowMs });
  } catch (error) {
    if (!(error instanceof FailedError)) throw error;
    openWarehouse({ path, nowMs }).close();
    return openWarehouse({ path, readonly: true, nowMs });
  }
}

/**
 * Locks the accounts file, because only one server may count the accounts' requests. Returns a function that releases
 * the lock.
 */
function lockAccounts({ db, path }: AccountFile, now: () => number): () => void {
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const lock = acquireLock(db, { owner, pid: process.pid, host: hostname(), nowMs: now(), isAlive });
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

/** Returns a request's URL, with a default path replaced by the registry's path. */
function registryUrl({ url = '/' }: IncomingMessage, { paths }: ApiProfile): string {
  const [path = '', ...query] = url.split('?');
  const rest = query.length === 0 ? '' : `?${query.join('?')}`;
  const { search, stats, entity } = defaultProfile.paths;
  if (path === search) return paths.search + rest;
  if (path === stats) return paths.stats + rest;
  const beforeId = entity.replace('{id}', '');
  if (!path.startsWith(beforeId) || path.startsWith(paths.entity.replace('{id}', ''))) return url;
  return paths.entity.replace('{id}', () => path.slice(beforeId.length)) + rest;
}

async function listen(server: ReturnType<typeof boundedServer>, { host, port }: MirrorServiceOptions) {
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
