import { expect, test } from 'vitest';
import { Queries, type QueryRow } from '../../src/warehouse/query.ts';
import { temporaryWarehouse } from '../support/loader.ts';

const AT = '2026-03-01T00:00:00.000Z';
const COMPANY = Buffer.from('000001', 'latin1');
const LISTING: QueryRow = {
  key: 'name:a',
  by: 'name',
  text: 'a',
  total: 2,
  pages: 2,
  rows: 2,
  next: null,
  status: 'complete',
  listedAt: AT,
  askedAt: AT,
  note: null,
  firstCall: 1,
  repeats: 0,
  isContradicted: 0,
  isRedundant: 0,
};
const PAGE = {
  ...({ sentAt: AT, rows: 1, next: null, fingerprint: COMPANY, overlap: 'none', moved: 0 } as const),
  earlierCall: null,
  earlierFingerprint: null,
};

test('the listings that a gone company may have left are read only once until a listing is saved', () => {
  const { db } = temporaryWarehouse();
  const queries = new Queries(db);
  const found = () => queries.listingsBeforeFall(COMPANY, AT).map(({ key }) => key);
  expect(found()).toEqual([]);
  db.exec('ALTER TABLE _query RENAME TO away');
  expect(found()).toEqual([]);
  db.exec('ALTER TABLE away RENAME TO _query');
  queries.savePage('name:a', { ...PAGE, index: 0, callId: 1, total: 3 });
  queries.savePage('name:a', { ...PAGE, index: 1, callId: 2, total: 2 });
  queries.save(LISTING);
  expect(found()).toEqual(['name:a']);
  queries.save({ ...LISTING, status: 'open' });
  expect(found()).toEqual([]);
});
