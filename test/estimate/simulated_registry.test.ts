import { describe, expect, it } from 'vitest';
import type { SearchQuery } from '../../src/call.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import type { Scenario } from '../../src/estimate/scenario.ts';
import { simulatedRegistry } from '../../src/estimate/simulated_registry.ts';
import { dialectWith, FAMILIAR, named } from '../support/estimate_knowledge.ts';

const COMPANIES = named('Acme Limited', 'Åsbygg AS', 'Asia Foods', '0000 Coffee', 'Baker & Acme');

describe('a simulated registry', () => {
  it("a simulated registry finds names by its dialect's query rule", () => {
    expect(found('acme', dialectWith({ semantics: 'prefix' }))).toEqual(['Acme Limited']);
    expect(found('acme', dialectWith({ semantics: 'token' }))).toEqual(['Acme Limited', 'Baker & Acme']);
    expect(found('acm', dialectWith({ semantics: 'token' }))).toEqual([]);
    expect(found('oo', dialectWith({ semantics: 'substring' }))).toEqual(['Asia Foods']);
  });

  it('a simulated registry ignores diacritics if the scenario assumes it', () => {
    const dialect = dialectWith({ semantics: 'prefix' });
    expect(found('as', dialect)).toEqual(['Asia Foods']);
    expect(found('as', dialect, { ignoresDiacritics: true })).toEqual(['Asia Foods', 'Åsbygg AS']);
  });

  it('a simulated registry finds names and identifiers if one parameter searches both', () => {
    const dialect = dialectWith({ semantics: 'prefix', identifiers: 'prefix' });
    expect(found('0000', withParameter(dialect, null))).toHaveLength(COMPANIES.length);
    expect(found('0000', withParameter(dialect, 'id'))).toEqual(['0000 Coffee']);
  });

  it('a simulated registry finds identifiers if the dialect or the scenario defines it', () => {
    const finds = (identifiers: 'prefix' | 'none' | 'unknown', searchesIdentifiers: boolean) => {
      const { search, ...others } = dialectWith({ semantics: 'prefix' });
      const dialect = { ...others, search: { ...search, identifiers, identifier_param: 'id' } };
      const query = { by: 'identifier', text: '0000' } as const;
      return found(query, dialect, { searchesIdentifiers }).length > 0;
    };
    expect([finds('prefix', false), finds('none', true)]).toEqual([true, false]);
    expect([finds('unknown', true), finds('unknown', false)]).toEqual([true, false]);
  });

  it.each(['prefix', 'token', 'token_prefix', 'substring'] as const)(
    'a simulated registry lists every company for the empty query if the dialect permits it: %s',
    (semantics) => {
      const dialect = dialectWith({ semantics, identifiers: 'prefix', minLength: 0, pageSize: 3 });
      const shown = [0, 1].flatMap((page) => found('', dialect, { ranksByQuery: true }, page));
      expect(shown.sort()).toEqual(COMPANIES.map(({ name }) => name).sort());
      expect(found('', dialectWith({ semantics }))).toEqual([]);
    },
  );

  it('a simulated registry shows every company once, page by page, up to the cap', () => {
    const dialect = dialectWith({ semantics: 'substring', pageSize: 2, window: 3 });
    const shown = [0, 1].flatMap((page) => found('a', dialect, { ranksByQuery: true }, page));
    expect(new Set(shown).size).toBe(3);
    expect(shown).toHaveLength(3);
  });
});

function found(
  text: string | SearchQuery,
  dialect: Dialect,
  supposed: Partial<Scenario> = {},
  page = 0,
): string[] {
  const query = typeof text === 'string' ? ({ by: 'name', text } as const) : text;
  const registry = simulatedRegistry(COMPANIES, dialect, { ...FAMILIAR, ...supposed }, 0);
  const { rows } = registry.search(
    {
      ...{ kind: 'search', query, reason: 'new query', expected: 1 },
      page: { index: page, next: null },
    },
    undefined,
    () => false,
  );
  return rows.map(({ name }) => name ?? '').sort();
}

function withParameter(dialect: Dialect, parameter: string | null): Dialect {
  return { ...dialect, search: { ...dialect.search, identifier_param: parameter } };
}
