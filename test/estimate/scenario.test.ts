import { describe, expect, it } from 'vitest';
import { scenariosFor } from '../../src/estimate/scenario.ts';
import { dialectWith, listed, named } from '../support/estimate_knowledge.ts';

const DIALECT = dialectWith({ semantics: 'prefix' });

describe('the scenarios for a registry', () => {
  it('the scenarios differ if there is no evidence', () => {
    const supposed = scenariosFor(named('Acme', 'Alpine'), [listed('name', 'a')], DIALECT, 0);
    expect(new Set(supposed.map(({ ignoresDiacritics: overlooksMarks }) => overlooksMarks)).size).toBe(2);
    expect(new Set(supposed.map(({ otherScripts }) => otherScripts)).size).toBeGreaterThan(1);
    expect(new Set(supposed.map(({ seed }) => seed)).size).toBe(supposed.length);
  });

  it('the scenarios ignore diacritics if a known company proves that the upstream does', () => {
    const supposed = scenariosFor(named('Acme', 'Åsbygg'), [listed('name', 'a')], DIALECT, 0);
    expect(supposed.every(({ ignoresDiacritics: overlooksMarks }) => overlooksMarks)).toBe(true);
  });

  it('the scenarios assume no foreign names if companies were found by identifier', () => {
    const supposed = scenariosFor(named('Acme', 'Alpine'), [listed('identifier', '0')], DIALECT, 0);
    expect(supposed.every((one) => one.otherScripts + one.otherLanguages === 0)).toBe(true);
  });

  it('the scenarios assume few foreign names if searches by letters found no diacritics', () => {
    const others = (names: readonly string[], text: string) => {
      const supposed = scenariosFor(named(...names), [listed('name', text)], DIALECT, 0);
      return Math.max(...supposed.map((one) => one.otherScripts + one.otherLanguages));
    };
    const plain = Array.from({ length: 100 }, (_, at) => `Acme ${at}`);
    const marked = Array.from({ length: 20 }, (_, at) => `Åsbygg ${at}`);
    expect(others(plain, 'a')).toBeLessThan(0.05);
    expect(others([...plain, ...marked], 'a')).toBeGreaterThan(0.2);
    // Companies that a word's search found are not a representative sample of companies without that word.
    expect(others(plain, 'acme')).toBeGreaterThan(0.2);
  });

  it('the scenarios include unreachable companies after many searches without a new company', () => {
    const outOfReach = (inVain: number) =>
      scenariosFor(named('Acme'), [listed('name', 'a')], DIALECT, inVain).filter((one) => one.isOutOfReach);
    expect(outOfReach(5)).toHaveLength(0);
    expect(outOfReach(100)).toHaveLength(1);
  });

  it('the scenarios assume no other identifier forms if identifier prefixes have totals', () => {
    const other = (total: number | null) =>
      scenariosFor(named('Acme'), [listed('identifier', '0', total)], DIALECT, 0).some(
        ({ otherForms }) => otherForms > 0,
      );
    expect(other(null)).toBe(true);
    expect(other(480)).toBe(false);
  });
});
