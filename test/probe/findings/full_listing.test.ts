import { describe, expect, it } from 'vitest';
import type { SearchPage } from '../../../src/probe/conclusions.ts';
import { likely, type Param, sure } from '../../../src/probe/evidence.ts';
import { findClampOfAll, findFullListing } from '../../../src/probe/findings/empty_query.ts';
import { searchPage } from '../../support/probe_exchanges.ts';

const IDS = ['40001', '40002', '40003', '40004'];
const ALL = IDS.map((id) => ({ id, name: `Acorn ${id}` }));

function pageFor(params: readonly Param[], found: typeof ALL, total: number): SearchPage {
  const page = searchPage(params[0]?.[0] === 'q' ? (params[0][1] ?? '') : '', found);
  const { request } = page.exchange;
  const query = params[0]?.[0] === 'q' ? params[0][1] : null;
  return {
    ...page,
    rows: found,
    total,
    query,
    exchange: { ...page.exchange, request: { ...request, params } },
  };
}

const guesses = ['q', 'name', 'text', 'term'].map((name): Param => [name, 'acorn 40001']);
const identifiers = ['identifier', 'id', 'number', 'code'].map((name, at): Param => [name, `5000${at}`]);
const lenient = pageFor(guesses, ALL.slice(0, 1), 1);

describe('the listing of the whole registry', () => {
  const find = (page: SearchPage) => {
    const pages = [lenient, page];
    return findFullListing(
      pages,
      pages.map(({ exchange }) => exchange),
      80,
    );
  };

  it('a search with only unknown parameters counts as an empty query', () => {
    expect(find(pageFor(identifiers, ALL, 80))).toMatchObject({ value: true, certainty: 'sure' });
  });

  it('a search by identifiers without rows does not count as an empty query, because one may have matched nothing', () => {
    expect(find(pageFor(identifiers, [], 0)).because).toBe('no empty query was sent');
  });

  it('a search by identifiers does not count as an empty query if one of them was found', () => {
    const found = identifiers.map(([name]): Param => [name, '40002']);
    expect(find(pageFor(found, ALL, 80)).because).toBe('no empty query was sent');
  });
});

describe("the cap on the empty query's total", () => {
  const capOf = (total: number, registrySize: number | null, isAll = true) =>
    findClampOfAll([pageFor([], ALL, total)], isAll ? sure(true, '') : likely(false, ''), registrySize)
      ?.value ?? null;

  it('a round total below the registry count is the cap on totals', () => {
    expect(capOf(100, 308)).toBe(100);
  });

  it.each([
    [100, 100, true],
    [120, 308, true],
    [100, null, true],
    [100, 308, false],
  ] as const)('the total %d of %s companies is no cap on totals', (total, registrySize, isAll) => {
    expect(capOf(total, registrySize, isAll)).toBeNull();
  });
});
