import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { GeneratedCompany } from '../../../data/generate.ts';
import type { Random } from '../../../src/random.ts';
import { answerTable } from '../../../src/warehouse/answer.ts';
import { SCHEMA_VERSION } from '../../../src/warehouse/migrate.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../../support/dump.ts';
import { compareWithUpstream } from '../../support/equality.ts';
import { makeOlder } from '../../support/older_ledger.ts';
import { startOwnRedis } from '../../support/redis_server.ts';
import { type Overrides, openUpstream, type Upstream } from '../../support/upstream.ts';
import { CALLS, OLDER_VERSION, readOlderWarehouse, writeOlderWarehouse } from '../older_file.ts';
import { type Marks, removeFile, spentIn, watchFiles } from './kill_marks.ts';

/** A command that is killed repeatedly while it works on one mirror, with the checks after each kill. */
export interface Victim {
  readonly upstream: Upstream;
  readonly args: readonly string[];
  /**
   * The command is killed before a random one of its first `mostStatements` statements, or of all its statements if
   * null.
   */
  readonly mostStatements: number | null;
  /** Runs before each start of the command. */
  prepare(random: Random): void;
  /** Returns the faults after a kill, one sentence each. */
  after(): string[];
  /** Runs if the command ended before the kill. Prepares new work for the next start, and returns the faults. */
  spared(): string[];
  /** Runs the command until it ends without a kill, and returns the faults. */
  finish(): Promise<string[]>;
  close(): Promise<void>;
}

export type VictimName = 'sync' | 'backfill' | 'worker' | 'reprocess' | 'compact' | 'export' | 'migrations';

const CONCURRENCY = 4;
// A run on a small registry executes about ten thousand statements.
const MOST_STATEMENTS = 600;
const MAPPINGS = [{}, { entity: { '/name': { column: 'title' } } }];

export const VICTIMS: Readonly<
  Record<VictimName, (companies: readonly GeneratedCompany[]) => Promise<Victim>>
> = {
  sync: async (companies) => {
    const { upstream, marks } = await open(companies);
    return {
      ...over(upstream, marks),
      args: ['sync'],
      // Sometimes the mirror starts over with an empty warehouse and the same ledger.
      prepare: (random) => {
        if (random.chance(0.1)) startOver(upstream, marks);
      },
      spared: () => wholeAndOver(upstream, marks),
      finish: () => syncToTheEnd(upstream),
    };
  },

  backfill: async (companies) => {
    const { upstream, marks } = await open(companies);
    const ids = join(upstream.folder, 'ids.txt');
    writeFileSync(ids, companies.map(({ id }) => id).join('\n'));
    const args = ['backfill', '--ids', ids];
    return {
      ...over(upstream, marks),
      args,
      spared: () => wholeAndOver(upstream, marks),
      finish: async () => {
        const { json, said } = await upstream.run(...args);
        return json?.ok === true ? compared(upstream) : [`the last backfill failed: ${said}`];
      },
    };
  },

  worker: async (companies) => {
    const redis = await startOwnRedis();
    const { upstream, marks } = await open(companies, {
      schedule: { stats: '* * * * *', sweep: '* * * * *', entities: '* * * * * *' },
      worker: { redis_url: redis.url, health_port: 0, job_calls: 40 },
    });
    return {
      ...over(upstream, marks),
      args: ['worker', '--quiet'],
      finish: () => syncToTheEnd(upstream),
      close: async () => {
        await upstream.close();
        await redis.close();
      },
    };
  },

  reprocess: async (companies) => {
    const { upstream, marks } = await openMirrored(companies);
    const states: string[] = [];
    for (const mapping of MAPPINGS) {
      configure(upstream, { mapping });
      await upstream.run('reprocess');
      states.push(stateOf(upstream));
    }
    const arrivals = upstream.sandbox.arrivals().length;
    let [before, next] = [MAPPINGS.length - 1, 0];
    /** Each start changes the mapping, so that the tables are either the old ones or the new ones. */
    const looked = (mayBeOld: boolean) => {
      const state = stateOf(upstream);
      const isOld = state === states[before];
      if (state === states[next]) before = next;
      return [
        ...(before === next || (mayBeOld && isOld)
          ? []
          : ['the tables are neither the old nor the new ones']),
        ...(upstream.sandbox.arrivals().length === arrivals ? [] : ['calls were made']),
      ];
    };
    return {
      ...over(upstream, marks),
      args: ['reprocess'],
      mostStatements: null,
      prepare: () => {
        next = (before + 1) % MAPPINGS.length;
        configure(upstream, { mapping: MAPPINGS[next] });
      },
      after: () => [...marks.after(), ...looked(true)],
      spared: () => looked(false),
      finish: async () => {
        const { code, said } = await upstream.run('reprocess');
        return [...(code === 0 ? [] : [`exit ${code}: ${said}`]), ...looked(false), ...compared(upstream)];
      },
    };
  },

  compact: async (companies) => {
    const { upstream, marks } = await openMirrored(companies);
    const bodies = bodiesOf(upstream);
    const unchanged = () => (bodiesOf(upstream) === bodies ? [] : ['a stored response has changed']);
    return {
      ...over(upstream, marks),
      args: ['compact'],
      mostStatements: null,
      // The responses are compressed again by the next start.
      prepare: () => withWarehouse(upstream, ({ db }) => Array.from(answerTable(db).unpackAll())),
      after: () => [...marks.after(), ...unchanged()],
      finish: async () => {
        const { code, said } = await upstream.run('compact');
        return [...(code === 0 ? [] : [`exit ${code}: ${said}`]), ...unchanged(), ...compared(upstream)];
      },
    };
  },

  export: async (companies) => {
    const { upstream, marks } = await openMirrored(companies);
    const formats = ['csv', 'jsonl', 'parquet'];
    const out = () => join(upstream.folder, formats[0] ?? '');
    const args = () => ['export', '--format', formats[0] ?? '', '--out', out()];
    let exports = 0;
    return {
      ...over(upstream, marks),
      get args() {
        return args();
      },
      mostStatements: null,
      // Each start writes other rows, so files from two exports would not match one manifest.
      prepare: () => {
        formats.push(formats.shift() ?? '');
        exports += 1;
        withWarehouse(upstream, ({ db }) =>
          db.prepare('UPDATE entity SET name = ?').run(`Export ${exports}`),
        );
      },
      after: () => [...marks.after(), ...torn(out())],
      finish: async () => {
        const { code, said } = await upstream.run(...args());
        if (code !== 0) return [`exit ${code}: ${said}`];
        const { files } = manifestIn(out());
        const rows = files.find(({ table }) => table === 'entity')?.rows;
        return [
          ...(code === 0 ? torn(out()) : [`exit ${code}: ${said}`]),
          ...(rows === companies.length ? [] : [`${rows} records of ${companies.length} were exported`]),
        ];
      },
    };
  },

  migrations: async (companies) => {
    const { upstream, marks } = await open(companies);
    const path = join(upstream.folder, 'warehouse.db');
    let isOlder = false;
    // The ledger counts as many calls as the older file contains. Otherwise it would count the file's calls again.
    await upstream.run('sync', '--max-calls', String(CALLS));
    const spent = spentIn(upstream);
    return {
      ...over(upstream, marks),
      // The run migrates both files and starts, but makes no call.
      args: ['sync', '--max-calls', '0'],
      mostStatements: null,
      prepare: (random) => {
        if (isOlder && random.chance(0.3)) {
          isOlder = readOlderWarehouse(path).version === OLDER_VERSION;
          return;
        }
        startOver(upstream, marks);
        isOlder = true;
        writeOlderWarehouse(path);
        makeOlder(join(upstream.folder, 'ledger.db'));
      },
      after: () => {
        const found = readOlderWarehouse(path);
        return [
          ...(found.version === SCHEMA_VERSION || (isOlder && found.version === OLDER_VERSION)
            ? []
            : [`the schema is of version ${found.version}`]),
          ...(found.answers === CALLS ? [] : [`only ${found.answers} of ${CALLS} responses remain`]),
          ...(spentIn(upstream) === spent ? [] : ['the ledger lost its count']),
          ...(found.version === SCHEMA_VERSION ? marks.after() : []),
        ];
      },
      finish: () => syncToTheEnd(upstream),
    };
  },
};

async function open(companies: readonly GeneratedCompany[], overrides: Overrides = {}) {
  const upstream = await openUpstream(
    { companies: [...companies] },
    { ...overrides, upstream: { concurrency: CONCURRENCY } },
  );
  return { upstream, marks: watchFiles(upstream, CONCURRENCY) };
}

async function openMirrored(companies: readonly GeneratedCompany[]) {
  const opened = await open(companies);
  const { said, code } = await opened.upstream.run('sync');
  if (code !== 0) throw new Error(`sync failed: ${said}`);
  return opened;
}

/** The members that most victims share. */
function over(upstream: Upstream, marks: Marks) {
  return {
    upstream,
    mostStatements: MOST_STATEMENTS,
    prepare: () => {},
    after: () => marks.after(),
    spared: () => [],
    close: () => upstream.close(),
  };
}

/** Deletes the warehouse but keeps the ledger. */
function startOver(upstream: Upstream, marks: Marks): void {
  removeFile(upstream, 'warehouse.db');
  marks.forgetLoaded();
}

function wholeAndOver(upstream: Upstream, marks: Marks): string[] {
  const differences = compared(upstream);
  startOver(upstream, marks);
  return differences;
}

async function syncToTheEnd(upstream: Upstream): Promise<string[]> {
  const { json, said } = await upstream.run('sync');
  if (json?.data?.ended !== 'done') return [`the last run: ${JSON.stringify(json)} ${said}`];
  return compared(upstream);
}

function compared(upstream: Upstream): string[] {
  const db = upstream.warehouse();
  try {
    const unprocessed = db.prepare("SELECT count(*) FROM _call WHERE outcome = 'received'").pluck().get();
    return [
      ...compareWithUpstream(db, upstream.sandbox).differences,
      ...fetchedTwice(db),
      ...(unprocessed === 0 ? [] : [`${unprocessed} stored responses are not processed`]),
    ];
  } finally {
    db.close();
  }
}

/** Returns the records that were fetched again although their response was stored. */
function fetchedTwice(db: Database): string[] {
  const rows = db
    .prepare<[], { target: string; calls: number }>(
      `SELECT target, count(*) AS calls FROM _call
       WHERE kind = 'entity' AND status = 200 GROUP BY target HAVING calls > 1`,
    )
    .all();
  return rows.map(({ target, calls }) => `${target} was fetched and stored ${calls} times`);
}

function configure(upstream: Upstream, overrides: Overrides): void {
  upstream.configure({ ...overrides, upstream: { concurrency: CONCURRENCY } });
}

function stateOf(upstream: Upstream): string {
  return withWarehouse(upstream, (warehouse) =>
    createHash('sha256').update(dumpDerived(warehouse).join('\n')).digest('hex'),
  );
}

/** Returns a hash of all stored responses' bodies. */
function bodiesOf(upstream: Upstream): string {
  return withWarehouse(upstream, ({ db }) => {
    const answers = answerTable(db);
    const hash = createHash('sha256');
    for (const callId of db.prepare<[], number>('SELECT call_id FROM _answer ORDER BY 1').pluck().all())
      hash.update(`${callId} `).update(answers.body(callId) ?? 'lost');
    return hash.digest('hex');
  });
}

/** Opens the warehouse as the next command does, which reads pages that were still in the WAL after the kill. */
function withWarehouse<T>(upstream: Upstream, use: (warehouse: Warehouse) => T): T {
  using warehouse = openWarehouse({ path: join(upstream.folder, 'warehouse.db'), nowMs: 0 });
  return use(warehouse);
}

interface Manifest {
  readonly files: readonly { name: string; table: string; rows: number; sha256: string }[];
}

function manifestIn(out: string): Manifest {
  return JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as Manifest;
}

/** Returns the files that do not match the manifest. */
function torn(out: string): string[] {
  if (!existsSync(join(out, 'manifest.json'))) return [];
  return manifestIn(out).files.flatMap(({ name, sha256 }) => {
    const path = join(out, name);
    if (!existsSync(path)) return [`the manifest lists ${name}, which does not exist`];
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    return digest === sha256 ? [] : [`${name} does not match the manifest`];
  });
}
