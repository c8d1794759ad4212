import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { Dialect } from '../../src/dialect/dialect.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { folded } from '../../src/names/folding.ts';
import { redateCalls } from '../../src/warehouse/call.ts';
import { companySearch } from '../../src/warehouse/company_search.ts';
import { NOTHING_APPLIED } from '../../src/warehouse/feed/changes.ts';
import { KnownCompanies, newKnown } from '../../src/warehouse/known.ts';
import { metaTable } from '../../src/warehouse/meta.ts';
import { SCHEMA_VERSION } from '../../src/warehouse/migrate.ts';
import { NameIndex } from '../../src/warehouse/name_index.ts';
import { openTextsInOrder } from '../../src/warehouse/ordered_text_lookups.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { changesUpTo, exportedText, FeedCopy } from '../support/feed_copy.ts';
import { START_MS, temporaryFolder, temporaryWarehouse } from '../support/loader.ts';
import { OLDER_VERSION, writeOlderMirror } from '../trust/older_file.ts';

test('a file of an earlier version gets the schema of a new file, and loses the tables of an unfinished rebuild', () => {
  const schemaOf = ({ db }: Warehouse) =>
    db
      .prepare(
        `SELECT s.type, s.name, c.name AS column_name FROM sqlite_schema s LEFT JOIN pragma_table_info(s.name) c
         WHERE s.name GLOB '_*' OR s.type <> 'table' ORDER BY s.type, s.name, c.name`,
      )
      .all();
  const upgraded = schemaOf(opened().warehouse).map((row) => JSON.stringify(row));
  expect(upgraded).toEqual(
    expect.arrayContaining(schemaOf(temporaryWarehouse()).map((row) => JSON.stringify(row))),
  );
  expect(upgraded.filter((row) => /"_(known|version|next|old)/.test(row))).toEqual([]);
});

test('the companies, responses, versions and changes of an earlier version stay', () => {
  const { warehouse, older } = opened();
  const rows = (db: Sqlite.Database, sql: string) => db.prepare<[], Answer>(sql).all();
  for (const sql of [
    'SELECT call_id, kind, target, sent_at, outcome, expected, ms FROM _call ORDER BY call_id',
    'SELECT call_id, same_as, headers FROM _answer ORDER BY call_id',
    'SELECT entity_id, name, state, first_seen_at, last_seen_at, fetched_at FROM entity_overview ORDER BY entity_id',
    'SELECT entity_id, name, identifiers, former_names FROM entity_fts ORDER BY entity_id',
    'SELECT entity_id, observed_from, observed_to, document FROM entity_history ORDER BY _call_id',
    'SELECT change_id, path, before, after FROM entity_change ORDER BY change_id',
    'SELECT query_key, pages, rows, status FROM _query ORDER BY query_key',
  ])
    expect(rows(warehouse.db, sql)).toEqual(rows(older, sql));
  const answers = "SELECT coalesce(encoding, '') AS encoding, body FROM _answer ORDER BY call_id";
  const bodies = rows(older, answers).map(({ encoding, body }) =>
    encoding === '' ? body : zstdDecompressSync(body),
  );
  expect(rows(warehouse.db, answers).map(({ body }) => body)).toEqual(bodies);
  expect(bodies).not.toEqual(rows(older, answers).map(({ body }) => body));
  const estimates = older.prepare('SELECT state FROM _change_estimate').pluck().get();
  expect(metaTable(warehouse.db).get('change_estimates')).toEqual(JSON.parse(String(estimates)));
  expect(warehouse.db.prepare('SELECT max(number) FROM _migration').pluck().get()).toBe(SCHEMA_VERSION);
  expect(older.prepare('SELECT max(number) FROM _migration').pluck().get()).toBe(OLDER_VERSION);
});

test('the names of an earlier version are found, and new names are added to them', () => {
  const { warehouse } = opened();
  const found = (text: string) => companySearch(warehouse.db)(text, 3).map(({ name }) => name);
  expect(found('schafer sohne')).toContain('SCHÄFER & SÖHNE UG (HAFTUNGSBESCHRÄNKT)');
  expect(found('フジ製作所')).toContain('株式会社フジ製作所');
  expect(found('Allear Elektro')).toContain('SCHÄFER & SÖHNE UG (HAFTUNGSBESCHRÄNKT)');
  const names = new NameIndex(warehouse.db);
  const companies = new KnownCompanies(warehouse.db, names);
  companies.add({ ...newKnown('new', '2026-12-01T00:00:00.000Z'), name: 'Nouvelle Société' });
  companies.save();
  const stored = warehouse.db.prepare('SELECT name FROM _company').pluck().all() as string[];
  expect([...openTextsInOrder(warehouse.db, 'name').all()]).toEqual(stored.map(folded).toSorted());
  expect(found('nouvelle societe')).toEqual(['Nouvelle Société']);
});

test('the names that a killed run of schema 480 left for later are indexed', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  const earlier = openWarehouse({ path, nowMs: START_MS });
  const companies = new KnownCompanies(earlier.db);
  for (const name of ['Ärzte GmbH', 'Beta SA'])
    companies.add({ ...newKnown(name, '2026-12-01T00:00:00.000Z'), name });
  companies.save();
  earlier.db.exec(`
    DELETE FROM _name WHERE known_id > 1; INSERT INTO _meta VALUES ('named_until', 1);
    ALTER TABLE _answer ADD COLUMN encoding; DELETE FROM _migration WHERE number > 480; CREATE TABLE _word_set (set_id)`);
  earlier.close();
  using warehouse = openWarehouse({ path, nowMs: START_MS });
  expect([...openTextsInOrder(warehouse.db, 'name').all()]).toEqual(['beta sa', 'ärzte gmbh']);
  expect(warehouse.db.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_word_set'").get()).toBeUndefined();
});

test('a column that companies no longer have is removed', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  const earlier = openWarehouse({ path, nowMs: START_MS });
  const columns = "SELECT name FROM pragma_table_info('_company')";
  const current = earlier.db.prepare(columns).pluck().all();
  earlier.db.exec(`
    ALTER TABLE _company ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0;
    DROP VIEW entity_overview; CREATE VIEW entity_overview AS SELECT entity_id, last_seen_at FROM _company;
    ALTER TABLE _answer ADD COLUMN encoding; DELETE FROM _migration WHERE number > 530`);
  earlier.close();
  using warehouse = openWarehouse({ path, nowMs: START_MS });
  expect(warehouse.db.prepare(columns).pluck().all()).toEqual(current);
});

test('the calls of each day are counted, also those of an earlier version and calls that are redated', () => {
  const { warehouse, older } = opened();
  const counted = 'SELECT day, calls, ok FROM allowance_daily';
  const daily = older.prepare(counted).all();
  expect(warehouse.db.prepare(counted).all()).toEqual(daily);
  const [calls, ok] = ['calls', 'ok'].map((column) =>
    older.prepare(`SELECT sum(${column}) FROM allowance_daily`).pluck().get(),
  );
  redateCalls(warehouse.db, '2001-02-03T04:05:06.000Z');
  expect(warehouse.db.prepare(counted).all()).toEqual([{ day: '2001-02-03', calls, ok }]);
});

test('a request that an earlier version stored as never sent is no call', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  writeOlderMirror(path);
  const older = new Sqlite(path);
  const calls = 'SELECT count(*) FROM _call';
  const sent = older.prepare(calls).pluck().get();
  older.exec(`
    INSERT INTO _call (call_id, run_id, kind, target, reason, expected, sent_at, ms, outcome, bytes)
      SELECT max(call_id) + 1, run_id, 'entity', 'C1', 'due', 1, sent_at, 0, 'unsent', 0 FROM _call`);
  older.close();
  using warehouse = openWarehouse({ path, nowMs: START_MS });
  expect(warehouse.db.prepare(calls).pluck().get()).toBe(sent);
  expect(warehouse.db.prepare('SELECT sum(calls) FROM allowance_daily').pluck().get()).toBe(sent);
});

test('a feed read from the start contains the rows that an earlier version stored, and the forgotten company', () => {
  const { warehouse } = opened();
  const copy = new FeedCopy();
  const changes = changesUpTo(warehouse.db, NOTHING_APPLIED);
  for (const change of changes) copy.apply(change);
  expect(copy.text()).toEqual(exportedText(warehouse.db));
  expect(changes.filter(({ op }) => op === 'forget')).toHaveLength(1);
});

test('the tables of an earlier version can be rebuilt from its responses', async () => {
  const { warehouse } = opened();
  const before = exportedText(warehouse.db);
  const dialect = Dialect.parse(
    JSON.parse(String(warehouse.db.prepare("SELECT value FROM _meta WHERE key = 'dialect'").pluck().get())),
  );
  await reprocess({ warehouse, dialect });
  expect(exportedText(warehouse.db)).toEqual(before);
});

interface Answer {
  readonly encoding: string;
  readonly body: Buffer;
}

function opened(): { readonly warehouse: Warehouse; readonly older: Sqlite.Database } {
  const folder = temporaryFolder();
  const [path, olderPath] = [join(folder, 'warehouse.db'), join(folder, 'older.db')];
  writeOlderMirror(path);
  writeOlderMirror(olderPath);
  const interrupted = new Sqlite(path);
  interrupted.exec(
    'CREATE VIRTUAL TABLE _next_entity_fts USING fts5 (name); CREATE TABLE _old_entity (name)',
  );
  interrupted.close();
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  const older = new Sqlite(olderPath, { readonly: true });
  onTestFinished(() => {
    warehouse.close();
    older.close();
  });
  return { warehouse, older };
}
