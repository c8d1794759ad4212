import { describe, expect, it } from 'vitest';
import { joinsOf } from '../../../src/probe/findings/addresses.ts';

describe('combining the base URL and the paths', () => {
  it.each([
    ['https://r.example/api', ['/api/search', '/api/api/search']],
    ['https://r.example', ['/api/search', '/search']],
    ['https://r.example/v1', ['/v1/api/search', '/v1/search', '/api/search']],
  ])('the combinations for the base URL %s are %j', (base_url, expected) => {
    expect(joinsOf({ base_url }).map(({ search }) => search)).toEqual(expected);
  });
});
