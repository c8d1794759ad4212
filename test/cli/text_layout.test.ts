import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { fitted, tableLines, wrappedText } from '../../src/cli/text_layout.ts';
import { printable } from '../../src/printable.ts';

const columns = [
  { header: 'id', cell: ([id]: string[]) => id ?? '' },
  { header: 'name', shrinks: true, cell: ([, name]: string[]) => name ?? '' },
  { header: 'why', shrinks: true, optional: true, cell: ([, , why]: string[]) => why ?? '' },
  { header: 'calls', align: 'right', cell: (row: string[]) => row[3] ?? '' },
] as const;
const rows = [
  ['0042', 'Ærlig Håndverk og Sønner AS', 'record is due again', '12'],
  ['株式1', '株式会社日本橋商事ホールディングス', 'summary changed since the record was fetched', '3'],
];

describe('printing a table', () => {
  it.each([160, 80, 60, 40, 30])('a table is never wider than %i columns, and aligns its cells', (width) => {
    const lines = tableLines(columns, rows, width);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
  });

  it('a table truncates its widest column first, then removes optional columns', () => {
    expect(tableLines(columns, rows, 60)[1]).toBe(
      '0042   Ærlig Håndverk og Søn…  record is due again        12',
    );
    expect(tableLines(columns, rows, 26)[0]).toBe('id     name          calls');
  });

  it('a table replaces control and direction characters', () => {
    const column = { header: 'name', cell: (name: string) => name };
    expect(tableLines([column], ['\u001b[31mred\u202egnp.exe\nX'], 80)[1]).toBe('�[31mred�gnp.exe�X');
  });
});

describe('text', () => {
  it('printed text keeps the joiners that some scripts need', () => {
    expect(printable('شرکت\u200cها 👩‍👩‍👧')).toBe('شرکت\u200cها 👩‍👩‍👧');
  });

  it('printed text is truncated between grapheme clusters', () => {
    expect(fitted('👩‍👩‍👧 family', 4)).toBe('👩‍👩‍👧 …');
    expect(fitted('abc', 3)).toBe('abc');
  });

  it('printed text is wrapped at spaces', () => {
    expect(wrappedText('  one two three four', 11)).toBe('  one two\n    three\n    four');
    expect(wrappedText('one two three four', 10)).toBe('one two\nthree four');
    expect(wrappedText('  label  one two three', 20)).toBe('  label  one two\n         three');
    expect(wrappedText('  $ one two three', 10)).toBe('  $ one two three');
  });
});
