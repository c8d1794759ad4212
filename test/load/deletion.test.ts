import { describe, expect, test } from 'vitest';
import { countMissing } from '../../src/warehouse/known.ts';
import { openKnowledge } from '../../src/warehouse/plan_knowledge.ts';
import { openWatchKnowledge } from '../../src/warehouse/wanted_knowledge.ts';
import { bench, dialectWith, dueRecords, entityCall, resultPage, START_MS } from '../support/loader.ts';

const DELETED = { id: 'C1', name: 'A', class: 'Deleted' };
const NOT_FOUND = { error: 'NOT_FOUND', message: 'no such company' };
const goneAt = 'SELECT gone_at FROM _company WHERE entity_id = ?';

test('a 404 alone does not mark a company as gone', () => {
  const { search, record, value, warehouse } = bench();
  search('a', resultPage({ id: 'C1', name: 'A' }));
  expect(record('C1', NOT_FOUND, 404)).toMatchObject({ missing: true, gone: 0 });
  expect(value(goneAt, 'C1')).toBeNull();
  expect(openKnowledge(warehouse).controlNeeded()).toBe(true);
});

/** A mirror whose last run received a 404 for C1, which had returned a record before. Returns its next run. */
function afterClaim() {
  const { record, reopen } = bench();
  record('C1', { id: 'C1', name: 'A' });
  record('C1', NOT_FOUND, 404);
  return reopen();
}

test('a 404 marks a company as gone once an unknown id returns the same 404 and another company has been fetched', () => {
  const { record, value, warehouse, all } = afterClaim();
  record('C2', { id: 'C2' });
  expect(record('C1', NOT_FOUND, 404)).toMatchObject({ missing: true, gone: 0 });
  expect(record('C2', { id: 'C2' }).gone).toBe(0);
  expect(value(goneAt, 'C1')).toBeNull();
  record('NEVER-1', NOT_FOUND, 404);
  expect(value(goneAt, 'C1')).toBe(Date.parse('2026-03-01T00:00:04.000Z'));
  expect(all('SELECT entity_id, _gone_at FROM entity')).toEqual([
    { entity_id: 'C1', _gone_at: '2026-03-01T00:00:04.000Z' },
    { entity_id: 'C2', _gone_at: null },
  ]);
  expect(all('SELECT entity_id, path, before, after, not_before, _call_id FROM entity_change')).toEqual([
    {
      entity_id: 'C1',
      path: '_gone_at',
      before: null,
      after: '2026-03-01T00:00:04.000Z',
      not_before: '2026-03-01T00:00:01.000Z',
      _call_id: 6,
    },
  ]);
  expect(openKnowledge(warehouse).controlNeeded()).toBe(false);
  expect(all('SELECT gone FROM _run')).toEqual([{ gone: 0 }, { gone: 1 }]);
  expect(all('SELECT known, fetched, gone FROM coverage')).toEqual([{ known: 2, fetched: 1, gone: 1 }]);
});

test.each([
  ['404', [NOT_FOUND, 404]],
  ['record of another company', [{ id: 'C2' }, 200]],
] as const)(
  'a single %s never marks a company as gone, although other records are found in the same run',
  (_, [body, status]) => {
    const { record, value, reopen } = bench();
    record('NEVER-1', NOT_FOUND, 404);
    for (const id of ['C1', 'C2', 'C3']) record(id, { id });
    for (const _again of [1, 2]) {
      record('C1', body, status);
      record('C2', { id: 'C2' });
      record('C3', { id: 'C3' });
    }
    expect(value(goneAt, 'C1')).toBeNull();
    expect(value("SELECT flagged_at FROM _company WHERE entity_id = 'C1'")).not.toBeNull();
    const next = reopen();
    next.record('C1', { id: 'C1' });
    expect(value('SELECT count(*) FROM _company WHERE flagged_at IS NOT NULL')).toBe(0);
  },
);

test('a single 404 marks a company as gone if a complete listing no longer shows it', () => {
  const { search, record, value, reopen } = bench();
  search('c', resultPage('C1', 'C2'));
  record('NEVER-1', NOT_FOUND, 404);
  record('C1', { id: 'C1' });
  record('C2', { id: 'C2' });
  const next = reopen();
  next.search('c', resultPage('C2'));
  next.record('C1', NOT_FOUND, 404);
  next.record('C2', { id: 'C2' });
  expect(value(goneAt, 'C1')).not.toBeNull();
});

test('a 404 for the second time does not mark a company as gone if a listing shows it afterwards', () => {
  const { search, record, value } = afterClaim();
  record('NEVER-1', NOT_FOUND, 404);
  record('C1', NOT_FOUND, 404);
  search('a', resultPage({ id: 'C1', name: 'A' }));
  record('C2', { id: 'C2' });
  record('C2', { id: 'C2' });
  expect(value(goneAt, 'C1')).toBeNull();
});

test('no company is marked as gone if a path moves during a run, because responses before the 404 prove nothing', () => {
  const { record, value } = afterClaim();
  record('NEVER-1', NOT_FOUND, 404);
  record('C2', { id: 'C2' });
  record('C2', { id: 'C2' });
  expect(record('C1', NOT_FOUND, 404)).toMatchObject({ missing: true, gone: 0 });
  expect(value(goneAt, 'C1')).toBeNull();
  record('C2', { id: 'C2' });
  expect(value(goneAt, 'C1')).toBe(Date.parse('2026-03-01T00:00:06.000Z'));
});

test('a gone company that a search lists again is fetched once, and returns if that call succeeds', () => {
  const { search, record, value, warehouse } = afterClaim();
  const listing = resultPage({ id: 'C1', name: 'A' });
  const due = () => dueRecords(warehouse).map(({ entityId }) => entityId);
  search('a', listing);
  record('NEVER-1', NOT_FOUND, 404);
  record('C1', NOT_FOUND, 404);
  record('C2', { id: 'C2' });
  record('C2', { id: 'C2' });
  expect(value(goneAt, 'C1')).not.toBeNull();
  expect(due()).toEqual([]);

  search('a', listing);
  expect(due()).toEqual(['C1']);
  record('C1', NOT_FOUND, 404);
  expect(due()).toEqual([]);
  expect(value(goneAt, 'C1')).not.toBeNull();

  search('a', listing);
  record('C1', { id: 'C1', name: 'A' });
  expect(value(goneAt, 'C1')).toBeNull();
  expect(due()).toEqual([]);
});

test('a record with the deletion mark clears the flag of a changed summary, so that the company is not due again', () => {
  const { search, record, warehouse } = bench();
  const tombstone = { id: 'C1', name: 'A', class: 'Deleted' };
  search('a', resultPage({ id: 'C1', name: 'A', status: 'active' }));
  record('C1', tombstone);
  search('a', resultPage({ id: 'C1', name: 'A', status: 'deleted' }));
  expect(dueRecords(warehouse)).toMatchObject([{ entityId: 'C1' }]);
  record('C1', tombstone);
  expect(dueRecords(warehouse)).toEqual([]);
});

test('a company that a 410 marked as gone is fetched once more if a listing shows it, and returns', () => {
  const { search, record, value } = bench();
  const listing = resultPage({ id: 'C1', name: 'A' });
  search('a', listing);
  expect(record('C1', '<html>API v1 was shut down</html>', 410)).toMatchObject({ missing: true, gone: 1 });
  search('a', listing);
  expect(value("SELECT flagged_at FROM _company WHERE entity_id = 'C1'")).not.toBeNull();
  record('C1', { id: 'C1', name: 'A' });
  expect(value(goneAt, 'C1')).toBeNull();
  record('C1', '', 410);
  search('a', listing);
  record('C1', '', 410);
  search('a', listing);
  expect(value("SELECT flagged_at FROM _company WHERE entity_id = 'C1'")).toBeNull();
});

test('a 404 does not mark a company as gone unless another company is fetched in the same run', () => {
  const first = bench();
  first.record('NEVER-1', NOT_FOUND, 404);
  first.record('C1', { id: 'C1' });
  first.record('C1', { id: 'C1' });
  const second = first.reopen();
  expect(second.record('C1', NOT_FOUND, 404)).toMatchObject({ missing: true, gone: 0 });
});

test('a 404 in another form, as for a moved path, does not mark a company as gone', () => {
  const { record, value } = bench();
  record('NEVER-1', NOT_FOUND, 404);
  record('C1', { id: 'C1' });
  record('C2', { id: 'C2' });
  record('C2', { id: 'C2' });
  expect(record('C1', '<html>404</html>', 404)).toMatchObject({ missing: true, gone: 0 });
  expect(value(goneAt, 'C1')).toBeNull();
});

/** A mirror in which C1 was fetched and then returned 410, with a successful call for another company after it. */
function withGoneCompany() {
  const mirror = bench();
  const { record } = mirror;
  record('C2', { id: 'C2' });
  record('C1', { id: 'C1', name: 'A' });
  record('C1', 'gone for good', 410);
  record('C2', { id: 'C2' });
  return mirror;
}

test("a gone company's new record shows that the company has returned", () => {
  const { record, all, value } = withGoneCompany();
  const state = "SELECT state FROM entity_overview WHERE entity_id = 'C1'";
  expect(value(state)).toBe('gone');
  record('C1', { id: 'C1', name: 'A' });
  expect(value("SELECT _gone_at FROM entity WHERE entity_id = 'C1'")).toBeNull();
  expect(all('SELECT path, before, after FROM entity_change')).toEqual([
    { path: '_gone_at', before: null, after: '2026-03-01T00:00:03.000Z' },
    { path: '_gone_at', before: '2026-03-01T00:00:03.000Z', after: null },
  ]);
  expect(value(state)).toBe('fetched');
});

test('a search that lists a company after its tombstone does not make its record due', () => {
  const { search, record, all } = bench();
  const listing = resultPage({ id: 'C1', name: 'A' });
  search('a', listing);
  record('C1', { id: 'C1', name: 'A' });
  record('C1', DELETED);
  search('a', listing);
  expect(all('SELECT flagged_at FROM _company')).toEqual([{ flagged_at: null }]);
});

test('a record that the upstream marks as gone becomes a tombstone and keeps its other fields', () => {
  const { record, all } = bench();
  record('C1', { id: 'C1', name: 'A', capital: 5 });
  expect(record('C1', { id: 'C1', name: 'A', deleted: '2026-02-28', class: 'Deleted' })).toMatchObject({
    verdict: 'gone',
    gone: 1,
    missing: false,
  });
  expect(all('SELECT name, capital, deleted, _gone_at, _call_id FROM entity')).toEqual([
    { name: 'A', capital: 5, deleted: '2026-02-28', _gone_at: '2026-03-01T00:00:02.000Z', _call_id: 2 },
  ]);
  expect(all('SELECT document FROM entity_history ORDER BY observed_from')).toEqual([
    { document: '{"id":"C1","name":"A","capital":5}' },
    { document: '{"id":"C1","name":"A","deleted":"2026-02-28","class":"Deleted"}' },
  ]);
});

test.each([
  ['404', (one: ReturnType<typeof bench>) => one.record('C1', NOT_FOUND, 404)],
  ['410', (one: ReturnType<typeof bench>) => one.record('C1', '', 410)],
  ['reference to another record', (one: ReturnType<typeof bench>) => one.record('C1', { id: 'C2' })],
  ['deletion mark', (one: ReturnType<typeof bench>) => one.record('C1', DELETED)],
])(
  'a company that a %s marked as gone is due at the maximum age, and later each time that it is still gone',
  (_, markGone) => {
    const first = bench();
    for (const id of ['C1', 'C2', 'C3']) first.record(id, { id });
    first.record('NEVER-1', NOT_FOUND, 404);
    markGone(first);
    const second = first.reopen();
    const { record, value, warehouse } = second;
    const maxAgeMs = 1000;
    if (value(goneAt, 'C1') === null) markGone(second);
    record('C2', { id: 'C2' });
    record('C3', { id: 'C3' });
    const goneMs = value(goneAt, 'C1') as number;
    const isDue = (nowMs: number) => {
      const ask = { nowMs, beforeMs: nowMs - maxAgeMs, startedAtMs: nowMs, most: 5, except: new Set('') };
      const due = openKnowledge(warehouse)
        .recordsDue(ask)
        .some(({ entityId }) => entityId === 'C1');
      const ages = { nowMs, summariesMs: maxAgeMs, recordsMs: maxAgeMs };
      expect(openWatchKnowledge(warehouse, dialectWith(), ages).isFresh('C1')).toBe(!due);
      return due;
    };
    expect(isDue(goneMs + maxAgeMs)).toBe(false);
    expect(isDue(goneMs + maxAgeMs + 1)).toBe(true);

    for (let call = 0; call < 10; call++) record('NEVER-1', NOT_FOUND, 404);
    record('C1', NOT_FOUND, 404);
    const askedMs = value('SELECT asked_at FROM _company WHERE entity_id = ?', 'C1') as number;
    expect(askedMs).toBeGreaterThan(goneMs);
    expect(isDue(askedMs + maxAgeMs + (askedMs - goneMs))).toBe(false);
    expect(isDue(askedMs + maxAgeMs + (askedMs - goneMs) + 1)).toBe(true);

    record('C1', { id: 'C1' });
    expect(value(goneAt, 'C1')).toBeNull();
  },
);

test("an unknown company's tombstone is stored", () => {
  const { record, all } = bench();
  record('C9', { id: 'C9', name: 'Old', class: 'Deleted' });
  expect(all('SELECT entity_id, name, _gone_at FROM entity')).toEqual([
    { entity_id: 'C9', name: 'Old', _gone_at: '2026-03-01T00:00:01.000Z' },
  ]);
});

test('an earlier success proves no deletion, even if the clock was set back before the 404', () => {
  const { load, outcome, value } = afterClaim();
  const at = (time: string, one: ReturnType<typeof outcome>) => ({
    ...one,
    sentAt: `2026-03-01T${time}.000Z`,
  });
  load([at('10:00:00', outcome(entityCall('NEVER-1'), NOT_FOUND, 404))]);
  load([
    at('10:00:30', outcome(entityCall('C3'), { id: 'C3' })),
    at('10:00:31', outcome(entityCall('C2'), { id: 'C2' })),
  ]);
  load([at('10:00:01', outcome(entityCall('C1'), NOT_FOUND, 404))]);
  expect(value(goneAt, 'C1')).toBeNull();
  load([at('10:00:02', outcome(entityCall('C2'), { id: 'C2' }))]);
  expect(value(goneAt, 'C1')).not.toBeNull();
});

test('a success that was sent before the 404 arrived proves no deletion', () => {
  const { load, record, outcome, value } = afterClaim();
  record('NEVER-1', NOT_FOUND, 404);
  record('C2', { id: 'C2' });
  const missing = outcome(entityCall('C1'), NOT_FOUND, 404);
  load([missing, { ...outcome(entityCall('C2'), { id: 'C2' }), sentAfter: missing.callId - 1 }]);
  expect(value(goneAt, 'C1')).toBeNull();
  load([{ ...outcome(entityCall('C2'), { id: 'C2' }), sentAfter: missing.callId }]);
  expect(value(goneAt, 'C1')).not.toBeNull();
});

test('a confirmed deletion is not requested again, although the upstream keeps listing the company', () => {
  const { search, record, value } = afterClaim();
  const flaggedAt = () => value("SELECT flagged_at FROM _company WHERE entity_id = 'C1'");
  const listing = resultPage({ id: 'C1', name: 'A' });
  search('a', listing);
  record('NEVER-1', NOT_FOUND, 404);
  record('C2', { id: 'C2' });
  record('C1', NOT_FOUND, 404);
  record('C2', { id: 'C2' });
  search('a', listing);
  expect(flaggedAt()).not.toBeNull();
  record('C1', NOT_FOUND, 404);
  search('a', listing);
  expect(flaggedAt()).toBeNull();
  search('a', resultPage({ id: 'C1', name: 'A, again' }));
  expect(flaggedAt()).not.toBeNull();
});

test('a watchlist and a backfill request a company that counts as gone once a listing shows it', () => {
  const { search, record, warehouse } = afterClaim();
  const dialect = dialectWith();
  const ages = { nowMs: START_MS + 60_000, summariesMs: 1e9, recordsMs: 1e9 };
  search('a', resultPage({ id: 'C1', name: 'A' }));
  record('NEVER-1', NOT_FOUND, 404);
  record('C2', { id: 'C2' });
  record('C1', NOT_FOUND, 404);
  record('C2', { id: 'C2' });
  expect(openWatchKnowledge(warehouse, dialect, ages).isFresh('C1')).toBe(true);
  search('a', resultPage({ id: 'C1', name: 'A' }));
  expect(openWatchKnowledge(warehouse, dialect, ages).isFresh('C1')).toBe(false);
});

test.each<[string, unknown, number, number]>([
  ['named its replacement once', { error: 'merged', replaced_by: 'C9' }, 404, 1],
  ['returned the record of its replacement in two runs', { id: 'C9', name: 'C' }, 200, 2],
])(
  'a company that %s is gone once the record of its replacement has been fetched',
  (_, body, status, runs) => {
    const first = bench();
    first.search('a', resultPage({ id: 'C1', name: 'A' }, { id: 'C2', name: 'B' }));
    if (runs === 2) first.record('C1', body, status);
    const { record, all, value } = first.reopen();
    expect(record('C1', body, status)).toMatchObject({ missing: true, failure: null });
    record('C2', { id: 'C2' });
    expect(value(goneAt, 'C1')).toBeNull();
    expect(record('C9', { id: 'C9', name: 'C' })).toMatchObject({ gone: 1 });
    expect(value(goneAt, 'C1')).not.toBeNull();
    expect(all("SELECT after FROM entity_change WHERE path = '_replaced_by'")).toEqual([{ after: 'C9' }]);
  },
);

test.each([
  ['returns 404', [NOT_FOUND, 404]],
  ['refers to yet another id', [{ id: 'C10' }, 200]],
] as const)(
  'a replacement whose own record call %s does not exist, and proves nothing',
  (_, [body, status]) => {
    const { search, record, value } = bench();
    search('a', resultPage({ id: 'C1', name: 'A' }));
    record('C1', { id: 'C9' });
    record('C9', body, status);
    record('C2', { id: 'C2' });
    record('C2', { id: 'C2' });
    expect(value(goneAt, 'C1')).toBeNull();
    expect(
      value("SELECT group_concat(entity_id) FROM _company WHERE entity_id LIKE 'C1%' OR entity_id = 'C9'"),
    ).toBe('C1');
  },
);

test('an upstream that returns the same record for every id deletes no company', () => {
  const { record, all } = bench();
  const ids = ['C1', 'C2', 'C3'];
  for (const id of ids) record(id, { id });
  for (const id of ids) record(id, { id: 'C3' });
  record('C3', { id: 'C3' });
  expect(all('SELECT entity_id FROM _company WHERE gone_at IS NOT NULL')).toEqual([]);
});

test('an upstream that swaps the records of two companies deletes neither of them', () => {
  const { record, all } = bench();
  for (const id of ['C1', 'C2', 'C3']) record(id, { id });
  record('C1', { id: 'C2' });
  record('C2', { id: 'C1' });
  record('C3', { id: 'C3' });
  expect(all('SELECT entity_id FROM _company WHERE gone_at IS NOT NULL')).toEqual([]);
});

describe('a run in which many known companies return 404', () => {
  const ids = Array.from({ length: 60 }, (_, at) => `C${at}`);

  function failingRun() {
    const loaded = bench();
    const { search, record, warehouse } = loaded;
    search('', resultPage(...ids));
    record('NEVER-1', NOT_FOUND, 404);
    ids.forEach((id, at) => {
      record(id, at % 3 === 0 ? NOT_FOUND : { id }, at % 3 === 0 ? 404 : 200);
    });
    const state = () => {
      const [counts] = loaded.all(
        'SELECT count(gone_at) AS gone, count(flagged_at) AS flagged FROM _company',
      );
      return { ...counts, missing: countMissing(warehouse.db) };
    };
    return { ...loaded, state };
  }

  test('marks no company as gone, and requests them again', () => {
    expect(failingRun().state()).toEqual({ gone: 0, flagged: 20, missing: 20 });
  });

  test('is confirmed by a later run that returns the same 404s', () => {
    const { reopen, state } = failingRun();
    const { record } = reopen();
    for (const id of ids.filter((_, at) => at % 3 === 0)) record(id, NOT_FOUND, 404);
    record('C1', { id: 'C1' });
    expect(state()).toEqual({ gone: 20, flagged: 0, missing: 0 });
  });

  test('is refuted by a later run that finds some of the companies, whose other 404s are doubted too', () => {
    const { reopen, state } = failingRun();
    const { record } = reopen();
    for (const at of [15, 18, 21, 24, 27, 30]) record(`C${at}`, { id: `C${at}` });
    for (const at of [33, 36]) record(`C${at}`, NOT_FOUND, 404);
    record('C1', { id: 'C1' });
    expect(state()).toEqual({ gone: 0, flagged: 14, missing: 14 });
  });
});

test.each([
  ['fetch', 1],
  ['list', 1],
  ['list fetch', 2],
  ['fetch list', 1],
  ['list fetch list', 2],
])('a company that is gone after "%s" was last known to exist in second %i', (steps, second) => {
  const { record, search, value } = bench();
  for (const step of steps.split(' '))
    if (step === 'fetch') record('C1', { id: 'C1' });
    else search('a', resultPage({ id: 'C1' }));
  record('C1', '', 410);
  expect(value('SELECT not_before FROM entity_change')).toBe(`2026-03-01T00:00:0${second}.000Z`);
});
