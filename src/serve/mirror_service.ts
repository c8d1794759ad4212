import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { type ApiProfile, defaultProfile } from '../api/api_profile.ts';
import { boundedServer, listenOn, shut } from '../api/http_server.ts';
import { pathsFor } from '../api/profile_dialect.ts';
import { buildService } from '../api/service.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import { FailedError } from '../errors.ts';
import { acquireLock, heartbeat, isAlive, releaseLock } from '../warehouse/lock.ts';
import { type AccountFile, openAccountFile } from '../warehouse/serve_accounts.ts';
import { fileVersion } from '../warehouse/serve_lists.ts';
import { namesMark } from '../warehouse/serve_names.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { mirrorCatalogue } from './mirror_catalogue.ts';
import { mirrorDialect, mirrorProfile } from './mirror_profile.ts';
import { openNameIndexUpdater } from './name_index_updater.ts';
import { mirrorAccounts } from './stored_accounts.ts';
import { mirrorMeter } from './stored_usage.ts';

export interface MirrorServiceOptions {
  readonly warehousePath: string;
  readonly accountsPath: string;
  /** How the registry speaks; undefined: nothing is known of it yet. */
  readonly dialect: Dialect | undefined;
  readonly upstream: UpstreamAddress;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told of what goes wrong while requests go on. */
  readonly failed: (error: Error) => void;
  /** Answers requests for what stands beside the three endpoints, and says whether it did. */
  readonly beside?: (...request: Parameters<RequestListener>) => boolean;
}

/** The three endpoints over a warehouse, on a socket. */
export interface MirrorService {
  /** Scheme, host and port. */
  readonly url: string;
  /** What a client configures as its base address. */
  readonly baseUrl: string;
  /** `upstream.paths` of a registry-mirror that mirrors this one, where the default join would not find them. */
  readonly paths: ApiProfile['paths'] | null;
  /** The dialect that it reads this mirror with. */
  readonly dialect: Dialect;
  /** Companies that searches find now. */
  companies(): number;
  /** Ids of the companies that a text finds, the best first, and how many there are. */
  find(text: string, most: number): { readonly total: number; readonly ids: readonly string[] };
  /** Another value says that the mirror was written to. */
  version(): number;
  /** Resolves when searches find everything that is in the warehouse now. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Serves a warehouse while others write it. Throws UsageError or FailedError where a file or the address cannot be had. */
export async function startMirrorService(options: MirrorServiceOptions): Promise<MirrorService> {
  const { now, failed, dialect, warehousePath } = options;
  const profile = mirrorProfile(dialect, options.upstream);
  const paths = pathsFor(profile);
  const spoken = mirrorDialect(dialect, profile);
  const warehouse = openForServing(warehousePath, now());
  const accounts = openAccountFile(options.accountsPath);
  const opened: (() => unknown)[] = [() => warehouse.close(), () => accounts.close()];
  const closeAll = async () => {
    for (const close of opened.reverse()) await close();
  };
  try {
    opened.push(countAlone(accounts, now));
    const meter = mirrorMeter(accounts);
    opened.push(meter.close);
    const updater = await openNameIndexUpdater({ warehousePath, mark: namesMark(warehouse.db), now, failed });
    opened.push(updater.close);
    const catalogue = mirrorCatalogue({
      db: warehouse.db,
      dialect: dialect ?? spoken,
      index: updater.current,
      namesTakeIdentifiers: (dialect?.search.identifier_param ?? null) === null,
      now,
    });
    const app = await buildService({
      catalogue,
      profile,
      accounts: mirrorAccounts(accounts, now),
      meter,
      now,
      failed,
    });
    opened.push(() => app.close());
    const server = boundedServer((request, response) => {
      if (options.beside?.(request, response)) return;
      if (paths !== null) request.url = asTheRegistrySaysIt(request, profile);
      app.routing(request, response);
    });
    const url = await listening(server, options);
    opened.push(() => shut(server));
    return {
      url,
      baseUrl: `${url}/api`,
      paths,
      dialect: spoken,
      companies: () => updater.current().companies,
      find(text, most) {
        const found = catalogue.search({
          by: 'any',
          text,
          names: profile.search.matches,
          identifiers: 'prefix',
        });
        return { total: found.total, ids: found.ids(0, most) };
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

/** A mirror that was never filled is served, too: it is empty. One of an older version is brought up to date. */
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

/** Allowances are counted in one place: a second server over the same accounts is refused. */
function countAlone({ db, path }: AccountFile, now: () => number): () => void {
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const lock = acquireLock(db, { owner, pid: process.pid, host: hostname(), nowMs: now(), isAlive });
  if (!lock.taken)
    throw new FailedError(
      `Process ${lock.holder.pid} on ${lock.holder.host} already serves with the accounts in ${path}.`,
      { hint: 'Stop it first, or use a configuration with another ledger: the accounts stand beside it.' },
    );
  const beat = setInterval(() => heartbeat(db, owner, now()), HEARTBEAT_MS).unref();
  return () => {
    clearInterval(beat);
    releaseLock(db, owner);
  };
}

/** The spec's own paths lead to the registry's, where those differ. */
function asTheRegistrySaysIt({ url = '/' }: IncomingMessage, { paths }: ApiProfile): string {
  const [path = '', ...query] = url.split('?');
  const rest = query.length === 0 ? '' : `?${query.join('?')}`;
  const { search, stats, entity } = defaultProfile.paths;
  if (path === search) return paths.search + rest;
  if (path === stats) return paths.stats + rest;
  const beforeId = entity.replace('{id}', '');
  if (!path.startsWith(beforeId) || path.startsWith(paths.entity.replace('{id}', ''))) return url;
  return paths.entity.replace('{id}', () => path.slice(beforeId.length)) + rest;
}

async function listening(server: ReturnType<typeof boundedServer>, { host, port }: MirrorServiceOptions) {
  try {
    return await listenOn(server, host, port);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FailedError(`The mirror cannot be served on ${host}:${port}: ${why}`, {
      hint: 'Choose another --port, or --port 0 for any free one.',
      cause,
    });
  }
}

const HEARTBEAT_MS = 5_000;
