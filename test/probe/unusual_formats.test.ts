import { describe, expect, it } from 'vitest';
import { type ProbeExchange, paramOf } from '../../src/probe/exchange.ts';
import { nextPageLinksIn } from '../../src/probe/pages.ts';
import { findRecord } from '../../src/probe/record.ts';
import { idCandidates, nameCandidates } from '../../src/probe/rows.ts';
import { findTotal } from '../../src/probe/total.ts';
import { roleOfParam } from '../../src/probe/words.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

const company = (id: string, name: string) => ({ id, name, status: 'active' });
const NORTH = company('17', 'North Sea Trading');
const MILL = company('18', 'North Mill');
const COAST = company('21', 'Coast Bakery');

describe('several results for one company', () => {
  it('several results for one company have the same id and the same name', () => {
    const rows = [NORTH, NORTH, MILL, COAST].map((row, entry) => ({ ...row, entry }));
    expect(idCandidates(rows, '/name', null)[0]?.pointer).toBe('/id');
    const others = [NORTH, { ...MILL, id: '17' }, COAST];
    expect(idCandidates(others, '/name', null).map(({ pointer }) => pointer)).not.toContain('/id');
  });
});

describe('a record in a list', () => {
  const listed = { id: '17', name: 'North Sea Trading', idInList: '/id', nameInList: '/name' };

  it('a record in a list is found under its current name, which has no end date', () => {
    const names = [
      { name: 'Old Sea Trading', until: '2016-01-01' },
      { name: 'North Sea Trading', until: null },
    ];
    const { value } = findRecord(searchExchange({ results: [{ id: '17', names }] }), listed);
    expect(value).toEqual({ root: '/results/0', id: '/id', name: '/names/[until=null]/name' });
    const rows = ['a', 'b'].map((id) => ({ id, names }));
    expect(nameCandidates(rows)[0]?.pointer).toBe('/names/[until=null]/name');
  });

  it('a record is not found in a list with several elements', () => {
    expect(findRecord(searchExchange({ results: [NORTH, MILL] }), listed).value).toBeNull();
  });
});

it('a text under offset is the key of the next page, and a number the position of this one', () => {
  expect(nextPageLinksIn(searchExchange({ offset: 'itr1/rec2' }))).toEqual([
    { is: 'cursor', at: '/offset', value: 'itr1/rec2' },
  ]);
  expect(nextPageLinksIn(searchExchange({ offset: 20 }))).toEqual([]);
});

describe('a list of links', () => {
  it('a list of links contains the link to the next page', () => {
    const links = [
      { rel: 'self', href: '/search?page=1' },
      { rel: 'next', href: '/search?page=2' },
    ];
    expect(nextPageLinksIn(searchExchange({ links }))).toEqual([
      { is: 'next_url', at: '/links/[rel=next]/href', value: '/search?page=2' },
    ]);
  });
});

describe('a number without a known name', () => {
  it('a number with a Polish name is the total, and one with an unknown name is not', () => {
    const page = (query: string, rows: number, numbers: Record<string, number>) =>
      searchExchange({ ...numbers, hits: Array.from({ length: rows }, () => NORTH) }, query);
    const rowsOf = ({ json }: ProbeExchange) => (json as unknown as { hits: unknown[] }).hits.length;
    const totalOf = (key: string) =>
      findTotal([page('a', 20, { [key]: 83 }), page('ab', 3, { [key]: 3 })], rowsOf, (exchange) =>
        paramOf(exchange, 'q'),
      ).value;
    expect(totalOf('liczba')).toBe('/liczba');
    expect(totalOf('xyz')).toBeNull();
  });
});

describe("a parameter's role", () => {
  it.each([
    ['numPagina', 'page'],
    ['page_no', 'page'],
    ['skipRows', 'offset'],
    ['numPerPage', 'size'],
    ['resultsPerPage', 'size'],
  ] as const)('the parameter %s has the role %s', (name, role) => {
    expect(roleOfParam(name)).toBe(role);
  });
});
