import { type GeneratedCompany, generateRegistry } from '../../../data/generate.ts';
import { isoTime } from '../../../src/clock.ts';
import { CallIds } from '../../../src/fetch/fetch.ts';
import { type Json, stringifyJson } from '../../../src/json/json.ts';
import { type IndexedCompany, NameIndex } from '../../../src/warehouse/name_index.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';

/**
 * Fills a warehouse with synthetic companies. Each company has one record response, and each search page lists 100
 * companies. It uses SQL, because the loader would take minutes for a million responses. Tables that `serve` does not
 * read stay empty.
 */
export function fillWarehouse(path: string, companies: number, nowMs: number): void {
  const warehouse = openWarehouse({ path, nowMs });
  const { db } = warehouse;
  // The settings are fast but not crash-safe, which is enough because the next run replaces an incomplete file.
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = OFF');
  const call = db.prepare(
    `INSERT INTO _call (call_id, run_id, kind, target, reason, expected, sent_at, ms, status, outcome, bytes, rows, new)
     VALUES (?, 1, ?, ?, 'benchmark', 1, ?, 20, 200, 'ok', ?, ?, ?)`,
  );
  const answer = db.prepare('INSERT INTO _answer (call_id, body) VALUES (?, ?)');
  const known = db.prepare(
    `INSERT INTO _company (known_id, entity_id, name, first_seen_at, listed_at, asked_at, fetched_at)
     VALUES (@knownId, @id, @name, @atMs, @atMs, @atMs, @atMs)`,
  );
  const entity = db.prepare(
    'INSERT INTO entity (entity_id, _fetched_at, _changed_at, _call_id) VALUES (@id, @at, @at, @callId)',
  );
  const version = db.prepare('INSERT INTO _record_version (entity_id, call_id) VALUES (?, ?)');
  const found = db.prepare(
    'INSERT INTO search_result (entity_id, _first_seen_at, _last_seen_at, _call_id) VALUES (?, ?, ?, ?)',
  );
  const names = new NameIndex(db);
  const callIds = new CallIds({ last: 0, runId: 1 });
  let sentAtMs = nowMs - companies * MS_PER_CALL * 1.01;
  let knownId = 0;

  const answered = (kind: string, target: string, document: Json, rows: number) => {
    const callId = callIds.next();
    sentAtMs += MS_PER_CALL;
    const at = isoTime(sentAtMs);
    const body = Buffer.from(stringifyJson(document));
    call.run(callId, kind, target, at, body.length, rows, rows);
    answer.run(callId, body);
    return { callId, at };
  };
  const addPage = db.transaction((page: readonly GeneratedCompany[]) => {
    const results = page.map(summaryOf);
    const listing = answered('search', `name:${knownId}`, { total: page.length, results }, page.length);
    for (const { id } of page) found.run(id, listing.at, listing.at, listing.callId);
    const written: IndexedCompany[] = [];
    for (const { id, name, fields } of page) {
      const record = answered('entity', id, { id, name, ...fields }, 1);
      version.run(id, record.callId);
      known.run({ knownId: ++knownId, id, name, atMs: Date.parse(record.at) });
      entity.run({ id, ...record });
      written.push({ knownId, entityId: id, name, formerNames: null, identifiers: null });
    }
    names.write(written.map((after) => ({ before: null, after })));
  });

  const now = isoTime(nowMs);
  db.prepare(
    "INSERT INTO _run (run_id, command, started_at, ended_at, ended, calls) VALUES (1, 'benchmark', ?, ?, 'done', ?)",
  ).run(now, now, companies);
  for (const page of pagesOf(generateRegistry({ companies, seed: 8 }))) addPage(page);
  const totals = db.prepare('INSERT OR REPLACE INTO _tally (what, n) VALUES (?, ?)');
  for (const what of ['known', 'listed', 'fetched']) totals.run(what, knownId);
  const stats = answered('stats', '', { companies: { total: companies } }, 0);
  db.prepare('INSERT INTO registry_stats (observed_at, total, _call_id) VALUES (?, ?, ?)').run(
    stats.at,
    companies,
    stats.callId,
  );
  warehouse.close();
}

function summaryOf({ id, name, fields }: GeneratedCompany): Json {
  const { status = null, legal_form = null, registered_on = null } = fields;
  return { id, name, status, legal_form, registered_on };
}

function* pagesOf(companies: Iterable<GeneratedCompany>): Generator<GeneratedCompany[]> {
  let page: GeneratedCompany[] = [];
  for (const company of companies) {
    page.push(company);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

const PAGE_ROWS = 100;
const MS_PER_CALL = 20;
