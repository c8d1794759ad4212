import { describe, expect, it } from 'vitest';
import { anatomyOf, comparable, similarity } from '../../src/names/similarity.ts';

describe('comparing two names', () => {
  it.each([
    ['ACME LIMITED', 'Acme  Limited '],
    ['Smith & Co. Ltd.', 'smith & co ltd'],
    ['O’Brien’s Bar', "O'Brien's Bar"],
    ['ＡＢＣ株式会社', 'ABC株式会社'],
    ['Straße GmbH', 'STRAßE GMBH'],
    ['Müller AG', 'Mu\u0308ller AG'],
    ['Smith, Jones Ltd', 'Smith Jones Ltd'],
    ['Alpha–Beta', 'Alpha-Beta'],
  ])('two names are the same: %s and %s', (a, b) => {
    expect(comparable(a)).toBe(comparable(b));
    expect(alike(a, b)).toBe(1);
  });

  it.each([
    ['C & A Ltd', 'C A Ltd'],
    ['C++ Ltd', 'C Ltd'],
    ['Acme Ltd', 'Acme Limited'],
    ['Acme Ltd', 'Acme PLC'],
    ['Muller AG', 'Müller AG'],
    ['Quinneys', "Quinney's"],
    ['ALPHA 1 LTD', 'ALPHA 2 LTD'],
    ['№ 7 Ltd', 'No. 8 Ltd'],
  ])('two names are not the same: %s and %s', (a, b) => {
    expect(comparable(a)).not.toBe(comparable(b));
    expect(alike(a, b)).toBeLessThan(1);
  });
});

describe('a score', () => {
  it('another spelling of the legal form scores highest, then another legal form, a misspelling and another name', () => {
    const scores = [
      'Laxey Glen Mills Limited',
      'Laxey Glen Mills PLC',
      'Laxy Glen Mills Ltd',
      'Ramsey Bakery Ltd',
    ].map((name) => alike('Laxey Glen Mills Ltd', name));
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]).toBe(0.99);
    expect(scores[2]).toBeGreaterThan(0.85);
    expect(scores[3]).toBeLessThan(0.5);
  });

  it('a score ignores a legal form before the name, unless the name consists only of that form', () => {
    expect(alike('株式会社東京商事', '東京商事株式会社')).toBe(0.99);
    expect(alike('Limited', 'Ltd')).toBeLessThan(0.5);
  });
});

function alike(a: string, b: string): number {
  return similarity(anatomyOf(a), anatomyOf(b));
}
