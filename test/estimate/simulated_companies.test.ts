import { describe, expect, it } from 'vitest';
import { capacityBeside, ENDLESS_CAPACITY } from '../../src/estimate/query_capacity.ts';
import type { Scenario } from '../../src/estimate/scenario.ts';
import { simulateCompanies } from '../../src/estimate/simulated_companies.ts';
import type { KnownCompany } from '../../src/knowledge.ts';
import { dialectWith, FAMILIAR, listed, named } from '../support/estimate_knowledge.ts';

const KNOWN = named(
  ...['Acme Trading Limited', 'Baker Holdings Limited', 'Acme Shipping Limited', 'Cedar Trading Limited'],
  ...['Delta Consulting Limited', 'Eagle Trading Limited', 'Baker Shipping Limited', 'Falcon Limited'],
);

describe('simulated companies', () => {
  it('the same seed simulates the same companies, and another seed simulates others', () => {
    expect(imagine({})).toEqual(imagine({}));
    expect(imagine({ seed: 2 })).not.toEqual(imagine({}));
  });

  it('as many companies are simulated as are missing, and none of them is known', () => {
    const ids = new Set([...KNOWN, ...imagine({})].map(({ entityId }) => entityId));
    expect(ids.size).toBe(KNOWN.length + 200);
  });

  it('simulated names omit the word by which all known companies were found', () => {
    const names = imagine({}, [listed('name', 'limited')]).map(({ name }) => name.split(' '));
    expect(names.filter((words) => words.includes('limited'))).toEqual([]);
    expect(names.filter((words) => words.includes('trading')).length).toBeGreaterThan(0);
  });

  it('simulated names contain words with a searched letter if its query has further matches', () => {
    const asked = { ...listed('name', 'd'), status: 'capped' as const };
    const dialect = dialectWith({ semantics: 'substring' });
    const simulated = simulateCompanies({
      ...{ known: KNOWN, queries: [asked], dialect, count: 200 },
      ...{ capacity: ENDLESS_CAPACITY, scenario: FAMILIAR },
    });
    expect(simulated.filter(({ name }) => name.includes('limited')).length).toBeGreaterThan(40);
  });

  it('simulated names contain new words with varied first characters', () => {
    const words = imagine({}, []).flatMap(({ name }) => name.split(' '));
    const known = new Set(KNOWN.flatMap(({ name }) => (name ?? '').toLowerCase().split(' ')));
    const coined = words.filter((word) => !known.has(word));
    expect(coined.length).toBeGreaterThan(100);
    expect(coined.filter((word) => word.startsWith('limi')).length).toBeLessThan(coined.length / 5);
  });

  it('simulated names share words even if their language is unknown', () => {
    const strangers = imagine({ otherLanguages: 1 }).map(({ name }) => name.split(' ').at(-1));
    expect(new Set(strangers).size).toBeLessThan(strangers.length / 2);
  });

  it('simulated names use unknown scripts as often as the scenario assumes', () => {
    const others = imagine({ otherScripts: 0.3 }).filter(({ name }) => !/[a-z]/.test(name));
    expect(others.length).toBeGreaterThan(40);
    expect(others.length).toBeLessThan(80);
    // Most names contain a common first character of an unknown script.
    expect(others.filter(({ name }) => /[株有合東соапαακπشم]/.test(name)).length).toBeGreaterThan(20);
  });

  it('simulated identifiers have another form if the known forms are fully counted', () => {
    const queries = [listed('identifier', '0', KNOWN.length)];
    const dialect = dialectWith({ identifiers: 'prefix' });
    const simulated = simulateCompanies({
      ...{ known: KNOWN, queries, dialect, count: 50, scenario: FAMILIAR },
      capacity: capacityBeside(KNOWN, queries, dialect),
    });
    expect(simulated).toHaveLength(50);
    expect(simulated.filter(({ entityId }) => entityId.startsWith('0'))).toEqual([]);
  });

  it('simulated identifiers begin with prefixes that have unknown companies', () => {
    const queries = [
      listed('identifier', '0', KNOWN.length + 30),
      listed('identifier', '00001', KNOWN.length + 10),
      listed('identifier', '000010', KNOWN.length),
    ];
    const dialect = dialectWith({ identifiers: 'prefix' });
    const ids = simulateCompanies({
      ...{ known: KNOWN, queries, dialect, count: 40, scenario: FAMILIAR },
      capacity: capacityBeside(KNOWN, queries, dialect),
    }).map(({ entityId }) => entityId);
    const counted = (text: string) => ids.filter((id) => id.startsWith(text)).length;
    expect([counted('0'), counted('00001'), counted('000010')]).toEqual([30, 10, 0]);
  });

  it('no company is simulated if no company is known', () => {
    expect(imagine({}, [], [])).toEqual([]);
  });
});

function imagine(
  supposed: Partial<Scenario>,
  queries = [listed('name', 'acme')],
  known: readonly KnownCompany[] = KNOWN,
) {
  return simulateCompanies({
    ...{
      known,
      queries,
      dialect: dialectWith({ semantics: 'token' }),
      count: 200,
      capacity: ENDLESS_CAPACITY,
    },
    scenario: { ...FAMILIAR, ...supposed },
  });
}
