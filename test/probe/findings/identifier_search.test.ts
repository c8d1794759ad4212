import { expect, it } from 'vitest';
import { findIdentifiers } from '../../../src/probe/findings/identifier_search.ts';
import { searchPage } from '../../support/probe_exchanges.ts';

const ACME = { id: '40001', name: 'Acme Limited' };
const BAKER = { id: '40002', name: 'Baker Limited' };

it('a complete identifier that finds its company leaves open whether prefixes find identifiers', () => {
  expect(identifiersIn([['40001', [ACME]]])).toEqual({ param: 'sure', rule: 'unknown', certainty: 'open' });
});

it('a prefix shows whether identifiers are searched by prefix', () => {
  const complete = ['40001', [ACME]] as const;
  expect(identifiersIn([complete, ['4000', [ACME, BAKER]]])).toMatchObject({
    rule: 'prefix',
    certainty: 'sure',
  });
  expect(identifiersIn([complete, ['4000', []]])).toMatchObject({ rule: 'exact', certainty: 'sure' });
});

function identifiersIn(searches: readonly (readonly [query: string, found: readonly (typeof ACME)[]])[]) {
  const { param, matches } = findIdentifiers({
    ...{ pages: searches.map(([query, found]) => searchPage(query, found)), refused: [] },
    ...{ ids: [ACME.id, BAKER.id], queryParam: 'q', isWhole: () => true, isStrict: false },
  });
  return { param: param.certainty, rule: matches.value, certainty: matches.certainty };
}
