import { expect, test } from 'vitest';
import { openKnowledge } from '../../src/warehouse/plan_knowledge.ts';
import { setQuarantineState } from '../../src/warehouse/quarantine.ts';
import { bench, dueRecords, entityCall, resultPage, START_MS } from '../support/loader.ts';

const ACME = {
  id: 'C1',
  name: 'Acme Åland AB',
  registered: '2001-02-03',
  address: { line1: 'Main street 1', postcode: '0034' },
  officers: [
    { name: 'Ann', role: 'director' },
    { name: 'Bob', role: 'secretary' },
  ],
  sic_codes: ['70100', '00123'],
  queried_at: '2026-03-01T00:00:00Z',
};

test('a record becomes a row, its objects become columns, and its lists become child tables', () => {
  const { record, all } = bench();
  expect(record('C1', ACME)).toMatchObject({
    record: { isNew: true, changed: true },
    missing: false,
    gone: 0,
  });
  expect(all('SELECT * FROM entity')).toEqual([
    {
      entity_id: 'C1',
      _fetched_at: '2026-03-01T00:00:01.000Z',
      _changed_at: '2026-03-01T00:00:01.000Z',
      _gone_at: null,
      _call_id: 1,
      id: 'C1',
      name: 'Acme Åland AB',
      registered: '2001-02-03',
      address__line1: 'Main street 1',
      address__postcode: '0034',
      queried_at: '2026-03-01T00:00:00Z',
    },
  ]);
  expect(all('SELECT position, name, role, _call_id FROM entity__officers ORDER BY position')).toEqual([
    { position: 0, name: 'Ann', role: 'director', _call_id: 1 },
    { position: 1, name: 'Bob', role: 'secretary', _call_id: 1 },
  ]);
  expect(all('SELECT entity_id, position, value FROM entity__sic_codes')).toEqual([
    { entity_id: 'C1', position: 0, value: '70100' },
    { entity_id: 'C1', position: 1, value: '00123' },
  ]);
});

test('a response that differs only in volatile fields is stored as a reference', () => {
  const { record, all } = bench();
  record('C1', ACME);
  expect(record('C1', { ...ACME, queried_at: '2026-03-02T00:00:00Z' })).toMatchObject({
    record: { isNew: false, changed: false },
  });
  expect(all('SELECT call_id, same_as, body IS NULL AS is_reference FROM _answer')).toEqual([
    { call_id: 1, same_as: null, is_reference: 0 },
    { call_id: 2, same_as: 1, is_reference: 1 },
  ]);
  expect(all('SELECT _fetched_at, _changed_at, _call_id FROM entity')).toEqual([
    { _fetched_at: '2026-03-01T00:00:02.000Z', _changed_at: '2026-03-01T00:00:01.000Z', _call_id: 1 },
  ]);
});

test('a response with a different envelope is stored completely', () => {
  const { record, all } = bench({ dialect: { entity: { root: '/data' } } });
  record('C1', { meta: { version: 1 }, data: ACME });
  record('C1', { meta: { version: 2 }, data: ACME });
  expect(all('SELECT same_as FROM _answer')).toEqual([{ same_as: null }, { same_as: null }]);
  record('C1', { meta: { version: 2 }, data: ACME });
  expect(all('SELECT count(*) AS versions FROM entity_history')).toEqual([{ versions: 1 }]);
});

test('each changed field adds a row to entity_change, and a reordered list adds none', () => {
  const { record, all } = bench();
  record('C1', ACME);
  const [ann, bob] = ACME.officers;
  expect(record('C1', { ...ACME, officers: [bob, ann] }).record).toEqual({ isNew: false, changed: false });
  expect(all('SELECT * FROM entity_change')).toEqual([]);
  expect(all('SELECT name FROM entity__officers ORDER BY position')).toEqual([
    { name: 'Bob' },
    { name: 'Ann' },
  ]);

  const moved = {
    ...ACME,
    name: 'Acme AB',
    officers: [{ ...ann, role: 'chair' }, bob, { name: 'Cid', role: 'director' }],
  };
  expect(record('C1', moved).record).toEqual({ isNew: false, changed: true });
  expect(
    all('SELECT entity_id, observed_at, not_before, path, before, after, _call_id FROM entity_change'),
  ).toEqual([
    change('/name', 'Acme Åland AB', 'Acme AB'),
    change('/officers/0/role', 'director', 'chair'),
    change('/officers/2', null, '{"name":"Cid","role":"director"}'),
  ]);
});

function change(path: string, before: unknown, after: unknown) {
  return {
    entity_id: 'C1',
    observed_at: '2026-03-01T00:00:03.000Z',
    not_before: '2026-03-01T00:00:02.000Z',
    path,
    before,
    after,
    _call_id: 3,
  };
}

test("if a field's type changes, every value keeps its type, and the type drift is recorded", () => {
  const { record, all } = bench();
  for (const [id, value] of [
    ['C1', null],
    ['C2', 12],
    ['C3', '0012'],
    ['C4', 1.5],
    ['C5', true],
  ] as const)
    record(id, { id, number: value });
  expect(all('SELECT entity_id, number, typeof(number) AS type FROM entity')).toEqual([
    { entity_id: 'C1', number: null, type: 'null' },
    { entity_id: 'C2', number: 12, type: 'integer' },
    { entity_id: 'C3', number: '0012', type: 'text' },
    { entity_id: 'C4', number: 1.5, type: 'real' },
    { entity_id: 'C5', number: 1, type: 'integer' },
  ]);
  expect(all("SELECT type, types, present, nulls, changed_at FROM _column WHERE path = '/number'")).toEqual([
    {
      type: '',
      types: 'text boolean integer decimal',
      present: 4,
      nulls: 1,
      changed_at: '2026-03-01T00:00:05.000Z',
    },
  ]);
  expect(all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});

test('a search page lists companies, and the next page reports which are new or changed', () => {
  const { search, all } = bench();
  const page = resultPage({ id: 'C1', name: 'Acme' }, { id: 'C2', name: 'Acorn' });
  expect(search('ac', page)).toMatchObject({
    rows: [
      { entityId: 'C1', name: 'Acme', isNew: true, changed: false },
      { entityId: 'C2', name: 'Acorn', isNew: true, changed: false },
    ],
    query: {
      query: { by: 'name', text: 'ac' },
      total: 2,
      pages: 1,
      rows: 2,
      status: 'complete',
      listedAtMs: START_MS + 1000,
    },
  });
  const later = {
    total: 3,
    results: [
      { id: 'C2', name: 'Acorns' },
      { id: 'C3', name: 'Acre' },
    ],
  };
  expect(search('ac', later)).toMatchObject({
    rows: [
      { entityId: 'C2', isNew: false, changed: true },
      { entityId: 'C3', isNew: true, changed: false },
    ],
    query: { status: 'open', rows: 2, total: 3 },
  });
  expect(
    all('SELECT entity_id, name, _first_seen_at, _last_seen_at, _call_id FROM search_result ORDER BY 1'),
  ).toEqual([
    { entity_id: 'C1', name: 'Acme', _first_seen_at: at(1), _last_seen_at: at(1), _call_id: 1 },
    { entity_id: 'C2', name: 'Acorns', _first_seen_at: at(1), _last_seen_at: at(2), _call_id: 2 },
    { entity_id: 'C3', name: 'Acre', _first_seen_at: at(2), _last_seen_at: at(2), _call_id: 2 },
  ]);
  expect(all('SELECT kind, target, rows, new, changed FROM _call')).toEqual([
    { kind: 'search', target: 'name:ac', rows: 2, new: 2, changed: 0 },
    { kind: 'search', target: 'name:ac', rows: 2, new: 1, changed: 1 },
  ]);
  search('aco', resultPage({ id: 'C2', name: 'Acorns' }));
  expect(all("SELECT _last_seen_at, _call_id FROM search_result WHERE entity_id = 'C2'")).toEqual([
    { _last_seen_at: at(3), _call_id: 2 },
  ]);
});

test('a page with as many rows as requested is not the last page, although earlier pages were longer', () => {
  const paging = { style: 'page', param: 'page', size_param: 'size', size: 2 };
  const { search } = bench({ dialect: { search: { total: null, paging } } });
  const rows = (...ids: string[]) => ({ results: ids.map((id) => ({ id, name: `Acorn ${id}` })) });
  expect(search('acorn', rows('C1', 'C2', 'C3')).query?.status).toBe('open');
  expect(search('oak', rows('C4', 'C5')).query?.status).toBe('open');
  expect(search('elm', rows('C6')).query?.status).toBe('complete');
});

test('a page shorter than others ends a listing, although it is longer than the default size', () => {
  const rows = (from: number, count: number) => ({
    results: Array.from({ length: count }, (_, at) => ({ id: `C${from + at}`, name: `Acorn ${from + at}` })),
  });
  const styles = [{ style: 'page', param: 'page' }, { style: 'none' }];
  const statuses = styles.map((paging) => {
    const { search } = bench({ dialect: { search: { total: null, paging } } });
    search('oak', rows(0, 50));
    return search('elm', rows(100, 30)).query?.status;
  });
  expect(statuses).toEqual(['complete', 'complete']);
});

test('a short page ends the listing of all companies once two pages were equally long', () => {
  const { search } = bench({
    dialect: { search: { total: null, paging: { style: 'page', param: 'page' } } },
  });
  const rows = (from: number, count: number) => ({
    results: Array.from({ length: count }, (_, at) => ({ id: `C${from + at}`, name: `Acorn ${from + at}` })),
  });
  const statusAfter = (page: number, from: number, count: number) =>
    search('', rows(from, count), { page }).query?.status;
  expect([statusAfter(0, 0, 4), statusAfter(1, 10, 3), statusAfter(2, 20, 0)]).toEqual([
    'open',
    'open',
    'complete',
  ]);
  const fixed = bench({ dialect: { search: { total: null, paging: { style: 'page', param: 'page' } } } });
  fixed.search('', rows(0, 4));
  fixed.search('', rows(10, 4), { page: 1 });
  expect(fixed.search('', rows(20, 3), { page: 2 }).query?.status).toBe('complete');
});

test('a listing stays until a second response shows that its query finds nothing any more', () => {
  const { search, all, value } = bench();
  search('acme', resultPage('C1', 'C2', 'C3', 'C4', 'C5'));
  const note = 'no results; the previous listing had 5';
  expect(search('acme', { total: 0, results: [] })).toMatchObject({ query: null, failure: { why: note } });
  expect(all('SELECT rows FROM _query')).toEqual([{ rows: 5 }]);
  expect(search('acme', { total: 0, results: [] })).toMatchObject({ query: { rows: 0 }, failure: null });
  expect(all('SELECT rows FROM _query')).toEqual([{ rows: 0 }]);
  expect(value('SELECT count(*) FROM _company WHERE gone_at IS NULL')).toBe(5);
});

test('an empty listing of all companies counts only after a second response is empty too', () => {
  const { search, all } = bench();
  const note = 'the listing of all companies is empty';
  expect(search('', { total: 0, results: [] })).toMatchObject({ query: null, failure: { why: note } });
  expect(all('SELECT rows FROM _query')).toEqual([]);
  expect(search('', { total: 0, results: [] })).toMatchObject({
    query: { status: 'complete' },
    failure: null,
  });
});

test('an error body with status 200 is quarantined and does not change the listing', () => {
  const { search, all, value } = bench();
  search('acme', resultPage({ id: 'C1', name: 'Acme' }));
  const result = search('acme', { error: 'backend unavailable' });
  expect(result).toMatchObject({ verdict: 'broken', rows: [] });
  expect(value('SELECT rows FROM _query')).toBe(1);
  expect(all('SELECT kind, call_id FROM _quarantine')).toHaveLength(1);
});

test('a fetched record updates when the company was last seen', () => {
  const { search, record, all } = bench();
  const lastSeen = () => all('SELECT last_seen_at FROM entity_overview').map((row) => row.last_seen_at);
  search('a', resultPage({ id: 'C1', name: 'A' }));
  record('C1', { id: 'C1', name: 'A' });
  expect(lastSeen()).toEqual(['2026-03-01T00:00:02.000Z']);
  // An unchanged record adds no row.
  record('C1', { id: 'C1', name: 'A' });
  expect(lastSeen()).toEqual(['2026-03-01T00:00:03.000Z']);
});

test('a company is flagged if its summary changes, and its record is due first', () => {
  const { search, record, warehouse } = bench();
  search('a', resultPage({ id: 'C1', name: 'A' }, { id: 'C2', name: 'B' }));
  record('C2', { id: 'C2', name: 'B' });
  search('a', resultPage({ id: 'C1', name: 'A' }, { id: 'C2', name: 'B plc' }));
  expect(dueRecords(warehouse)).toEqual([
    { entityId: 'C2', why: 'flagged' },
    { entityId: 'C1', why: 'never_fetched' },
  ]);
  record('C2', { id: 'C2', name: 'B plc' });
  expect(dueRecords(warehouse)).toEqual([{ entityId: 'C1', why: 'never_fetched' }]);
});

test('a changed summary flags no company whose record was never requested', () => {
  const { search, warehouse } = bench();
  for (const name of ['A', 'A plc']) search('a', resultPage({ id: 'C1', name }));
  expect(dueRecords(warehouse)).toEqual([{ entityId: 'C1', why: 'never_fetched' }]);
});

test('a summary field that differs in every response flags no company, but another changed field does', () => {
  const { search, record, warehouse } = bench();
  const ids = Array.from({ length: 60 }, (_, at) => `C${at}`);
  const list = (score: number, changedId = '') =>
    search('c', {
      total: ids.length,
      results: ids.map((id, at) => ({
        id,
        name: id,
        status: id === changedId ? 'closed' : 'open',
        score: score + at,
      })),
    });
  const flagged = () =>
    warehouse.db.prepare('SELECT count(*) FROM _company WHERE flagged_at IS NOT NULL').pluck().get();
  const fetchAll = () => {
    for (const id of ids) record(id, { id, name: id });
  };
  list(0);
  fetchAll();
  list(1000);
  // A change in all companies at once is believed.
  expect(flagged()).toBe(60);
  fetchAll();
  list(2000);
  fetchAll();
  list(3000, 'C7');
  expect(flagged()).toBe(1);
});

test('a company that has left a complete listing is requested and does not count as existing', () => {
  const { warehouse, search, record } = bench();
  search('c', resultPage('C1', 'C2', 'C3'));
  for (const id of ['C1', 'C2', 'C3']) record(id, { id, name: id });
  search('c', resultPage('C1', 'C2'));
  const knowledge = openKnowledge(warehouse);
  expect(dueRecords(warehouse).map(({ entityId }) => entityId)).toEqual(['C3']);
  expect(knowledge.existingCount()).toBe(2);
  // It still exists. The listing lacks it, so its absence from the next reading shows nothing.
  record('C3', { id: 'C3', name: 'C3' });
  search('c', resultPage('C1', 'C2'));
  expect(dueRecords(warehouse)).toEqual([]);
  expect(knowledge.existingCount()).toBe(3);
});

test('a search result does not replace the name of a record', () => {
  const { search, record, value } = bench();
  search('a', resultPage({ id: 'C1', name: 'ACME (short)' }));
  record('C1', { id: 'C1', name: 'Acme Ltd' });
  search('b', resultPage({ id: 'C1', name: 'ACME (short)' }));
  expect(value("SELECT name FROM entity_overview WHERE entity_id = 'C1'")).toBe('Acme Ltd');
});

test('several rows of one company are not changes, and its name stays the name of its record', () => {
  const { search, record, value, all } = bench();
  const head = { id: 'C1', name: 'Acme B.V.', type: 'legal person' };
  const office = { id: 'C1', name: 'Acme B.V.', type: 'head office' };
  const branch = { id: 'C1', name: 'Acme North', type: 'branch' };
  const other = { id: 'C2', name: 'Bell B.V.', type: 'legal person' };
  search('north', resultPage(branch, other));
  record('C1', { id: 'C1', name: 'Acme B.V.' });
  record('C2', { id: 'C2', name: 'Bell B.V.' });
  search('acme', resultPage(office, head, branch));
  search('north', resultPage(branch, other));
  search('b.v.', resultPage(head, office, other));
  search('north', resultPage(branch, { id: 'C2', name: 'Bell North', type: 'branch' }));
  expect(all('SELECT entity_id, name FROM entity_overview ORDER BY entity_id')).toEqual([
    { entity_id: 'C1', name: 'Acme B.V.' },
    { entity_id: 'C2', name: 'Bell B.V.' },
  ]);
  // The row with the record's name stands for the company.
  expect(all('SELECT entity_id, type FROM search_result ORDER BY entity_id')).toEqual([
    { entity_id: 'C1', type: 'head office' },
    { entity_id: 'C2', type: 'legal person' },
  ]);
  expect(value('SELECT count(*) FROM _company WHERE flagged_at IS NOT NULL')).toBe(0);
  expect(value('SELECT sum(changes) FROM _column')).toBe(0);
});

test("a fetched record's name stays although a later row has another name", () => {
  const { search, record, all } = bench();
  const rows = (suffix: string) => resultPage(...['C1', 'C2'].map((id) => ({ id, name: `${id} ${suffix}` })));
  search('legal', rows('Limited'));
  record('C1', { id: 'C1', name: 'C1 Limited' });
  record('C2', { id: 'C2', status: 'active' });
  search('trade', rows('Shop'));
  expect(all('SELECT entity_id AS id, name FROM company ORDER BY 1')).toEqual([
    { id: 'C1', name: 'C1 Limited' },
    { id: 'C2', name: 'C2 Shop' },
  ]);
});

test('a new row under the same name, days later, is a change of a company with several rows', () => {
  const days = (n: number) => START_MS + n * 86_400_000;
  const first = bench();
  const row = (type: string, status: string) => ({ id: 'C1', name: 'Acme', type, status });
  const rows = (status: string) => resultPage(row('office', status), row('branch', 'active'));
  first.search('a', rows('active'));
  first.record('C1', { id: 'C1', name: 'Acme' });
  const later = bench({ warehouse: first.warehouse, startMs: days(3) });
  expect(later.search('a', rows('active')).rows.map(({ changed }) => changed)).toEqual([false, false]);
  const last = bench({ warehouse: first.warehouse, startMs: days(6) });
  expect(last.search('a', rows('dissolved')).rows.map(({ changed }) => changed)).toEqual([true, false]);
  expect(
    last.all(
      'SELECT status, flagged_at IS NULL AS current FROM search_result JOIN _company USING (entity_id)',
    ),
  ).toEqual([{ status: 'dissolved', current: 0 }]);
});

test('each statistics response adds a row with a column for each scalar', () => {
  const { stats, all, warehouse } = bench();
  stats({ companies: 100, total: 7, by: { active: 60 }, list: [1, 2] });
  stats({ companies: 101, total: 7, by: { active: 61 }, list: [1, 2] });
  expect(
    all('SELECT observed_at, total, field_total, by__active, _rest, _call_id FROM registry_stats'),
  ).toEqual([
    { observed_at: at(1), total: 100, field_total: 7, by__active: 60, _rest: '{"/list":[1,2]}', _call_id: 1 },
    { observed_at: at(2), total: 101, field_total: 7, by__active: 61, _rest: '{"/list":[1,2]}', _call_id: 2 },
  ]);
  const knowledge = openKnowledge(warehouse);
  expect(knowledge.latestStats()).toEqual({ observedAtMs: START_MS + 2000, total: 101 });
  expect(knowledge.statsCallsMade()).toBe(2);
});

test('an unreadable response stays in quarantine with its body until a later response is loaded', () => {
  const { record, all } = bench();
  expect(record('C1', '<html>sorry</html>')).toMatchObject({
    verdict: 'broken',
    quarantined: 1,
    failure: { tries: 1 },
  });
  expect(record('C1', '<html>sorry!</html>')).toMatchObject({
    failure: { tries: 2, nextTryAtMs: START_MS + 12_000 },
  });
  expect(
    all(`SELECT q.kind, q.target, q.reason, q.times, q.state, CAST(a.body AS TEXT) AS body
         FROM _quarantine q JOIN _answer a USING (call_id)`),
  ).toEqual([
    {
      kind: 'entity',
      target: 'C1',
      reason: 'HTTP 200, but the body is HTML or XML, not JSON',
      times: 2,
      state: 'open',
      body: '<html>sorry!</html>',
    },
  ]);
  record('C1', { id: 'C1' });
  expect(all('SELECT state FROM _quarantine')).toEqual([{ state: 'superseded' }]);
  expect(all('SELECT * FROM _failure')).toEqual([]);
});

test('a quarantine entry that was discarded stays so when a later response is loaded', () => {
  const { record, all, warehouse } = bench();
  record('C1', '<html>sorry</html>');
  setQuarantineState(warehouse.db, 1, 'discarded');
  record('C1', { id: 'C1' });
  expect(all('SELECT state FROM _quarantine')).toEqual([{ state: 'discarded' }]);
});

test('a few results without an id are not loaded, and a note has their number', () => {
  const { search, all } = bench();
  const results = [{ id: 'C1', name: 'A' }, { name: 'no id' }];
  expect(search('a', { total: 2, results })).toMatchObject({
    quarantined: 0,
    query: { rows: 2, status: 'complete' },
    note: '1 of 2 results have no id and are left out',
  });
  expect(all('SELECT * FROM _quarantine')).toEqual([]);
});

test('results with an unusable id are quarantined one by one, and the other results are loaded', () => {
  const { search, all } = bench();
  const result = search('a', resultPage({ id: 'C1', name: 'A' }, { id: true, name: 'no id' }, 5));
  expect(result).toMatchObject({
    quarantined: 2,
    rows: [{ entityId: 'C1' }],
    query: { rows: 3, status: 'complete' },
  });
  expect(all('SELECT target, position FROM _quarantine')).toEqual([
    { target: 'name:a', position: 1 },
    { target: 'name:a', position: 2 },
  ]);
  search('a', resultPage({ id: 'C1', name: 'A' }));
  expect(all("SELECT * FROM _quarantine WHERE state = 'open'")).toEqual([]);
});

test("a target's backoff grows with each failure", () => {
  const { fail, warehouse, record } = bench();
  const waits = Array.from({ length: 6 }, () => {
    const { failure } = fail(entityCall('C1'), { is: 'broken', why: 'reset' });
    return failure?.nextTryAtMs;
  });
  const sent = (n: number) => START_MS + n * 1000;
  expect(waits).toEqual([
    sent(1) + 2000,
    sent(2) + 10_000,
    sent(3) + 45_000,
    sent(4) + 15 * 60_000,
    sent(5) + 3_600_000,
    sent(6) + 6 * 3_600_000,
  ]);
  const knowledge = openKnowledge(warehouse);
  expect([...knowledge.failures()]).toEqual([
    { kind: 'entity', target: 'C1', tries: 6, step: 6, nextTryAtMs: sent(6) + 6 * 3_600_000, why: 'reset' },
  ]);
  record('C1', { id: 'C1' });
  expect([...knowledge.failures()]).toEqual([]);
});

test('a throttled call does not count as a failure of its target', () => {
  const { fail } = bench();
  expect(fail(entityCall('C1'), { is: 'throttled', untilMs: 0, why: '429' }).failure).toBeNull();
});

test('a batch is one transaction, which a failed write rolls back completely', () => {
  const { outcome, load, all, record } = bench();
  const bad = { ...outcome(entityCall('C2'), { id: 'C2', x: 1 }), durationMs: null as unknown as number };
  expect(() => load([outcome(entityCall('C1'), { id: 'C1', fresh: 1 }), bad])).toThrow(/NOT NULL/);
  expect(all('SELECT * FROM _call')).toEqual([]);
  expect(all("SELECT name FROM pragma_table_info('entity') WHERE name = 'fresh'")).toEqual([]);
  record('C1', { id: 'C1', fresh: 1 });
  expect(all('SELECT fresh FROM entity')).toEqual([{ fresh: 1 }]);
});

test('a failed batch is also undone in memory, and its other responses are processed one by one', () => {
  const { outcome, load, record, all, warehouse } = bench();
  record('C1', { id: 'C1', x: 1 });
  warehouse.db.exec(`
    CREATE TRIGGER failing BEFORE INSERT ON entity WHEN NEW.entity_id = 'C3'
    BEGIN SELECT RAISE(ABORT, 'this row cannot be written'); END`);
  const results = load([
    outcome(entityCall('C2'), { id: 'C2', x: 2 }),
    outcome(entityCall('C3'), { id: 'C3', x: 3 }),
  ]);
  expect(results.map(({ verdict }) => verdict)).toEqual(['ok', 'broken']);
  expect(all('SELECT known, fetched FROM coverage')).toEqual([{ known: 2, fetched: 2 }]);
  expect(all('SELECT entity_id FROM entity ORDER BY entity_id')).toEqual([
    { entity_id: 'C1' },
    { entity_id: 'C2' },
  ]);
  expect(all('SELECT target, reason FROM _quarantine')).toEqual([
    { target: 'C3', reason: 'the response cannot be processed: this row cannot be written' },
  ]);
  expect(all("SELECT call_id FROM _call WHERE outcome = 'received'")).toEqual([]);
});

test('columns keep their names in a new loader, which also uses columns that another writer added', () => {
  const one = bench();
  one.record('C1', { id: 'C1', Name: 'a', name: 'b' });
  const two = one.reopen();
  two.record('C2', { id: 'C2', name: 'b2', Name: 'a2', other: 1 });
  expect(one.all('SELECT entity_id, name, name_2 FROM entity')).toEqual([
    { entity_id: 'C1', name: 'a', name_2: 'b' },
    { entity_id: 'C2', name: 'a2', name_2: 'b2' },
  ]);
});

test('the run totals count new, changed and quarantined responses', () => {
  const { search, record, all } = bench();
  search('a', resultPage({ id: 'C1' }, { id: 'C2' }));
  record('C1', { id: 'C1', a: 1 });
  record('C1', { id: 'C1', a: 2 });
  record('C2', 'nonsense');
  expect(all('SELECT calls, new, changed, gone, quarantined FROM _run')).toEqual([
    { calls: 4, new: 2, changed: 1, gone: 0, quarantined: 1 },
  ]);
});

test('the full-text index finds names, and a new name replaces the old one', () => {
  const { search, record, all, warehouse } = bench();
  search('a', resultPage({ id: 'C1', name: 'Société Générale' }, { id: 'C2', name: '株式会社東京商事' }));
  const found = (text: string) => all('SELECT entity_id FROM entity_fts WHERE entity_fts MATCH ?', text);
  expect(found('societe')).toEqual([{ entity_id: 'C1' }]);
  expect(found('東京商')).toEqual([{ entity_id: 'C2' }]);
  record('C1', { id: 'C1', name: 'Nouvelle Banque' });
  expect(found('societe')).toEqual([]);
  expect(found('banque')).toEqual([{ entity_id: 'C1' }]);
  warehouse.db.exec("INSERT INTO entity_fts (entity_fts, rank) VALUES ('integrity-check', 1)");
});

function at(second: number): string {
  return new Date(START_MS + second * 1000).toISOString();
}
