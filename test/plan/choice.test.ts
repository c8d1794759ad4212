import { expect, test } from 'vitest';
import { type Call, callOfTarget, targetOf } from '../../src/call.ts';

test('a stored target leads back to its query and page, also if the query ends like a page number', () => {
  for (const text of ['acme', 'acme#1', '#2', 'a#0'])
    for (const index of [0, 1, 12]) {
      const planned = { reason: 'test', expected: 1 };
      const page = { index, next: null };
      const call: Call = { kind: 'search', query: { by: 'name', text }, page, ...planned };
      const target = targetOf(call);
      expect(callOfTarget({ kind: 'search', target, page: index }, planned)).toEqual(call);
    }
});
