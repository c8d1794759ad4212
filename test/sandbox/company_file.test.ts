import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { readCompanies, sampleCompanies } from '../../src/sandbox/company_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'company-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test("a CSV file's id and name columns are recognised, and its other columns become fields", async () => {
  const path = file('a.csv', '\uFEFFName,ID,Status\n"Smith, ""Jr"" & Co",007,Live\n株式会社,A1,\n');
  expect(await Array.fromAsync(readCompanies(path))).toEqual([
    { id: '007', name: 'Smith, "Jr" & Co', fields: { Status: 'Live' } },
    { id: 'A1', name: '株式会社', fields: { Status: '' } },
  ]);
});

test('nested values and exact numbers are read from JSON Lines', async () => {
  const path = file(
    'd.jsonl',
    '{"id":9007199254740993,"name":"Big","shares":0.12345678901234567891}\n\n{"id":"__proto__","name":"P","__proto__":{"a":1}}\n',
  );
  const [big, odd] = await Array.fromAsync(readCompanies(path));
  expect(big?.id).toBe('9007199254740993');
  expect(big?.fields.shares).toEqual({ digits: '0.12345678901234567891' });
  expect(odd?.id).toBe('__proto__');
  expect(Object.getOwnPropertyDescriptor(odd?.fields, '__proto__')?.value).toEqual({ a: 1 });
});

test.each<[string, string, RegExp, object]>([
  ['no-id.csv', 'a,b\n1,2\n', /needs --id-column, because no column has a usual name/, {}],
  ['column.csv', 'id,name\n1,2\n', /no column "nr"/, { idColumn: 'nr' }],
  ['where.csv', 'id,name\n1,2\n', /no column "kind"/, { where: { column: 'kind', value: 'x' } }],
  ['empty.csv', '', /no company/, {}],
  ['nothing.csv', 'id,name,kind\n1,2,b\n', /matches --where/, { where: { column: 'kind', value: 'x' } }],
  ['broken.csv', 'id,name\n1,"open\n', /cannot be read as CSV/, {}],
  ['broken.jsonl', '{"id":1,', /cannot be read as JSON Lines/, {}],
  ['list.jsonl', '[1]\n', /line 1: not a JSON object/, {}],
])('%s is rejected with a reason', async (name, content, message, options) => {
  const reading = Array.fromAsync(readCompanies(file(name, content), options));
  await expect(reading).rejects.toThrow(UsageError);
  await expect(reading).rejects.toThrow(message);
});

test('the package includes the sample registry', async () => {
  expect(await Array.fromAsync(sampleCompanies())).toHaveLength(4_000);
});
