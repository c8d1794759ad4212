import { expect, test } from 'vitest';
import { Mapping } from '../../../src/dialect/mapping.ts';
import { reprocess } from '../../../src/load/reprocess.ts';
import { wholeFeedAt } from '../../../src/warehouse/feed/changes.ts';
import { lastVersion } from '../../../src/warehouse/feed/versions.ts';
import { changesUpTo } from '../../support/feed_copy.ts';
import { bench, dialectWith, resultPage } from '../../support/loader.ts';

test('a listing without changes adds only the overview and the summary to the feed', () => {
  const { search, record, warehouse } = bench();
  const page = resultPage({ id: 'C1', name: 'A' });
  search('a', page);
  record('C1', { id: 'C1', name: 'A', officers: [{ name: 'B' }] });
  const version = lastVersion(warehouse.db);
  search('a', page);
  const changes = changesUpTo(warehouse.db, wholeFeedAt(version));
  expect(changes.map(({ op, table }) => `${op} ${table?.name}`)).toEqual([
    'update entity_overview',
    'update search_result',
  ]);
});

test('a shorter list deletes rows in the feed, and a longer list inserts rows', () => {
  const { record, warehouse } = bench();
  const tagsAfter = (tags: number[]) => {
    const version = lastVersion(warehouse.db);
    record('C1', { id: 'C1', tags });
    return changesUpTo(warehouse.db, wholeFeedAt(version))
      .filter(({ table }) => table?.name === 'entity__tags')
      .map(({ op, key }) => `${op} ${key[1]}`);
  };
  expect(tagsAfter([1, 2, 3])).toEqual(['insert 0', 'insert 1', 'insert 2']);
  expect(tagsAfter([1])).toEqual(['insert 0', 'delete 1', 'delete 2']);
  expect(tagsAfter([1, 2])).toEqual(['insert 0', 'insert 1']);
});

test('a company that only a reference names is in the feed until its own record is missing', () => {
  const { record, warehouse } = bench();
  record('C1', { id: 'C1' });
  const changesOf = (load: () => void) => {
    const version = lastVersion(warehouse.db);
    load();
    return changesUpTo(warehouse.db, wholeFeedAt(version)).map(
      ({ op, table, key }) => `${op} ${table?.name} ${key}`,
    );
  };
  expect(changesOf(() => record('C1', { id: 'C9' }))).toEqual(['insert entity_overview C9']);
  expect(changesOf(() => record('C9', {}, 404))).toEqual(['delete entity_overview C9']);
});

test('a rebuild that renames a column adds only rows with a value in that column to the feed', async () => {
  const { record, warehouse } = bench();
  record('C1', { id: 'C1', status: 'active', officers: [{ name: 'B' }] });
  record('C2', { id: 'C2' });
  const version = lastVersion(warehouse.db);
  const mapping = Mapping.parse({ entity: { '/status': { column: 'state' } } });
  await reprocess({ warehouse, dialect: dialectWith(), mapping });
  const changes = changesUpTo(warehouse.db, wholeFeedAt(version));
  expect(changes.map(({ op, table, key }) => `${op} ${table?.name} ${key}`)).toEqual([
    'update entity_overview C1',
    'update entity C1',
  ]);
});
