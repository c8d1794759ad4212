import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import type { Call } from '../../../src/call.ts';
import { classify } from '../../../src/dialect/classify.ts';
import { DEFAULT_MAPPING, Mapping } from '../../../src/dialect/mapping.ts';
import { forget } from '../../../src/load/forget.ts';
import { Loader } from '../../../src/load/load.ts';
import { reprocess } from '../../../src/load/reprocess.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { answerTable } from '../../../src/warehouse/answer.ts';
import type { Cell } from '../../../src/warehouse/export/rowset.ts';
import {
  type Applied,
  type Change,
  NOTHING_APPLIED,
  wholeFeedAt,
} from '../../../src/warehouse/feed/changes.ts';
import { cursorOf, readCursor } from '../../../src/warehouse/feed/feed_page.ts';
import { lastVersion } from '../../../src/warehouse/feed/versions.ts';
import { startRun } from '../../../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { changesUpTo, exportedText, FeedCopy } from '../../support/feed_copy.ts';
import { dialectWith } from '../../support/loader_dialect.ts';

const START_MS = Date.parse('2026-03-01T00:00:00Z');
const STEPS = 20;
const CONSUMERS = 3;

/** A kind of event in a history. */
export type Step = keyof ReturnType<typeof stepsOf>;

/**
 * Simulates a mirror's random history. Consumers follow the mirror's change feed, each at its own speed and in pages of
 * random sizes. Throws if a copy differs from a full export, or if the feed contains data about a forgotten company. A
 * rebuild takes as long as a history's other steps together, so only every fourth history has rebuilds by default.
 */
export async function liveHistory(
  seed: number,
  { rebuilds = seed % 4 === 0 }: { readonly rebuilds?: boolean } = {},
): Promise<ReadonlyMap<Step, number>> {
  const warehouse = rebuilds ? openFile() : openInMemory();
  try {
    return await live(warehouse, seededRandom(seed), rebuilds);
  } catch (error) {
    throw new Error(`history ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    warehouse.close();
    if (rebuilds) rmSync(dirname(warehouse.path), { recursive: true });
  }
}

/** Opens a file, because a rebuild makes its tables in a second file. */
function openFile(): Warehouse {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-feed-'));
  return openWarehouse({ path: join(folder, 'warehouse.db'), nowMs: START_MS });
}

/** Opens an in-memory copy of an empty warehouse, because 10,000 files would take several times as long. */
function openInMemory(): Warehouse {
  const db = new Sqlite(EMPTY);
  db.pragma('foreign_keys = ON');
  const inTransaction = db.transaction((work: () => unknown) => work()).immediate;
  return {
    path: ':memory:',
    db,
    write: <T>(work: () => T) => (db.inTransaction ? work() : (inTransaction(work) as T)),
    close: () => void db.close(),
    [Symbol.dispose]: () => void db.close(),
  };
}

const EMPTY = emptyWarehouse();

function emptyWarehouse(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-feed-'));
  const { db, close } = openWarehouse({ path: join(folder, 'empty.db'), nowMs: START_MS });
  // SQLite cannot open a database in WAL mode in memory.
  db.pragma('journal_mode = DELETE');
  const content = db.serialize();
  close();
  rmSync(folder, { recursive: true });
  return content;
}

async function live(
  warehouse: Warehouse,
  random: Random,
  rebuilds: boolean,
): Promise<ReadonlyMap<Step, number>> {
  const steps = stepsOf(warehouse, random);
  const names = Object.entries(WEIGHTS)
    .filter(([name]) => rebuilds || (name !== 'rebuild' && name !== 'remap'))
    .flatMap(([name, weight]) => new Array<Step>(weight).fill(name as Step));
  const consumers = Array.from(
    { length: CONSUMERS },
    (): Consumer => ({ copy: new FeedCopy(), applied: NOTHING_APPLIED }),
  );
  const counts = new Map<Step, number>();
  for (let step = 0; step < STEPS; step++) {
    const name = random.pick(names);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await steps[name]();
    for (const consumer of consumers) if (random.chance(0.3)) follow(warehouse, consumer, random);
  }
  const expected = exportedText(warehouse.db);
  for (const consumer of consumers) {
    while (follow(warehouse, consumer, random) > 0);
    assertEqual(consumer.copy.text(), expected);
  }
  assertForgotten(warehouse, steps.forgottenNames());
  return counts;
}

interface Consumer {
  readonly copy: FeedCopy;
  applied: Applied;
}

/** Applies one page of changes, and returns their number. */
function follow({ db }: Warehouse, consumer: Consumer, random: Random): number {
  const limit = random.pick([1, 2, 5, 1000]);
  const changes = changesUpTo(db, consumer.applied, limit);
  for (const change of changes) consumer.copy.apply(change);
  const isWhole = changes.length < limit;
  const part = { ...consumer.applied, version: changes.at(-1)?.version ?? 0 };
  consumer.applied = readCursor(db, cursorOf(db, isWhole ? wholeFeedAt(lastVersion(db)) : part));
  return changes.length;
}

const WEIGHTS = {
  record: 8,
  again: 5,
  gone: 2,
  missing: 3,
  search: 6,
  listing: 3,
  stats: 1,
  batch: 3,
  forget: 1,
  reopen: 1,
  compact: 1,
  rebuild: 1,
  remap: 1,
} as const;

function stepsOf(warehouse: Warehouse, random: Random) {
  const { db } = warehouse;
  let mapping: Mapping = DEFAULT_MAPPING;
  let dialect = dialectWith();
  let callId = 0;
  let runId = startRun(db, { command: 'test', owner: null, nowMs: START_MS });
  const open = () => new Loader({ warehouse, dialect, runId, mapping });
  let loader = open();
  const last = new Map<string, string>();
  const forgotten = new Set<string>();

  const outcome = (call: Call, body: string, status = 200): Outcome => {
    callId += 1;
    const sentAtMs = START_MS + callId * 1000;
    const bytes = Buffer.from(random.chance(0.3) ? body.replaceAll('/', '\\/') : body);
    const verdict = classify(
      dialect,
      call,
      { status, headers: {}, body: bytes },
      { nowMs: sentAtMs, keyHasWorked: true },
    );
    return {
      callId,
      call,
      sentAt: new Date(sentAtMs).toISOString(),
      durationMs: 1,
      status,
      body: bytes,
      verdict,
    };
  };
  const recordOf = (id: string, body: string, status?: number) =>
    outcome({ kind: 'entity', entityId: id, ...PLANNED }, body, status);
  const record = () => {
    const id = random.pick(IDS);
    const body = JSON.stringify(randomRecord(id, random));
    last.set(id, body);
    return recordOf(id, body);
  };
  const search = (items: object[]) => {
    const body = JSON.stringify({ total: items.length, results: items });
    last.set('', body);
    return outcome(
      {
        kind: 'search',
        query: { by: 'name', text: random.pick(['a', 'b']) },
        page: { index: 0, next: null },
        ...PLANNED,
      },
      body,
    );
  };
  const load = (...outcomes: Outcome[]) => void loader.load(outcomes);
  const rebuild = async () => {
    const before = exportedText(db, storedText);
    const version = lastVersion(db);
    await reprocess({ warehouse, dialect, mapping });
    const after = exportedText(db, storedText);
    assertOnlyChanged(changesUpTo(db, wholeFeedAt(version)), before, after);
    loader = open();
  };
  return {
    record: () => load(record()),
    again: () => {
      const id = random.pick(IDS);
      load(recordOf(id, last.get(id) ?? '{}'));
    },
    gone: () => load(recordOf(random.pick(IDS), '', 410)),
    missing: () => load(recordOf(random.pick([...IDS, 'unknown']), '{"error":"none"}', 404)),
    search: () => load(search(IDS.filter(() => random.chance(0.5)).map((id) => randomSummary(id, random)))),
    listing: () =>
      load(
        outcome(
          { kind: 'search', query: { by: 'name', text: 'a' }, page: { index: 0, next: null }, ...PLANNED },
          last.get('') ?? '{"results":[]}',
        ),
      ),
    stats: () =>
      load(
        outcome(
          { kind: 'stats', ...PLANNED },
          JSON.stringify({ companies: random.below(9), [`x${random.below(3)}`]: 1 }),
        ),
      ),
    batch: () => load(record(), record(), search([randomSummary(random.pick(IDS), random)]), record()),
    forget: () => {
      const id = random.pick(IDS);
      forgotten.add(id);
      forget({ warehouse, dialect, entityIds: [id], nowMs: START_MS + callId * 1000 });
      assertErased(warehouse, id);
      loader = open();
    },
    reopen: () => {
      runId = startRun(db, { command: 'test', owner: null, nowMs: START_MS });
      loader = open();
    },
    compact: () => Array.from(answerTable(db).packAll()),
    rebuild,
    remap: async () => {
      mapping = random.pick(MAPPINGS);
      dialect = dialectWith(random.pick(DIALECTS));
      await rebuild();
    },
    forgottenNames: () => [...forgotten],
  };
}

const PLANNED = { reason: 'test', expected: 1 };
const IDS = ['C1', 'C2', 'C3', 'C4', '5/5'];
const DIALECTS = [
  {},
  {},
  { search: { results: '/other' } },
  { entity: { gone: null } },
  { entity: { id: '/a' } },
];
const MAPPINGS = [
  DEFAULT_MAPPING,
  Mapping.parse({ entity: { '/a': { column: 'renamed' } } }),
  Mapping.parse({ entity: { '/officers/*/name': { drop: true }, '/b': { type: 'text' } } }),
  Mapping.parse({ entity: { '/officers': { drop: true } }, search_result: { '/a': { drop: true } } }),
  Mapping.parse({ max_columns: 3 }),
];

function randomRecord(id: string, random: Random): object {
  return {
    id,
    name: `secret-${id}-${random.below(3)}`,
    ...(random.chance(0.1) ? { class: 'Deleted' } : {}),
    queried_at: random.below(100),
    ...fields(random),
    officers: Array.from({ length: random.below(4) }, () => ({
      name: `officer of secret-${id}-`,
      ...fields(random),
      roles: Array.from({ length: random.below(3) }, () => random.pick(VALUES)),
    })),
  };
}

function randomSummary(id: string, random: Random): object {
  return {
    id,
    name: `secret-${id}-${random.below(2)}`,
    ...fields(random),
    ...(random.chance(0.3) ? { tags: Array.from({ length: random.below(3) }, () => random.below(2)) } : {}),
  };
}

function fields(random: Random): object {
  return Object.fromEntries(
    FIELDS.filter(() => random.chance(0.3)).map((name) => [name, random.pick(VALUES)]),
  );
}

const FIELDS = ['a', 'b', '_c', 'd', 'x y'];
const VALUES = [null, 1, 2, 1.5, 'x', '007', true, '2026-01-01', 9007199254740991, '', { deep: 1 }, ['l']];

function assertEqual(copy: readonly string[], exported: readonly string[]): void {
  const missing = exported.filter((row) => !copy.includes(row));
  const extra = copy.filter((row) => !exported.includes(row));
  if (missing.length + extra.length > 0)
    throw new Error(`the copy lacks\n${missing.join('\n')}\nand has\n${extra.join('\n')}`);
}

/** Returns a value as text. After a rebuild without a forgotten record, a column can have the integer 1 for the decimal 1.0. */
function storedText(value: Cell): string {
  return JSON.stringify(value, (_, number) => (typeof number === 'bigint' ? `${number} (integer)` : number));
}

/** Checks that a rebuild adds no company to the feed whose rows are all unchanged. */
function assertOnlyChanged(
  changes: readonly Change[],
  before: readonly string[],
  after: readonly string[],
): void {
  const different = [
    ...before.filter((row) => !after.includes(row)),
    ...after.filter((row) => !before.includes(row)),
  ];
  const isDifferent = (id: string) =>
    different.some((row) => row.includes(`entity_id=${JSON.stringify(id)}`));
  const unchanged = changes.filter(
    ({ table, key }) => table?.keys[0] === 'entity_id' && !isDifferent(String(key[0])),
  );
  if (unchanged.length > 0 || (different.length === 0 && changes.length > 0))
    throw new Error(
      `a rebuild adds unchanged rows to the feed: ${changes.map(({ key }) => key.join()).join(' ')}`,
    );
}

/** Checks that the feed contains only the id of a forgotten company. */
function assertForgotten({ db }: Warehouse, ids: readonly string[]): void {
  const changes = changesUpTo(db, NOTHING_APPLIED);
  for (const id of ids)
    for (const { op, row, key } of changes)
      if (row?.some((cell) => String(cell).includes(`secret-${id}-`)) || (key[0] === id && op !== 'forget'))
        throw new Error(`the feed contains data about the forgotten company ${id}`);
}

/** Checks that no byte of the file contains the name of a company that was just forgotten. */
function assertErased({ db }: Warehouse, id: string): void {
  const blocks = db.prepare<[], Buffer>('SELECT content FROM _block').pluck().all();
  const bytes = Buffer.concat([db.serialize(), ...blocks.map((content) => zstdDecompressSync(content))]);
  for (const trace of [`secret-${id}-`, `secret-${id.replace('/', '\\/')}-`])
    if (bytes.includes(trace)) throw new Error(`the file still contains ${trace}`);
}
