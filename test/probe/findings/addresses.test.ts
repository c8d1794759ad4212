import { describe, expect, it } from 'vitest';
import type { Exchange, Reading } from '../../../src/probe/evidence.ts';
import { findAddresses, joinsOf, untriedSearch } from '../../../src/probe/findings/addresses.ts';

const UPSTREAM = { base_url: 'https://r.example/api' };

/** The exchanges with these paths, and what each response means. */
function exchangesOf(readings: Readonly<Record<string, Reading>>): Exchange[] {
  return Object.entries(readings).map(([path, reading]) => ({
    request: { kind: path.endsWith('/search') ? 'search' : 'stats', path, params: [], why: '' },
    ...{ status: 200, headers: {}, json: {}, text: '{}', reading },
  }));
}

describe('combining the base URL and the paths', () => {
  it.each([
    ['https://r.example/api', ['/api/search', '/api/api/search']],
    ['https://r.example', ['/api/search', '/search']],
    ['https://r.example/v1', ['/v1/api/search', '/v1/search', '/api/search']],
  ])('the combinations for the base URL %s are %j', (base_url, expected) => {
    expect(joinsOf({ base_url }).map(({ search }) => search)).toEqual(expected);
  });
});

describe('finding the addresses', () => {
  const found = (readings: Readonly<Record<string, Reading>>) => {
    const exchanges = exchangesOf(readings);
    const { finding, next } = findAddresses(joinsOf(UPSTREAM), exchanges);
    const untried = untriedSearch({
      ...{ upstream: UPSTREAM, exchanges, maxCalls: 16 },
      hints: { queryParam: null, examples: [] },
    });
    return [finding.value?.search ?? null, next?.stats ?? null, untried?.search ?? null];
  };
  const [OWN, DOUBLED] = ['/api/search', '/api/api/search'];
  const [OWN_STATS, DOUBLED_STATS] = ['/api/registry/stats', '/api/api/registry/stats'];

  it('a search that responds shows the address, and only its statistics are requested', () => {
    expect(found({ [OWN]: 'ok' })).toEqual([OWN, OWN_STATS, null]);
    expect(found({ [OWN]: 'refused' })).toEqual([OWN, OWN_STATS, null]);
    expect(found({ [OWN]: 'ok', [OWN_STATS]: 'absent' })).toEqual([OWN, null, null]);
  });

  it('after a 404, the search is tried at the next address', () => {
    expect(found({})).toEqual([null, OWN_STATS, OWN]);
    expect(found({ [OWN]: 'absent' })).toEqual([null, DOUBLED_STATS, DOUBLED]);
    expect(found({ [OWN]: 'rejected' })).toEqual([null, OWN_STATS, OWN]);
  });

  it('statistics show the address even if searches without matches respond with 404', () => {
    const absent: Record<string, Reading> = { [OWN]: 'absent', [DOUBLED]: 'absent' };
    expect(found(absent)).toEqual([null, OWN_STATS, null]);
    expect(found({ ...absent, [OWN_STATS]: 'ok' })).toEqual([OWN, null, null]);
  });

  it('after a server error, the statistics come before other addresses', () => {
    expect(found({ [OWN]: 'broken' })).toEqual([null, DOUBLED_STATS, null]);
    expect(found({ [OWN]: 'broken', [DOUBLED_STATS]: 'absent' })).toEqual([null, OWN_STATS, null]);
  });
});
