import { describe, expect, it } from 'vitest';
import { fitted, wrappedText } from '../../src/cli/text_layout.ts';
import { printable } from '../../src/printable.ts';

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
