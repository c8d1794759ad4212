import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { ConfigInput } from '../../src/config/config.ts';
import type { Mirrored } from './served_mirror.ts';

/** The key in the configuration of `serve`, which sends no call. */
export const PAGE_KEY = 'none';

const root = resolve(import.meta.dirname, '../..');

/** `serve` in a separate process. */
export interface ServedPage {
  /** The page's scheme, host and port. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts `serve` for a mirror. Other processes can write to the mirror while `serve` runs. */
export function servePage(
  { config, folder, sandbox }: Mirrored,
  {
    allowance = { per_minute: 1_000, total: 5_000, per_day: 1_000 },
    account = { tier: 'paid' },
    hasDialect = true,
  }: Partial<Pick<ConfigInput, 'allowance' | 'account'>> & { readonly hasDialect?: boolean } = {},
): Promise<ServedPage> {
  const { source, warehouse, ledger, dialect, schedule } = config;
  return startServe(folder, {
    source: { name: source.name, url: source.url },
    upstream: { base_url: sandbox.baseUrl, api_key: PAGE_KEY },
    account,
    allowance,
    schedule: { timezone: schedule.timezone },
    notify: [{ name: 'ops', command: ['/bin/true'] }],
    warehouse,
    ledger,
    ...(dialect === undefined || !hasDialect ? {} : { dialect }),
  });
}

/** Starts `serve` for an empty mirror. */
export async function serveEmptyPage(): Promise<ServedPage> {
  const folder = mkdtempSync(join(tmpdir(), 'page-empty-'));
  const served = await startServe(folder, {
    source: { name: 'Registry of Nowhere' },
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'none' },
    account: { tier: 'free' },
    allowance: { total: 2_000 },
    warehouse: join(folder, 'warehouse.db'),
    ledger: join(folder, 'ledger.db'),
  });
  return {
    url: served.url,
    async close() {
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startServe(folder: string, configuration: Partial<ConfigInput>): Promise<ServedPage> {
  const configPath = join(folder, 'page.yaml');
  writeFileSync(configPath, stringify({ version: 1, ...configuration }));
  const args = ['src/cli/bin.js', 'serve', '--port', '0', '--json', '--config', configPath];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const { ok, data, error } = JSON.parse(await firstLine(child));
  if (!ok) throw new Error(`serve failed to start: ${error.message}`);
  return {
    url: data.url,
    async close() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.slice(0, text.indexOf('\n'));
}
