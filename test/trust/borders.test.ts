import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { openLogger } from '../../src/cli/log.ts';
import { digestText } from '../../src/notify/digest.ts';
import { printable } from '../../src/printable.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, resultPage, START_MS, temporaryFolder } from '../support/loader.ts';
import { DIALECT } from '../support/loader_dialect.ts';
import { atTerminal } from '../support/terminal.ts';

/** A name that tries to print a line of its own, to control the terminal, and to turn the text around. */
const EVIL =
  'Acme\r\nregistry-mirror: all is well\n\u001b[2J\u001b]0;title\u0007\u009b31m\u001b[31m\u0000\u202eegnahc\u2028Ltd';
/** A name that some spreadsheets run as a command. */
const FORMULA = "=cmd|' /C calc'!A0";
const ID = 'E\u001b[31m1\n2';

/** Every border that text from the upstream crosses as text for a person, with what crosses it. */
const BORDERS = {
  terminal: [
    ['status'],
    ['search', 'acme'],
    ['search', 'acme', '--csv'],
    ['show', ID],
    ['show', ID, '--csv'],
    ['show', 'E'],
    ['history', ID],
    ['history', ID, '--documents'],
    ['watchlist'],
    ['plan', '--explain', '30'],
    ['backfill', '--names', 'names.txt', '--dry-run'],
    ['backfill', '--list'],
    ['quarantine', 'list'],
    ['quarantine', 'show', '1'],
    ['config', 'show'],
    ['doctor'],
    ['forget', ID, '--yes'],
    ['forget', '--list'],
  ],
} as const;

test.each(BORDERS.terminal.map((args) => [args.join(' '), args] as const))(
  'names from the upstream cannot control the terminal: %j',
  async (_, args) => {
    const config = mirrorOfEvil();
    for (const columns of [100, 40, null])
      for (const json of [[], ['--json']]) {
        const given =
          columns !== null && args[0] === 'forget' && args[1] !== '--list' ? args.slice(0, 2) : args;
        const { text } = await atTerminal([...given, ...json, '--config', config], { columns });
        const unsafe = text
          .replaceAll('\r\n', '\n')
          .split('\n')
          .filter((line) => printable(withoutStyles(line)) !== withoutStyles(line));
        const isCsv = args.some((one) => one === '--csv');
        if (columns !== null || !isCsv) expect(unsafe).toEqual([]);
        // A quoted cell in CSV may have several lines.
        if (!isCsv) expect(text).not.toMatch(/^registry-mirror: all/m);
      }
  },
);

test.each([
  [EVIL],
  ['status', '--runs', EVIL],
  ['status', '--config', EVIL],
  ['search', EVIL],
  ['show', EVIL],
  ['forget', EVIL, '--yes'],
  ['forget', '--undo', EVIL],
  ['backfill', '--query', EVIL, '--dry-run'],
  ['backfill', '--query', EVIL, '--max-calls', '0', '--yes'],
  ['backfill', '--ids', EVIL],
  ['quarantine', 'show', EVIL],
  ['keys', 'create', EVIL],
  ['keys', 'revoke', EVIL],
  ['export', '--tables', EVIL],
  ['worker', 'run', EVIL],
  ['backup', `/dev/null/${EVIL}`],
  ['restore', EVIL],
  ['sandbox', '--unlimited', '--shape', EVIL],
])("the user's own arguments cannot control the terminal: %j", async (...args) => {
  // The system accepts no NUL in an argument.
  const given = args.map((one) => one.replace('\0', ''));
  const config = /^(status|sandbox)$/.test(args[0] ?? '') ? [] : ['--config', mirrorOfEvil()];
  const { text } = await atTerminal([...given, ...config], { columns: 100, noColor: '1' });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be printed
  expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(text).toContain('Acme');
});

test.each([
  ['search', 'cmd', '--csv'],
  ['show', ID, '--csv'],
  ['backfill', '--names', 'NAMES', '--max-calls', '0', '--yes', '--report', 'REPORT'],
])('a spreadsheet runs no name in the CSV of %s', async (...args) => {
  const config = mirrorOfEvil(FORMULA);
  const report = join(temporaryFolder(), 'report.csv');
  const names = config.replace('registry-mirror.yaml', 'names.txt');
  const given = args.map((one) => ({ NAMES: names, REPORT: report })[one] ?? one);
  const { text } = await atTerminal([...given, '--config', config], { columns: null });
  const cells = parse(args[0] === 'backfill' ? readFileSync(report) : text).flat();
  expect(cells).toContain(`'${FORMULA}`);
  expect(cells.filter((cell) => /^[=+@-]/.test(cell))).toEqual([]);
});

test('names from the upstream cannot add lines to a mail', () => {
  const company = { entity_id: ID, name: EVIL };
  const { subject, text } = digestText('Registry', {
    counts: { new: 1, changed: 1, gone: 1 },
    new: [company],
    changed: [{ ...company, fields: [{ path: '/n', before: EVIL, after: EVIL, observed_at: '2026-01-01' }] }],
    gone: [{ ...company, gone_at: '2026-01-01' }],
    health: { healthy: false, ended: 'failed', why: EVIL },
  });
  expect(printable(subject)).toBe(subject);
  const lines = text.trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(printable(line)).toBe(line);
});

test.each([
  ['readable lines', true],
  ['JSON lines', false],
])('names from the upstream cannot add lines to the log: %s', (_, isReadable) => {
  const written: string[] = [];
  const stream = new Writable({
    write: (text, _encoding, done) => {
      written.push(String(text));
      done();
    },
  });
  openLogger('info', isReadable, stream).info({ name: EVIL }, EVIL);
  const lines = written.join('').trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  if (isReadable) for (const line of lines) expect(printable(withoutStyles(line))).toBe(withoutStyles(line));
});

test('the names of exported files consist of safe characters', async () => {
  const config = mirrorOfEvil();
  const out = mkdtempSync(join(temporaryFolder(), 'out-'));
  await atTerminal(['export', '--out', out, '--json', '--config', config], { columns: null });
  const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  for (const { name } of files) expect(name).toMatch(/^[a-z0-9_]+\.csv$/);
});

function withoutStyles(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the styles that the program prints
  return line.replace(/\x1b\[(?:1|2|22|3[1-6]|39)m|\x1b\[H|\x1b\[J|\r\x1b\[K|\t/g, '');
}

/** A mirror with a company whose name and id attack every border, and with an unreadable response. */
function mirrorOfEvil(name = EVIL): string {
  const folder = temporaryFolder();
  const warehouse = openWarehouse({ path: join(folder, 'warehouse.db'), nowMs: START_MS });
  const { search, record } = bench({ warehouse });
  search('acme', resultPage({ id: ID, name, [EVIL]: EVIL }, { id: 'E3', name: `${EVIL} 3` }));
  for (const n of [1, 2]) record(ID, { id: ID, name, [`${EVIL}_${n}`]: EVIL, n });
  record('E3', { no: EVIL });
  warehouse.close();
  writeFileSync(join(folder, 'names.txt'), `${name === EVIL ? 'Acme' : name}\n`);
  const config = join(folder, 'registry-mirror.yaml');
  writeFileSync(
    config,
    stringify({
      version: 1,
      scope: { names: 'names.txt' },
      upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'a-key-of-a-test' },
      allowance: { unlimited: true },
      dialect: DIALECT,
      warehouse: 'warehouse.db',
      ledger: 'ledger.db',
    }),
  );
  return config;
}
