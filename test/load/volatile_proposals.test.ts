import { expect, test } from 'vitest';
import { proposeVolatile } from '../../src/load/volatile_proposals.ts';
import { bench, dialectWith, resultPage } from '../support/loader.ts';

test('fields that differ in every refresh are proposed as volatile, but fields that differ only sometimes are not', () => {
  const { record, warehouse } = bench();
  for (let n = 0; n < 10; n++)
    record('C1', {
      id: 'C1',
      asked: n,
      status: n < 5 ? 'a' : 'b',
      officers: [{ name: 'Ann', role: 'x', seen: n }],
    });
  expect(proposeVolatile(warehouse, dialectWith())).toEqual([
    { pointer: '/asked', refreshes: 9, share: 1 },
    { pointer: '/officers/*/seen', refreshes: 9, share: 1 },
  ]);
  expect(proposeVolatile(warehouse, dialectWith({ volatile: ['/asked', '/officers/*/seen'] }))).toEqual([]);
});

test('a field that differs in every change is not proposed as volatile if most refreshes find no change', () => {
  const { record, warehouse } = bench();
  for (let n = 0; n < 20; n++) record('C1', { id: 'C1', employees: n < 15 ? 1 : n });
  expect(proposeVolatile(warehouse, dialectWith())).toEqual([]);
});

test('an envelope field is proposed as volatile if it differs while the record does not', () => {
  const dialect = { entity: { root: '/data' } };
  const { record, warehouse } = bench({ dialect });
  for (let n = 0; n < 8; n++) record('C1', { meta: { request: n }, data: { id: 'C1', a: 1 } });
  expect(proposeVolatile(warehouse, dialectWith(dialect))).toEqual([
    { pointer: '/meta/request', refreshes: 7, share: 1 },
  ]);
});

test('summary fields that depend on the query are proposed as volatile', () => {
  const { search, warehouse } = bench();
  for (let n = 0; n < 8; n++) search(`q${n}`, resultPage({ id: 'C1', name: 'A', score: n / 10 }));
  expect(proposeVolatile(warehouse, dialectWith())).toEqual([{ pointer: '/score', refreshes: 7, share: 1 }]);
});
