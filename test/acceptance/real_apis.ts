// npm run accept real-apis [-- --only NAME,NAME] [-- --by hand,hints,nothing]
// Mirrors stand-ins for public APIs: with a dialect written by hand, after `probe` with the hints of a user (paths and
// key header), and after `probe` without hints. Prints whether each mirror is whole, how many names are right, and
// whether a wrong mirror is healthy. Fails if a healthy mirror has wrong names or overstates its share, or if a dialect
// by hand gives wrong names.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import Sqlite from 'better-sqlite3';
import { stringify } from 'yaml';
import type { ConfigInput } from '../../src/config/config.ts';
import { type Finished, startCommand } from '../support/command.ts';
import { BY_HAND } from './real_api_dialects.ts';
import { STAND_INS } from './real_apis/index.ts';
import type { Entity, Hints } from './real_apis/server.ts';

const MODES = ['hand', 'hints', 'nothing'] as const;
type Mode = (typeof MODES)[number];

const { values } = parseArgs({
  options: { only: { type: 'string' }, by: { type: 'string', default: MODES.join(',') } },
});
/** Stand-ins beside the project, if there are any. Each is a program that prints its address. */
const OUTSIDE = resolve(import.meta.dirname, '../../../shared/real-apis');
const KEY = 'stand-in-key';

interface Served {
  readonly baseUrl: string;
  readonly key: string;
  readonly hints: Partial<Hints>;
  entities(): Promise<readonly Entity[]>;
  close(): Promise<void> | void;
}

interface Api {
  readonly name: string;
  start(): Promise<Served>;
}

const outside = existsSync(OUTSIDE)
  ? readdirSync(OUTSIDE).filter((file) => file.endsWith('.mjs') && file !== 'lib.mjs')
  : [];
const apis: Api[] = [
  ...outside.map((file) => ({
    name: file.replace('.mjs', ''),
    start: () => startOutside(join(OUTSIDE, file)),
  })),
  ...STAND_INS.map(({ name, start }) => ({
    name,
    start: async (): Promise<Served> => {
      const { baseUrl, hints, entities, close } = await start({ key: KEY });
      return { baseUrl, hints, key: KEY, entities: async () => entities, close };
    },
  })),
];
const only = values.only?.split(',');
const modes = MODES.filter((mode) => values.by.split(',').includes(mode));
let failures = 0;
print([
  'api',
  'by',
  'probe',
  'sync',
  'known',
  'names',
  'sure',
  'likely',
  'open',
  'ended',
  'health',
  'result',
]);
for (const { name, start } of apis.filter((api) => only?.includes(api.name) ?? true))
  for (const mode of modes) {
    if (mode === 'hand' && BY_HAND[name] === undefined) continue;
    const served = await start();
    try {
      await mirror(name, mode, served);
    } finally {
      await served.close();
    }
  }
process.exitCode = failures === 0 ? 0 : 1;

async function mirror(name: string, mode: Mode, served: Served): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'real-api-'));
  try {
    const config = join(folder, 'registry-mirror.yaml');
    writeFileSync(config, stringify(configuration(name, mode, served)));
    const probe = mode === 'hand' ? null : await command('probe', config);
    const sync = await command('sync', config);
    const status = await command('status', config);
    const truth = new Map((await served.entities()).map((entity) => [entity.id, entity.name]));
    const known = knownNames(join(folder, 'warehouse.db'));
    const listed = [...truth.keys()].filter((id) => known.has(id)).length;
    const right = [...truth].filter(([id, text]) => sameText(known.get(id) ?? null, text)).length;
    const isWhole = listed === truth.size && right === truth.size && known.size === truth.size;
    const { health = null, coverage = null, completion = null } = status.json?.data ?? {};
    // A mirror may lack companies that no search finds, if it does not claim to be complete.
    const wrongNames = [...known].filter(([id, text]) => !sameText(text, truth.get(id) ?? ''));
    const isOverstated =
      (coverage?.estimate?.low ?? 0) > listed / truth.size || completion?.is === 'complete';
    const isHealthy = sync.code === 0 && health?.state === 'healthy';
    const isSilent = isHealthy && (wrongNames.length > 0 || (!isWhole && isOverstated));
    const isWrongByHand = mode === 'hand' && (wrongNames.length > 0 || sync.json?.data?.ended !== 'done');
    if (isSilent || isWrongByHand) failures += 1;
    const count = (certainty: string) => findings(probe).filter((one) => one.certainty === certainty).length;
    print([
      name,
      mode,
      probe?.json?.data?.run?.calls_spent ?? probe?.json?.data?.calls_spent ?? '-',
      sync.json?.data?.calls_spent ?? '-',
      `${listed}/${truth.size}`,
      `${right}/${truth.size}`,
      ...(probe === null ? ['-', '-', '-'] : [count('sure'), count('likely'), count('open')]),
      sync.json?.data?.ended ?? '-',
      health?.state ?? '-',
      isSilent ? 'SILENTLY WRONG' : isWhole ? 'whole' : `not whole, ${completion?.is ?? 'unknown'}`,
    ]);
    const why = sync.json?.data?.why ?? sync.json?.error?.message;
    if (!isWhole && why) process.stdout.write(`  ${why}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configuration(name: string, mode: Mode, { baseUrl, key, hints }: Served): ConfigInput {
  const byHand = mode === 'hand' ? BY_HAND[name] : undefined;
  const isHinted = mode === 'hints' || (mode === 'nothing' && hints.key_header !== undefined);
  const header = hints.key_header;
  return {
    version: 1,
    upstream: {
      base_url: baseUrl,
      api_key: key,
      // Nothing can be learned without the key, so its header is always given.
      ...(isHinted || byHand !== undefined ? (header === undefined ? {} : { key_header: header }) : {}),
      ...(mode === 'hints' && hints.paths !== undefined ? { paths: hints.paths } : {}),
      ...(byHand === undefined ? {} : { paths: byHand.paths }),
    },
    account: { tier: 'paid' },
    allowance: { per_minute: 'unlimited', unlimited: true },
    ...(byHand === undefined ? {} : { dialect: byHand.dialect }),
    warehouse: 'warehouse.db',
    ledger: 'ledger.db',
  };
}

async function command(name: string, config: string): Promise<Finished> {
  return await startCommand([name, '--json', '--config', config]).finished;
}

function findings(probe: Finished | null): readonly { readonly certainty: string }[] {
  const found = probe?.json?.data?.findings ?? {};
  return Array.isArray(found) ? found : Object.values(found);
}

function knownNames(path: string): Map<string, string | null> {
  if (!existsSync(path)) return new Map();
  const db = new Sqlite(path, { readonly: true });
  try {
    const rows = db.prepare('SELECT entity_id, name FROM entity_overview').all();
    return new Map(
      (rows as { entity_id: string; name: string | null }[]).map((row) => [row.entity_id, row.name]),
    );
  } finally {
    db.close();
  }
}

function sameText(one: string | null, other: string): boolean {
  return one !== null && one.trim() === other.trim();
}

async function startOutside(file: string): Promise<Served> {
  const child = spawn(process.execPath, [file, '--key', KEY], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((done) => child.stdout.once('data', (bytes) => done(String(bytes))));
  const { base, admin, hints } = JSON.parse(line);
  return {
    baseUrl: base,
    key: KEY,
    hints,
    entities: async () => (await (await fetch(`${admin}/entities`)).json()) as Entity[],
    close: () => void child.kill(),
  };
}

function print(cells: readonly (string | number)[]): void {
  const widths = [26, 8, 6, 6, 10, 10, 5, 7, 5, 10, 12, 0];
  const line = cells.map((cell, at) => String(cell).padEnd(widths[at] ?? 0)).join(' ');
  process.stdout.write(`${line.trimEnd()}\n`);
}
