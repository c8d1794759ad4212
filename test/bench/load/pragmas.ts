// Measures the alternatives that docs/decisions/0002-storage.md compares: node test/bench/load/pragmas.ts [records]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { newMirror, outcomesOf } from './mirror.ts';
import { companyRecord } from './records.ts';

const records = Number(process.argv[2] ?? 20_000);
const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-bench-'));

interface Variant {
  readonly name: string;
  readonly pragmas?: readonly string[];
  readonly pageSize?: number;
  readonly tokenizer?: string;
  readonly group?: number;
}

const VARIANTS: readonly Variant[] = [
  { name: 'as it is' },
  { name: 'synchronous=FULL', pragmas: ['synchronous = FULL'] },
  { name: 'synchronous=OFF', pragmas: ['synchronous = OFF'] },
  { name: 'wal_autocheckpoint=1000', pragmas: ['wal_autocheckpoint = 1000'] },
  { name: 'wal_autocheckpoint=16000', pragmas: ['wal_autocheckpoint = 16000'] },
  { name: 'page_size=4096', pageSize: 4096 },
  { name: 'page_size=16384', pageSize: 16_384 },
  { name: 'foreign_keys=OFF', pragmas: ['foreign_keys = OFF'] },
  { name: 'secure_delete=OFF', pragmas: ['secure_delete = OFF'] },
  { name: 'mmap_size=1 GB', pragmas: ['mmap_size = 1073741824'] },
  { name: 'cache_size=2 MB', pragmas: ['cache_size = -2000'] },
  { name: 'names by words (unicode61)', tokenizer: 'unicode61 remove_diacritics 2' },
  { name: '20 a transaction', group: 20 },
  { name: '1 a transaction', group: 1 },
];

try {
  comparePragmas();
  compareCompression();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The variants take turns after each group of records, so that other load on the machine affects all of them equally.
 */
function comparePragmas(): void {
  const mirrors = VARIANTS.map((variant, at) => ({ ...openVariant(variant, at), variant, ms: 0, cpuMs: 0 }));
  for (let from = 0; from < records; from += 200) {
    const outcomes = outcomesOf(from, from + 200, 0, from + 1);
    for (const mirror of mirrors) {
      const cpu = process.cpuUsage();
      const startedMs = performance.now();
      const group = mirror.variant.group ?? 200;
      for (let at = 0; at < outcomes.length; at += group) mirror.load(outcomes.slice(at, at + group));
      mirror.ms += performance.now() - startedMs;
      const { user, system } = process.cpuUsage(cpu);
      mirror.cpuMs += (user + system) / 1000;
    }
  }
  const [base] = mirrors;
  say(`| ${records} records | time | CPU | bytes a record |\n|---|---|---|---|`);
  for (const { variant, ms, cpuMs, warehouse } of mirrors) {
    warehouse.close();
    const bytes = statSync(warehouse.path).size / records;
    say(
      `| ${variant.name} | ${(ms / (base?.ms ?? 1)).toFixed(2)} | ${(cpuMs / (base?.cpuMs ?? 1)).toFixed(2)} | ${bytes.toFixed(0)} |`,
    );
  }
}

function openVariant({ pageSize, pragmas = [], tokenizer }: Variant, at: number) {
  const path = join(folder, `${at}.db`);
  if (pageSize !== undefined) {
    const empty = new Sqlite(path);
    empty.pragma(`page_size = ${pageSize}`);
    empty.pragma('journal_mode = WAL');
    empty.close();
  }
  const mirror = newMirror(path, { isFresh: pageSize === undefined });
  for (const pragma of pragmas) mirror.warehouse.db.pragma(pragma);
  if (tokenizer !== undefined) {
    mirror.warehouse.db.exec('DROP TABLE entity_fts');
    mirror.warehouse.db.exec(
      `CREATE VIRTUAL TABLE entity_fts USING fts5 (name, identifiers, former_names, entity_id UNINDEXED,
         content = '_search_text', content_rowid = 'known_id', tokenize = '${tokenizer}')`,
    );
  }
  return mirror;
}

function compareCompression(): void {
  const single = Array.from({ length: 3000 }, (_, at) => Buffer.from(JSON.stringify(companyRecord(at))));
  const pages = Array.from({ length: 100 }, (_, page) =>
    Buffer.from(
      JSON.stringify({
        total: 1e6,
        results: Array.from({ length: 100 }, (_, at) => summary(page * 100 + at)),
      }),
    ),
  );
  const dictionary = Buffer.concat(single.slice(0, 40));
  say('\n| responses | remaining size | µs to write | µs to read |\n|---|---|---|---|');
  const level = (value: number) => ({ params: { [zlib.constants.ZSTD_c_compressionLevel]: value } });
  const row = (
    name: string,
    bodies: readonly Buffer[],
    write: (body: Buffer) => Buffer,
    read: (body: Buffer) => Buffer,
  ) => {
    for (const body of bodies.slice(0, 100)) read(write(body));
    const written: Buffer[] = [];
    const writing = cpuMicroseconds(() => bodies.forEach((body) => void written.push(write(body))));
    const reading = cpuMicroseconds(() => written.forEach((body) => void read(body)));
    const left = sum(written) / sum(bodies);
    say(
      `| ${name} | ${(left * 100).toFixed(0)} % | ${(writing / bodies.length).toFixed(0)} | ${(reading / bodies.length).toFixed(0)} |`,
    );
  };
  const bytes = (bodies: readonly Buffer[]) => `${Math.round(sum(bodies) / bodies.length)} bytes`;
  for (const value of [1, 3, 9])
    row(
      `a record of ${bytes(single)}, zstd ${value}`,
      single,
      (body) => zlib.zstdCompressSync(body, level(value)),
      (body) => zlib.zstdDecompressSync(body),
    );
  row(
    'the same, zstd 3 with a dictionary of 40 records',
    single.slice(40),
    (body) => zlib.zstdCompressSync(body, { ...level(3), dictionary }),
    (body) => zlib.zstdDecompressSync(body, { dictionary }),
  );
  for (const value of [1, 3, 9])
    row(
      `a page of 100 summaries, ${bytes(pages)}, zstd ${value}`,
      pages,
      (body) => zlib.zstdCompressSync(body, level(value)),
      (body) => zlib.zstdDecompressSync(body),
    );
}

function summary(index: number) {
  const { company_number, name, status, incorporated_on, registered_address } = companyRecord(index);
  return { company_number, name, status, incorporated_on, registered_address };
}

function cpuMicroseconds(action: () => void): number {
  const before = process.cpuUsage();
  action();
  return process.cpuUsage(before).user;
}

function sum(bodies: readonly Buffer[]): number {
  return bodies.reduce((total, { length }) => total + length, 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
