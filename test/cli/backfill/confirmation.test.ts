import { expect, test } from 'vitest';
import { costQuestion } from '../../../src/cli/backfill/manage.ts';
import { type CallRange, exactly } from '../../../src/estimate/call_range.ts';

const costing = (total: CallRange) => () => ({
  stats: exactly(0),
  search: exactly(0),
  entity: total,
  total,
  companies: exactly(0),
});

test.each([
  ['exactly a tenth', exactly(100), Infinity, null],
  ['more than a tenth', exactly(101), Infinity, 'needs 101 calls, and the account has 1,000 calls left'],
  ['possibly more than a tenth', { low: 50, high: 300 }, Infinity, 'needs 50 to 300 calls'],
  ['an unknown number of calls', { low: 0, high: null }, Infinity, 'needs an unknown number of calls'],
  ['many calls under a low --max-calls', exactly(500), 100, null],
  ['many calls under a high --max-calls', exactly(500), 200, 'needs 200 calls'],
])(
  'a backfill that may need more than a tenth of the remaining quota asks for confirmation: %s',
  (_, total, maxCalls, question) => {
    const asked = costQuestion(costing(total), 1000, maxCalls);
    if (question === null) expect(asked).toBeNull();
    else expect(asked).toContain(question);
  },
);

test('a backfill never asks for confirmation if the quota is unlimited', () => {
  expect(costQuestion(costing(exactly(5000)), Infinity, Infinity)).toBeNull();
});
