// node --import …/kill_at.ts …: with KILL_AT=n, SIGKILL ends the process directly before its n-th SQL statement.
// Without it, the process finally prints to standard error how many statements it ran. A line at the first statement is
// always printed.
import Sqlite from 'better-sqlite3';

const killAt = Number(process.env.KILL_AT ?? Number.POSITIVE_INFINITY);
let statements = 0;

function count(): void {
  statements += 1;
  if (statements === 1) process.stderr.write('first statement\n');
  if (statements === killAt) process.kill(process.pid, 'SIGKILL');
}

function countedBefore(prototype: object, name: string): void {
  const original = Reflect.get(prototype, name) as (...args: unknown[]) => unknown;
  const counted = function (this: unknown, ...args: unknown[]) {
    count();
    return original.apply(this, args);
  };
  Object.defineProperty(prototype, name, { value: counted, writable: true, configurable: true });
}

const db = new Sqlite(':memory:');
const statement = Object.getPrototypeOf(db.prepare('SELECT 1')) as object;
db.close();
for (const name of ['run', 'get', 'all', 'iterate']) countedBefore(statement, name);

// A script with several statements, such as a migration, runs statement by statement.
const database = Sqlite.prototype as { exec(sql: string): Sqlite.Database };
const exec = database.exec;
database.exec = function (this: Sqlite.Database, sql: string) {
  for (const one of statementsIn(sql)) {
    count();
    exec.call(this, one);
  }
  return this;
};

/** Splits a script into its statements. A trigger contains statements and ends with END. */
function statementsIn(sql: string): string[] {
  const found: string[] = [];
  let current = '';
  for (const part of sql.split(/(?<=;)\s*\n/)) {
    current += `${part}\n`;
    if (/\bCREATE TRIGGER\b/.test(current) && !/\bEND;?\s*$/.test(current)) continue;
    found.push(current);
    current = '';
  }
  return current === '' ? found : [...found, current];
}

process.on('exit', () => {
  if (!Number.isFinite(killAt)) process.stderr.write(`statements: ${statements}\n`);
});
