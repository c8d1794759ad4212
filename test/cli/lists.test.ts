import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readList } from '../../src/cli/backfill/lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-lists-'));

describe('reading a list', () => {
  it('a list can have any line endings, a byte order mark, blank lines or duplicates', async () => {
    const list = await fromFile('ids.txt', '\ufeff0001\r\n 0002 \r\n\r\n0001\r\n"0003"\r\n0004');
    expect(list).toEqual({
      values: ['0001', '0002', '0003', '0004'],
      blanks: 1,
      comments: 0,
      duplicates: 1,
      from: 'ids.txt',
    });
  });

  it('a list can contain comments, which are ignored, and names that begin with #', async () => {
    const list = await fromFile('ids.txt', '# suppliers\n#\n0001\n#1 Motors Ltd\n');
    expect(list).toMatchObject({ values: ['0001', '#1 Motors Ltd'], comments: 2 });
  });

  it('a list in a text file can contain names with commas', async () => {
    const list = await fromFile('names.txt', 'Smith, Jones & Co\n"Acme ""The Best"" Ltd"\n');
    expect(list.values).toEqual(['Smith, Jones & Co', 'Acme "The Best" Ltd']);
  });

  it.each([
    ['commas', 'name,Company Number,town\n"Smith, J",0042,Peel\n"line\nbreak",0043,Peel\n'],
    ['semicolons', 'name;Company Number;town\r\nA, B and C;0042;Peel\r\nD;0043;\r\n'],
    ['tabs', 'name\tCompany Number\ttown\nA\t0042\tPeel\nD\t"0043"\t\n'],
  ])('a list can be any column of a CSV file separated by %s', async (_, text) => {
    expect((await fromFile('c.csv', text, 'company number')).values).toEqual(['0042', '0043']);
    expect((await fromFile('c.csv', text, '2')).values).toEqual(['0042', '0043']);
  });

  it('a list from a file with several columns requires --column', async () => {
    await expect(fromFile('c.csv', 'name,id\nA,1\n')).rejects.toMatchObject({
      message: 'c.csv has 2 columns',
      hint: 'Select one: --column NAME (name, id).',
    });
    await expect(fromFile('c.csv', 'name,id\nA,1\n', 'number')).rejects.toThrow('c.csv has no column number');
  });

  it('a list with a single column loses its first line only if that line is a common header', async () => {
    expect((await fromFile('a.csv', 'company_number\n0001\n')).values).toEqual(['0001']);
    expect((await fromFile('b.csv', '0001\n0002\n')).values).toEqual(['0001', '0002']);
  });

  it('a list can come from standard input', async () => {
    const list = await readList({ path: '-', column: undefined }, Readable.from(['00', '01\n', '0002\n']));
    expect(list).toMatchObject({ values: ['0001', '0002'], from: 'standard input' });
  });

  it('a list is read as UTF-16 if it starts with a UTF-16 byte order mark', async () => {
    const path = join(folder, 'utf16.txt');
    writeFileSync(path, Buffer.from('\ufeffÆrlig AS\r\n', 'utf16le'));
    expect((await readList({ path, column: undefined }, Readable.from([]))).values).toEqual(['Ærlig AS']);
  });

  it('a list cannot come from a binary, missing or empty file', async () => {
    const path = join(folder, 'latin1.txt');
    writeFileSync(path, Buffer.from('Ærlig AS', 'latin1'));
    await expect(readList({ path, column: undefined }, Readable.from([]))).rejects.toThrow(
      'is not UTF-8 text',
    );
    await expect(fromFile('empty.txt', '\n \n')).rejects.toThrow('empty.txt contains no value');
    await expect(
      readList({ path: join(folder, 'none'), column: undefined }, Readable.from([])),
    ).rejects.toThrow('cannot be read (ENOENT)');
  });

  it('a list keeps hostile values unchanged', async () => {
    const values = ["'; DROP TABLE entity;--", '../../etc/passwd', '__proto__', '%2F', '=1+1', 'a\u0000b'];
    expect((await fromFile('hostile.txt', values.join('\n'))).values).toEqual(values);
  });
});

async function fromFile(name: string, text: string, column?: string) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return readList({ path, column }, Readable.from([]));
}
