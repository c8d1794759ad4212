// node test/bench/choosing/upstream.ts ORDER Serves the registry in its own process, so that its memory and time are
// not measured. The registry contains a warehouse's companies, and some that the warehouse does not know.
import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Call } from '../../../src/call.ts';
import { folded } from '../../../src/names/folding.ts';
import { afterAll } from '../../../src/names/ordered_texts.ts';
import { findsName } from '../../../src/names/query_matching.ts';
import { openKnowledge } from '../../../src/warehouse/plan_knowledge.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { DIALECT, recordBody, searchBody, statsBody } from '../growth/registry.ts';
import type { ChoosingOrder } from './batch.ts';
import type { ChoosingKind } from './kind.ts';

interface Found {
  readonly total: number;
  /** Returns the first matches' ids. */
  readonly first: readonly number[];
}

const { kind, ...order } = JSON.parse(process.argv[2] ?? '') as ChoosingOrder;
const PAGE = DIALECT.search.paging.size;
const warehouse = openWarehouse({ path: order.warehouse, nowMs: Date.now() });
warehouse.db.pragma('cache_size = -2000');
const hidden = JSON.parse(readFileSync(order.hidden, 'utf8')) as [id: string, name: string][];
const shown = new Set<string>();
const companies = openKnowledge(warehouse).knownCount() + hidden.length;
const find =
  kind === 'prefix' ? beginningSo(warehouse) : kind === 'record' ? null : withWords(warehouse, kind);
const nameOf = warehouse.db.prepare<[number], { entity_id: string; name: string }>(
  'SELECT entity_id, name FROM _company WHERE known_id = ?',
);
process.on('message', (call: Call) => process.send?.(answer(call)));
process.send?.(companies);

function answer(call: Call): string {
  if (call.kind === 'entity') return recordBody(Number(call.entityId));
  if (call.kind === 'stats' || find === null) return statsBody(companies);
  const { text, by } = call.query;
  if (by === 'identifier') return searchBody(companies, text, call.page.index);
  const fitting = hidden.filter(([, name]) => findsName(semantics(), text, name));
  const fresh = fitting.filter(([id]) => !shown.has(id)).slice(0, PAGE);
  for (const [id] of fresh) shown.add(id);
  const { total, first } = find(text);
  const others = first.slice(0, PAGE - fresh.length).flatMap((id) => nameOf.get(id) ?? []);
  return JSON.stringify({
    total: total + fitting.length,
    results: [
      ...fresh.map(([id, name]) => ({ company_number: id, name })),
      ...others.map(({ entity_id, name }) => ({ company_number: entity_id, name })),
    ],
  });
}

function semantics() {
  return kind === 'token' || kind === 'token_prefix' ? kind : 'prefix';
}

/** Returns the initially known names that begin with the text. */
function beginningSo({ db }: Warehouse): (text: string) => Found {
  const last = db.prepare('SELECT max(known_id) FROM _company').pluck().get() as number;
  const among = 'FROM _name WHERE folded >= @text AND folded < @end AND known_id <= @last';
  const count = db.prepare<[object], number>(`SELECT count(*) ${among}`).pluck();
  const first = db.prepare<[object], number>(`SELECT known_id ${among} LIMIT ${PAGE}`).pluck();
  return (text) => {
    const range = { text, end: afterAll(text), last };
    return { total: count.get(range) ?? 0, first: first.all(range) };
  };
}

/**
 * Returns the names that match the words. Reads them from an index file in the warehouse's folder. Later runs reuse the
 * file.
 */
function withWords({ path, db }: Warehouse, how: ChoosingKind): (text: string) => Found {
  const index = new Sqlite(`${path}.words`);
  index.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE VIRTUAL TABLE IF NOT EXISTS name USING fts5 (
      folded, content = '', detail = none, columnsize = 0, prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 0');
    CREATE TABLE IF NOT EXISTS indexed (last INTEGER NOT NULL)`);
  const before = (index.prepare('SELECT max(last) FROM indexed').pluck().get() as number | null) ?? 0;
  const insert = index.prepare('INSERT INTO name (rowid, folded) VALUES (?, ?)');
  const names = db.prepare<[number], { id: number; name: string }>(
    'SELECT known_id AS id, name FROM _company WHERE known_id > ? AND name IS NOT NULL ORDER BY known_id',
  );
  index.transaction(() => {
    let last = before;
    for (const { id, name } of names.iterate(before)) {
      insert.run(id, folded(name));
      last = id;
    }
    index.prepare('INSERT INTO indexed (last) VALUES (?)').run(last);
  })();
  const count = index.prepare<[string], number>('SELECT count(*) FROM name WHERE name MATCH ?').pluck();
  const first = index
    .prepare<[string], number>(`SELECT rowid FROM name WHERE name MATCH ? LIMIT ${PAGE}`)
    .pluck();
  return (text) => {
    const words = text.split(' ').filter((word) => word !== '');
    const wanted = words.map((word) => `"${word}"${how === 'token' ? '' : ' *'}`).join(' AND ');
    return { total: count.get(wanted) ?? 0, first: first.all(wanted) };
  };
}
