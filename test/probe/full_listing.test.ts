import { expect, test } from 'vitest';
import { draftDialect } from '../../src/probe/dialect_draft.ts';
import type { ProbeRequest } from '../../src/probe/exchange.ts';
import { findFullListing } from '../../src/probe/lengths.ts';
import type { SearchPage } from '../../src/probe/pages.ts';
import { searchExchange } from '../support/probe_exchanges.ts';
import { probedWith } from '../support/probed_api.ts';

/** A page of a search without a query, with the companies `from` to `to`. */
function pageOf(from: number, to: number, params: readonly (readonly [string, string])[] = []): SearchPage {
  const ids = Array.from({ length: to - from }, (_, at) => String(from + at));
  const exchange = searchExchange({ data: ids.map((id) => ({ id })) });
  return {
    exchange: { ...exchange, request: { ...exchange.request, params } },
    query: null,
    rows: ids.map((id) => ({ id })),
    ids,
    keys: ids,
    names: ids.map(() => null),
    total: null,
  };
}

test('a listing without a total lists the registry if it has pages and ends', () => {
  const whole = pageOf(0, 641, [['limit', '1000']]);
  const second = pageOf(100, 200, [['cursor', '99']]);
  const found = (pages: readonly SearchPage[]) =>
    findFullListing(
      pages,
      pages.map(({ exchange }) => exchange),
      null,
    );
  expect(found([whole, second])).toMatchObject({ value: true, certainty: 'likely' });
  expect(found([whole])).toMatchObject({ certainty: 'open' });
});

test('a parameter of a registry that always returns the same companies is never taken for the query', () => {
  const listed = Array.from({ length: 60 }, (_, index) => ({
    id: `R${1000 + index}`,
    name: `${['Harbour', 'Meadow', 'Castle', 'River', 'Stone'][index % 5]} ${['Trading', 'Foods', 'Holdings'][index % 3]} ${index}`,
  }));
  const beliefs = probedWith(
    ({ kind, path }) => {
      if (kind !== 'entity') return { status: 200, json: { data: listed } };
      const company = listed.find(({ id }) => path.endsWith(`/${id}`));
      return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
    },
    { search: '/search', entity: '/companies/{id}', stats: null },
  );
  expect(beliefs.search?.listing.results).toBe('/data');
  expect(beliefs.query).toMatchObject({ value: null, certainty: 'open' });
  expect(draftDialect(beliefs)).toBeNull();
});

test('parameters that take a number or only an expression do not spoil the search for the paging', () => {
  const companies = Array.from({ length: 90 }, (_, index) => ({
    siren: `${700_000_000 + index * 137}`,
    nom: `${['GARAGE', 'HOTEL', 'LIBRAIRIE', 'PHARMACIE'][index % 4]} ${['GIRARD', 'MARTIN', 'MOREAU'][index % 3]} ${index}`,
  }));
  const error = (message: string) => ({ status: 400, json: { header: { statut: 400, message } } });
  const beliefs = probedWith(
    ({ kind, path, params }) => {
      const company = companies.find(({ siren }) => path.endsWith(`/${siren}`));
      if (kind === 'entity') return { status: company === undefined ? 404 : 200, json: company ?? {} };
      const sent = new Map(params);
      const size = Number(sent.get('nombre') ?? 20);
      if (!(size >= 0 && size <= 1000)) return error('Le paramètre nombre doit être compris entre 0 et 1000');
      if (sent.has('q')) return error('Erreur de syntaxe dans le paramètre q=');
      const first = Number(Buffer.from(sent.get('curseur') ?? '', 'base64').toString() || 0);
      const next = Buffer.from(String(first + size)).toString('base64');
      const header = { total: companies.length, nombre: size, curseurSuivant: next };
      return { status: 200, json: { header, unitesLegales: companies.slice(first, first + size) } };
    },
    { search: '/siren', entity: '/siren/{id}', stats: null },
  );
  expect(beliefs.search?.paging.value).toMatchObject({ style: 'cursor', param: 'curseur' });
  expect(draftDialect(beliefs)?.dialect.search.min_length).toBe(0);
  const isSpoilt = ({ params }: ProbeRequest) =>
    params.some(([name, value]) => name === 'nombre' && /\p{L}/u.test(value));
  expect(beliefs.searches.filter(isSpoilt).length).toBeLessThan(4);
});

test('a list of several selectors is not two names in two objects', () => {
  const companies = Array.from({ length: 40 }, (_, index) => ({
    id: `${7_000 + index * 13}`,
    periods: [
      { to: null, changed: index % 9 === 0, name: `Firm ${index} Holding` },
      { to: '2020-01-01', changed: index % 9 > 0, name: `Older ${index} Trading` },
    ],
  }));
  const beliefs = probedWith(
    ({ kind, path }) => {
      const company = companies.find(({ id }) => path.endsWith(`/${id}`));
      if (kind === 'entity') return { status: company === undefined ? 404 : 200, json: company ?? {} };
      return { status: 200, json: { total: 40, rows: companies } };
    },
    { search: '/firms', entity: '/firms/{id}', stats: null },
  );
  expect(beliefs.search?.name.certainty).not.toBe('open');
});
