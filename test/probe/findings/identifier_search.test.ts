import { expect, it } from 'vitest';
import type { Conclusions, SearchConclusions, SearchPage } from '../../../src/probe/conclusions.ts';
import type { Exchange, Param } from '../../../src/probe/evidence.ts';
import { probeIdentifierParams } from '../../../src/probe/findings/identifier_drafts.ts';
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

it('if several parameters had the identifier that was found, a further search shows which one takes it', () => {
  const both = pageFor(
    [
      ['identifier', '40001'],
      ['number', '40001'],
      ['lei', '40002'],
    ],
    [ACME],
  );
  expect(findIn([both])).toMatchObject({
    param: { value: null, certainty: 'open' },
    possible: ['identifier', 'number'],
  });
  const first = pageFor([['identifier', '40001']], []);
  expect(findIn([both, first])).toMatchObject({ param: { value: 'number', certainty: 'sure' } });
  const { exchange } = first;
  expect(findIn([both], [{ ...exchange, reading: 'refused' }])).toMatchObject({ possible: ['number'] });
});

it('several parameters get the same identifier if fewer identifiers than parameters are known', () => {
  const evidence = { possible: [], param: { certainty: 'open' } };
  const [draft, next] = [evidence, { ...evidence, possible: ['identifier', 'number', 'code'] }].map(
    (identifiers) =>
      probeIdentifierParams(
        { query: { searches: [LENIENT] }, queryParam: { value: 'q' } } as unknown as Conclusions,
        { known: [ACME, BAKER], idPath: '/id', identifiers } as unknown as SearchConclusions,
      ),
  );
  expect(draft?.params.slice(0, 3)).toEqual([
    ['id', '40001'],
    ['identifier', '40002'],
    ['number', '40001'],
  ]);
  expect(next?.params).toEqual([
    ['identifier', '40001'],
    ['number', '40002'],
  ]);
});

/** A successful search with many parameters, which shows that the upstream ignores unknown ones. */
const LENIENT: Exchange = pageFor(
  ['q', 'name', 'text', 'term'].map((name) => [name, 'acme']),
  [],
).exchange;

function pageFor(params: readonly Param[], found: readonly (typeof ACME)[]): SearchPage {
  const page = searchPage('', found);
  return {
    ...page,
    query: null,
    exchange: { ...page.exchange, request: { ...page.exchange.request, params } },
  };
}

function findIn(pages: readonly SearchPage[], refused: readonly Exchange[] = []) {
  return findIdentifiers({
    ...{ pages, refused, ids: [ACME.id, BAKER.id], queryParam: 'q' },
    ...{ isWhole: () => true, isStrict: false },
  });
}

function identifiersIn(searches: readonly (readonly [query: string, found: readonly (typeof ACME)[]])[]) {
  const { param, matches } = findIdentifiers({
    ...{ pages: searches.map(([query, found]) => searchPage(query, found)), refused: [] },
    ...{ ids: [ACME.id, BAKER.id], queryParam: 'q', isWhole: () => true, isStrict: false },
  });
  return { param: param.certainty, rule: matches.value, certainty: matches.certainty };
}
