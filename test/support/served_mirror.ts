import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { generateRegistry } from '../../data/generate.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Config, ConfigInput } from '../../src/config/config.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { openWorkspace, type Workspace } from '../../src/operations/assemble.ts';
import { ALL_KINDS, type RunOrder, type RunReport } from '../../src/operations/run.ts';
import { NO_LIMITS, type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type MirrorService, startMirrorService } from '../../src/serve/mirror_service.ts';
import { type AccountLimits, accountsBeside, openAccountFile } from '../../src/warehouse/accounts.ts';
import type { Company } from '../../src/warehouse/sandbox_companies.ts';
import { askWith, type Reply } from './api_client.ts';
import { sandboxConfiguration } from './sandbox_configuration.ts';
import { syncAll } from './sync.ts';

/** A sandbox, its mirror, and a function that serves the mirror. All servers listen on loopback. */
export interface Mirrored {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly config: Config;
  readonly house: Workspace;
  /** Moves the clock forward by `laterMs` and updates the mirror. */
  sync(laterMs?: number, kinds?: RunOrder['kinds']): Promise<RunReport>;
  /** The time on the test's clock, in epoch milliseconds. */
  now(): number;
  /** Writes a configuration for commands that use this mirror, and returns its path. */
  configure(overrides?: Partial<ConfigInput>): string;
  close(): Promise<void>;
}

export interface MirroredOptions extends SandboxOptions {
  readonly configuration?: Partial<ConfigInput>;
}

export async function openMirrored({ configuration, ...options }: MirroredOptions = {}): Promise<Mirrored> {
  let shiftMs = 0;
  const now = () => systemClock.now() + shiftMs;
  // The upstream's clock moves with the mirror's, because a run stops if the two differ.
  const sandbox = await startSandbox({ companies: companies(120), now, ...options });
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  const config = configFrom({
    ...sandboxConfiguration(sandbox, folder),
    source: { name: 'Sandbox registry' },
    ...configuration,
  });
  // The machine's uptime is omitted, so that the ledger does not treat a shift as a clock fault.
  const clock: Clock = { now, sleep: systemClock.sleep };
  const workspace = openWorkspace(config, clock);
  return {
    sandbox,
    folder,
    config,
    house: workspace,
    now: clock.now,
    configure(overrides) {
      const path = join(folder, 'registry-mirror.yaml');
      const { source, warehouse, ledger, dialect } = config;
      const upstream = { base_url: sandbox.baseUrl, api_key: sandbox.keyOf('main') };
      const allowance = { unlimited: true, per_minute: 'unlimited' };
      const files = { source: { name: source.name }, warehouse, ledger, dialect };
      writeFileSync(path, stringify({ version: 1, upstream, allowance, ...files, ...overrides }));
      return path;
    },
    sync(laterMs = 0, kinds = ALL_KINDS) {
      shiftMs += laterMs;
      return syncAll(workspace, { kinds });
    },
    async close() {
      workspace.close();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Synthetic companies. Each call returns the same companies. */
export function companies(count: number): Company[] {
  return [...generateRegistry({ companies: count, seed: 31 })];
}

/** A mirror that is being served. */
export interface Served {
  readonly service: MirrorService;
  /** Errors that the service has reported. */
  readonly failures: readonly Error[];
  /** The key to an account without limits. */
  readonly key: string;
  newKey(account: string, limits?: Partial<AccountLimits>): string;
  ask(path: string, options?: RequestInit & { readonly key?: string }): Promise<Reply>;
  close(): Promise<void>;
}

export async function serve(
  { config, now }: Pick<Mirrored, 'config' | 'now'>,
  options: Partial<Parameters<typeof startMirrorService>[0]> = {},
): Promise<Served> {
  const accountsPath = accountsBeside((options.config ?? config).ledger);
  const failures: Error[] = [];
  const newKey = (account: string, limits: Partial<AccountLimits> = {}) =>
    keyFor(accountsPath, account, limits);
  const key = newKey('main');
  const service = await startMirrorService({
    config,
    host: '127.0.0.1',
    port: 0,
    now,
    failed: (error) => void failures.push(error),
    ...options,
  });
  return {
    service,
    failures,
    key,
    newKey,
    ask: (path, { key: as = key, ...init } = {}) => askWith(as, service.url + path, init),
    close: service.close,
  };
}

/** Creates a key for the account, and the account itself if it does not exist. */
export function keyFor(accountsPath: string, account: string, limits: Partial<AccountLimits> = {}): string {
  const file = openAccountFile(accountsPath);
  try {
    const nowMs = systemClock.now();
    if (file.account(account) === null)
      file.addAccount({ ...NO_LIMITS, ...limits, accountId: account }, nowMs);
    return file.addKey(account, nowMs).key;
  } finally {
    file.close();
  }
}
