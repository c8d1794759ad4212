import { expect, test } from 'vitest';
import { searchScore } from '../../src/names/search_score.ts';
import { anatomyOf } from '../../src/names/similarity.ts';

const score = (query: string, name: string) => searchScore(anatomyOf(query), anatomyOf(name));

test.each([
  ['Acme Ltd', 'ACME LTD', 1],
  ['acme', 'Acme Holdings Europe Ltd', 0.5 + (0.45 * 4) / 18],
  ['europe acme', 'Acme Holdings Europe Ltd', 0.5 + (0.45 * 10) / 18],
  ['tech', 'Biotechnik', 0.4 + (0.45 * 4) / 10],
  ['acme acme', 'Acme Holdings', 0],
  ['zebra', 'Acme Holdings', 0],
])('the query %j scores the name %j with %d', (query, name, expected) => {
  expect(score(query, name)).toBeCloseTo(expected, 5);
});

test('a misspelt name scores higher than a name with one common word', () => {
  expect(score('wilsen servces', 'Wilson Services Ltd')).toBeGreaterThan(
    score('wilsen servces', 'Golden Services Inc.'),
  );
});
