import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { generateRegistry } from '../../data/generate.ts';
import { COMMAND_NAMES } from '../../src/cli/commands.ts';
import { openProgram } from '../../src/cli/main.ts';
import type { ConfigInput } from '../../src/config/config.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { commandsOf } from '../docs/commands_page.ts';
import { faulty } from '../support/faults.ts';
import { atTerminal, type Terminal } from '../support/terminal.ts';

// The ledger compares the clock with the machine's uptime, so the uptime follows the fake clock.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => Date.now() / 1000,
}));

const NOW = Date.UTC(2027, 2, 10, 12, 0);
const DAY_MS = 86_400_000;
const COMPANIES = [...generateRegistry({ companies: 300, seed: 4 })];
const [CHANGED] = COMPANIES;

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  vi.stubEnv('TZ', 'UTC');
  // The path has a constant length, so that line breaks are the same on every machine.
  folder = mkdtempSync('/tmp/registry-mirror-');
  sandbox = await startSandbox({
    companies: COMPANIES,
    profile: { dialect: { search: { matches: 'prefix', identifiers: 'none' } } },
    now: () => Date.now(),
    faults: faulty(({ url }) => (url.endsWith(`/${COMPANIES[1]?.id}`) ? { kind: 'not_json' } : null)),
  });
  writeLists();
  await fillMirror();
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const AT = (file: string) => join(folder, file);
const SHOWN: readonly (readonly [string, () => string[]])[] = [
  ['status', () => ['status']],
  ['plan-explain', () => ['plan', '--explain', '3']],
  ['plan-watchlist', () => ['plan', '--config', AT('watching.yaml')]],
  ['sync-dry-run', () => ['sync', '--dry-run', '--max-calls', '50']],
  ['backfill-dry-run', () => ['backfill', '--names', AT('names.txt'), '--dry-run']],
  ['watchlist', () => ['watchlist', '--config', AT('watching.yaml')]],
  ['history', () => ['history', String(CHANGED?.id)]],
  ['quarantine-list', () => ['quarantine', 'list']],
  ['quarantine-show', () => ['quarantine', 'show', '1']],
  ['config-validate', () => ['config', 'validate']],
  ['config-invalid', () => ['config', 'validate', '--config', AT('wrong.yaml')]],
  ['doctor', () => ['doctor']],
];

describe("a command's output", () => {
  it.each(SHOWN)(
    "a command's output fits 60 and 160 columns, and is JSON with --json: %s",
    async (name, args) => {
      const narrow = await shown(args(), { columns: 60, noColor: '1' });
      const wide = await shown(args(), { columns: 160, noColor: '1' });
      const json = await shown([...args(), '--json'], { columns: null });
      // Without a terminal, the text is the same, and no line is broken or truncated.
      const piped = await shown(args(), { columns: null });
      expect(steady(piped).split(/\s+/).slice(0, 5)).toEqual(steady(wide).split(/\s+/).slice(0, 5));
      expect(tooWide(narrow, 60)).toEqual([]);
      expect(tooWide(wide, 160)).toEqual([]);
      // NO_COLOR removes only the colours.
      const coloured = await shown(args(), { columns: 160 });
      expect(steady(stripVTControlCharacters(coloured))).toBe(steady(wide));
      expect(wide).toBe(stripVTControlCharacters(wide));
      const text = [section('text', wide), section('--json', indented(json))];
      await expect(`${text.map(steady).join('\n')}`).toMatchFileSnapshot(`snapshots/${name}.txt`);
    },
  );

  it.each([60, 160])('each help text fits into %i columns', async (columns) => {
    const names = [...commandsOf(await openProgram(COMMAND_NAMES))].map(({ name }) => name);
    for (const name of ['', ...names]) {
      const args = [...name.split(' ').filter((word) => word !== ''), '--help'];
      expect(tooWide(await shown(args, { columns }), columns)).toEqual([]);
    }
  });
});

function section(title: string, text: string): string {
  return `──── ${title} ────\n${text}`;
}

function indented(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}

/** Returns the lines that are too wide, unless one long word causes this, or the line is a command. */
function tooWide(text: string, columns: number): string[] {
  return text
    .split('\n')
    .filter((line) => stringWidth(line) > columns && !/^ *\$ /.test(line))
    .filter((line) => Math.max(...line.split(' ').map((word) => stringWidth(word))) < columns / 2);
}

/** Replaces values that differ between runs or machines with text of the same length. */
function steady(text: string): string {
  const kept: string[] = [];
  let isMachine = false;
  for (const line of text.split('\n')) {
    if (/^\w/.test(line) || line === '') isMachine = MACHINE.test(line);
    if (!isMachine) kept.push(line);
  }
  return kept
    .join('\n')
    .replaceAll(folder, folder.replace(/.{6}$/, '######'))
    .replaceAll(new URL(sandbox.baseUrl).port, '#####')
    .replace(/ *\{\s*"check": "(?:runtime|SQLite|disk|warehouse|Redis)"[^}]*\},?\n/g, '')
    .replace(/[0-9a-f]{12,}/g, (hex) => '#'.repeat(hex.length))
    .replace(/(?<=in )\d+ ms/g, '# ms')
    .replace(/\d+(\.\d)? [kM]B/g, '## kB')
    .replace(/(?<="space": )\{[^}]*\}/, '{}')
    .replace(/(?<="(?:wal_)?bytes": )\d+/g, '#')
    .replace(/(?<="schema_version": ")\d+/, '#');
}

// Removes doctor's findings about this machine, along with their continuation lines.
const MACHINE = /^\w+ +(?:runtime|SQLite|disk|warehouse|Redis):/;

/**
 * Runs a command on a terminal with `columns` columns, or without a terminal if `columns` is null. Returns everything
 * that it prints.
 */
async function shown(args: readonly string[], terminal: Terminal): Promise<string> {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW });
  return await textAt(withConfig(args), terminal);
}

async function textAt(args: readonly string[], terminal: Terminal): Promise<string> {
  try {
    return (await atTerminal(args, terminal)).text;
  } finally {
    vi.useRealTimers();
  }
}

function withConfig(args: readonly string[]): string[] {
  const needsNone = args.includes('--config') || args.includes('--help');
  return needsNone ? [...args] : [...args, '--config', AT('registry-mirror.yaml')];
}

function writeLists(): void {
  const names = COMPANIES.slice(20, 24).map(({ name }) => name);
  writeFileSync(AT('names.txt'), [...names, 'Nobody Ever Registered This GmbH'].join('\n'));
  writeFileSync(
    AT('ids.txt'),
    COMPANIES.slice(0, 3)
      .map(({ id }) => id)
      .join('\n'),
  );
  configure('filling.yaml', { allowance: { per_minute: 'unlimited', per_day: 100 } });
  configure('registry-mirror.yaml', {});
  configure('watching.yaml', { scope: { names: AT('names.txt') } });
  configure('wrong.yaml', { focus: 'coverag', allowance: {} } as unknown as ConfigInput);
}

function configure(name: string, overrides: Partial<ConfigInput>): void {
  const config: ConfigInput = {
    version: 1,
    source: { name: 'Companies of the Isle' },
    upstream: { base_url: sandbox.baseUrl, api_key: sandbox.keyOf('main'), concurrency: 1 },
    account: { tier: 'free' },
    allowance: { per_minute: 10, per_day: 100, day_starts: '00:00 UTC' },
    dialect: sandbox.dialect,
    warehouse: AT('warehouse.db'),
    ledger: AT('ledger.db'),
    ...overrides,
  };
  writeFileSync(AT(name), stringify(config), { mode: 0o600 });
}

/**
 * Makes runs on three days. They list part of the registry, fetch one record twice, and receive one response with
 * invalid JSON.
 */
async function fillMirror(): Promise<void> {
  const on = async (daysAgo: number, ...args: string[]) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW - daysAgo * DAY_MS });
    await textAt([...args, '--config', AT('filling.yaml')], { columns: 100 });
  };
  await on(9, 'sync', '--max-calls', '12');
  await on(6, 'backfill', '--ids', AT('ids.txt'), '--max-calls', '3');
  if (CHANGED !== undefined)
    sandbox.companies.put({ ...CHANGED, fields: { ...CHANGED.fields, town: 'Laxey', status: 'Dissolved' } });
  await on(2, 'backfill', '--ids', AT('ids.txt'), '--again', '--max-calls', '3');
}
