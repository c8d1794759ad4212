// node --import …/kill_after_store.ts … with KILL_AFTER_STORE=n, KILL_STATEMENTS_LATER=k and KILL_JOURNAL=FILE. Ends
// the process with SIGKILL after the n-th commit that adds rows to `_call`. A response is then stored but not
// processed. k more statements can run, but nothing more is committed to the warehouse. The journal lists every body
// that arrived complete, independently of the code under test.
import { hash } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import Sqlite, { type Database, type Statement } from 'better-sqlite3';
import type { Journalled } from './stored_kill_marks.ts';

const killAfter = Number(process.env.KILL_AFTER_STORE ?? Number.POSITIVE_INFINITY);
const statementsLater = Number(process.env.KILL_STATEMENTS_LATER ?? 0);
const journalPath = process.env.KILL_JOURNAL;
let stores = 0;
let knownCalls: number | null = null;
let statementsLeft: number | null = null;

function journal(line: Journalled): void {
  if (journalPath !== undefined) appendFileSync(journalPath, `${JSON.stringify(line)}\n`);
}

function kill(): void {
  journal({ is: 'killed', atMs: Date.now() });
  process.kill(process.pid, 'SIGKILL');
}

const memory = new Sqlite(':memory:');
const statementPrototype = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object;
memory.close();
const originals = Object.fromEntries(
  ['run', 'get', 'all', 'iterate'].map((name) => [name, Reflect.get(statementPrototype, name)]),
) as Record<string, (this: unknown, ...args: unknown[]) => unknown>;

for (const [name, original] of Object.entries(originals)) {
  const watched = function (this: Statement, ...args: unknown[]) {
    const isCommit = commits(this);
    before(this.database, isCommit);
    const result = original.apply(this, args);
    if (isCommit) after(this.database);
    return result;
  };
  Object.defineProperty(statementPrototype, name, { value: watched, writable: true, configurable: true });
}

const database = Sqlite.prototype as { exec(sql: string): Database };
const exec = database.exec;
database.exec = function (this: Database, sql: string) {
  before(this, true);
  exec.call(this, sql);
  after(this);
  return this;
};

function before(db: Database, isCommit: boolean): void {
  if (statementsLeft === null) return;
  if (statementsLeft === 0 || (isCommit && isWarehouse(db))) kill();
  statementsLeft -= 1;
}

/** A statement outside a transaction is its own commit. */
function commits({ source, readonly, database }: Statement): boolean {
  if (source === 'COMMIT') return true;
  return !readonly && !database.inTransaction && !source.startsWith('BEGIN');
}

/** Returns whether this commit stored a response. */
function after(db: Database): void {
  if (!isWarehouse(db) || db.inTransaction || !db.open) return;
  const calls = callsIn(db);
  if (calls === null) return;
  const isStore = knownCalls !== null && calls > knownCalls;
  knownCalls = calls;
  if (!isStore) return;
  stores += 1;
  journal({ is: 'stored', calls, atMs: Date.now() });
  if (stores !== killAfter) return;
  if (statementsLater === 0) kill();
  statementsLeft = statementsLater;
}

/** Null until the table exists. */
function callsIn(db: Database): number | null {
  const count = (sql: string) => {
    const row = originals.get?.call(db.prepare(sql)) as { count: number };
    return row.count;
  };
  if (count("SELECT count(*) AS count FROM sqlite_schema WHERE name = '_call'") === 0) return null;
  return count('SELECT count(*) AS count FROM _call');
}

function isWarehouse({ name }: Database): boolean {
  return name.endsWith('warehouse.db');
}

diagnostics.subscribe('http.client.response.finish', (message) => {
  const { request, response } = message as { request: { path: string }; response: IncomingMessage };
  const chunks: Buffer[] = [];
  const push = response.push.bind(response);
  response.push = (chunk: unknown, ...rest: [BufferEncoding?]) => {
    if (Buffer.isBuffer(chunk)) chunks.push(Buffer.from(chunk));
    return push(chunk, ...rest);
  };
  response.once('end', () => {
    const digest = hash('sha256', Buffer.concat(chunks));
    if (response.complete) journal({ is: 'received', path: request.path, digest, atMs: Date.now() });
  });
});
