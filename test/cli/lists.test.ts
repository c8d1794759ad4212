import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type ListSource, readList } from '../../src/cli/backfill/lists.ts';
import { readLines } from '../../src/config/line_list.ts';

const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-lists-'));

const list = (source: Partial<ListSource>, stdin: Readable = Readable.from([])) =>
  readList({ path: '-', column: undefined, ...source }, stdin);

async function fromFile(name: string, content: string | Buffer, column?: string) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return list({ path, column });
}

const LATIN1 = Buffer.from('Ærlig AS', 'latin1');
const HOSTILE = ["'; DROP TABLE entity;--", '../../etc/passwd', '__proto__', '%2F', '=1+1', 'a\u0000b'];

it.each<[string, string, string | Buffer, string[]]>([
  ['comments, and names that begin with #', 'c.txt', '# mine\n#\n0001\n#1 Motors\n', ['0001', '#1 Motors']],
  [
    'names with commas',
    'n.txt',
    'Smith, Jones\n"Acme ""The Best"" Ltd"\n',
    ['Smith, Jones', 'Acme "The Best" Ltd'],
  ],
  ['a common header in a single column', 'h.csv', 'company_number\n0001\n', ['0001']],
  ['no header in a single column', 'b.csv', '0001\n0002\n', ['0001', '0002']],
  ['UTF-16 with a byte order mark', 'u.txt', Buffer.from('\ufeffÆrlig AS\r\n', 'utf16le'), ['Ærlig AS']],
  ['hostile values, which stay unchanged', 'hostile.txt', HOSTILE.join('\n'), HOSTILE],
])('a list can have %s', async (_, name, content, values) => {
  expect((await fromFile(name, content)).values).toEqual(values);
});

it('a list can have any line endings, a byte order mark, blank lines, comments or duplicates', async () => {
  expect(await fromFile('ids.txt', '\ufeff0001\r\n 0002 \r\n\r\n0001\r\n"0003"\r\n# a\n0004')).toEqual({
    values: ['0001', '0002', '0003', '0004'],
    blanks: 1,
    comments: 1,
    duplicates: 1,
    from: 'ids.txt',
  });
});

it.each([
  ['commas', 'name,Company Number,town\n"Smith, J",0042,Peel\n"line\nbreak",0043,Peel\n'],
  ['semicolons', 'name;Company Number;town\r\nA, B and C;0042;Peel\r\nD;0043;\r\n'],
  ['tabs', 'name\tCompany Number\ttown\nA\t0042\tPeel\nD\t"0043"\t\n'],
  ['commas, with formulas that keep zeros', 'name,Company Number\nA,"=""0042"""\nD,="0043"\n'],
  ['commas, below a comment', '# mine\nname,Company Number\nA,0042\nD,0043\n'],
])('a list can be any column of a CSV file separated by %s', async (_, text) => {
  expect((await fromFile('c.csv', text, 'company number')).values).toEqual(['0042', '0043']);
  expect((await fromFile('c.csv', text, '2')).values).toEqual(['0042', '0043']);
});

it('a list can come from standard input', async () => {
  const stdin = Readable.from(['00', '01\n', '0002\n']);
  expect(await list({}, stdin)).toMatchObject({ values: ['0001', '0002'], from: 'standard input' });
});

it.each<[string, () => Promise<unknown>, object]>([
  ['not UTF-8', () => fromFile('l.txt', LATIN1), /is not UTF-8 text/],
  ['empty', () => fromFile('empty.txt', '\n \n'), /empty.txt contains no value/],
  ['missing', () => list({ path: join(folder, 'none') }), /does not exist/],
  ['without the column', () => fromFile('c.csv', 'name,id\nA,1\n', 'number'), /c.csv has no column number/],
  ['with several columns', () => fromFile('c.csv', 'name,id\nA,1\n'), /c.csv has 2 columns/],
  [
    'without a closing quote',
    () => fromFile('c.csv', 'name,id\n"A,1\nB,2\n', 'id'),
    /^c.csv cannot be read as CSV: Quote Not Closed/,
  ],
])('a list from a file that is %s is rejected', async (_, read, message) => {
  await expect(read()).rejects.toThrow(message as RegExp);
});

it('a list in the configuration is read in the same way', () => {
  const lines = (bytes: Buffer) => {
    writeFileSync(join(folder, 'scope.txt'), bytes);
    return readLines(join(folder, 'scope.txt'));
  };
  expect(lines(Buffer.from('\ufeffA\r\n# b\r\n C ', 'utf16le'))).toEqual(['A', 'C']);
  expect(lines(Buffer.from('A\rB'))).toEqual(['A', 'B']);
  expect(() => lines(LATIN1)).toThrow(/is not UTF-8 text/);
});

it('the error about several columns lists them', async () => {
  const hint = 'Select one: --column NAME (name, id).';
  await expect(fromFile('c.csv', 'name,id\nA,1\n')).rejects.toMatchObject({ hint });
});
