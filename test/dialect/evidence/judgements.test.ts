import { expect, test } from 'vitest';
import { namesMatchQuery } from '../../../src/dialect/evidence/judgements.ts';

const rowsFor = (queries: readonly string[], nameOf: (query: string) => string) =>
  queries.flatMap((query) =>
    Array.from({ length: 10 }, (_, at) => ({ query, name: `${nameOf(query)} ${at}` })),
  );

test('names that do not contain their queries contradict the dialect', () => {
  expect(
    namesMatchQuery(
      rowsFor(['amber', 'birch', 'cedar'], () => 'Nelson Street'),
      'token',
    ).holds,
  ).toBe(false);
});

test('names in another script than their queries say nothing about the dialect', () => {
  const inChinese = rowsFor(['公司', '有限', '貿易'], () => 'Eastern Trading Limited');
  expect(namesMatchQuery(inChinese, 'substring').holds).toBeNull();
  const inLatin = rowsFor(['eastern', 'trading'], () => 'Eastern Trading Limited');
  expect(namesMatchQuery([...inChinese, ...inLatin], 'substring').holds).toBe(true);
});
