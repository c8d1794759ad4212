import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import type { Arrival } from '../../../src/sandbox/arrivals.ts';
import type { Upstream } from '../../support/upstream.ts';
import { countStoredBodies } from '../faults/received_bodies.ts';

/** A line in the journal that the killed process wrote. */
export type Journalled =
  | { readonly is: 'received'; readonly path: string; readonly digest: string; readonly atMs: number }
  /** A commit that added rows to `_call`. `calls` is the number of rows after it. */
  | { readonly is: 'stored'; readonly calls: number; readonly atMs: number }
  | { readonly is: 'killed'; readonly atMs: number };

export interface StoredMarks {
  /** Checks the files after a kill that came `statementsLater` statements after the response was stored. */
  after(statementsLater: number): { readonly broken: string[]; readonly unprocessed: number };
  /** Checks the responses fetched since the last kill. */
  fetchedAgain(): string[];
  readonly journal: string;
}

/**
 * Compares the warehouse with the bodies that the killed process received and with the requests that reached the
 * upstream.
 */
export function watchStored(upstream: Upstream, connections: number): StoredMarks {
  const journal = join(upstream.folder, 'journal.jsonl');
  let seenArrivals = 0;
  let storedPaths: ReadonlySet<string> = new Set();
  let lostBefore = 0;

  const fetchedAgain = () => {
    const since = upstream.sandbox.arrivals().slice(seenArrivals).map(pathOf);
    seenArrivals += since.length;
    return since.filter((path) => storedPaths.has(path)).map((path) => `${path} was fetched again`);
  };

  return {
    journal,
    fetchedAgain,
    after: (statementsLater) => {
      const broken = fetchedAgain();
      const lines = readJournal(journal);
      const db = new Sqlite(join(upstream.folder, 'warehouse.db'), { fileMustExist: true });
      try {
        const check = db.pragma('quick_check', { simple: true });
        if (check !== 'ok') broken.push(`quick_check: ${check}`);
        broken.push(...withoutBody(db), ...vanished(db, lines), ...fetchedTwice(db));
        const { stored, lost } = heldAgainst(db, lines);
        const killedMs = lines.findLast(({ is }) => is === 'killed')?.atMs ?? 0;
        const result = lost.slice(lostBefore);
        lostBefore = lost.length;
        if (result.length > connections)
          broken.push(
            `${result.length} responses arrived and are not stored, with ${connections} connections`,
          );
        // With one connection, no second response can arrive directly after the first is stored.
        const longestMs = connections === 1 && statementsLater === 0 ? -1 : LONGEST_UNSTORED_MS;
        for (const { path, atMs } of result) {
          const ageMs = killedMs - atMs;
          if (ageMs > longestMs)
            broken.push(`the response to ${path} arrived ${ageMs} ms before the kill and is not stored`);
        }
        storedPaths = stored;
        return { broken, unprocessed: unprocessedIn(db) };
      } finally {
        db.close();
      }
    },
  };
}

/** Counts the responses that are stored but not processed. */
export function unprocessedIn(db: Database): number {
  return db.prepare("SELECT count(*) FROM _call WHERE outcome = 'received'").pluck().get() as number;
}

/** Describes targets that were fetched several times instead of once. */
export function fetchedTwice(db: Database): string[] {
  const rows = db
    .prepare<[], { kind: string; target: string; calls: number }>(
      `SELECT kind, target, count(*) AS calls FROM _call WHERE status = 200 GROUP BY kind, target HAVING calls > 1`,
    )
    .all();
  return rows.map(({ kind, target, calls }) => `${kind} ${target} was fetched and stored ${calls} times`);
}

function withoutBody(db: Database): string[] {
  const calls = db
    .prepare(
      'SELECT count(*) FROM _call WHERE status IS NOT NULL AND call_id NOT IN (SELECT call_id FROM _answer)',
    )
    .pluck()
    .get();
  return calls === 0 ? [] : [`${calls} calls have a status but no stored response`];
}

/** Describes the committed rows that are missing from the warehouse. */
function vanished(db: Database, lines: readonly Journalled[]): string[] {
  const promised = Math.max(0, ...lines.map((line) => (line.is === 'stored' ? line.calls : 0)));
  const calls = db.prepare('SELECT count(*) FROM _call').pluck().get() as number;
  return calls >= promised ? [] : [`${promised} calls were stored, but the warehouse contains ${calls}`];
}

/** Returns the requests whose responses are stored, and the received responses that are not stored, both in order. */
function heldAgainst(db: Database, lines: readonly Journalled[]) {
  const kept = countStoredBodies(db);
  const received = lines.filter((line) => line.is === 'received');
  const stored = new Set<string>();
  const lost: (typeof received)[number][] = [];
  // Equal bodies for different requests, such as empty lists, are indistinguishable, so the last of them count as lost.
  for (const line of received) {
    const left = kept.get(line.digest) ?? 0;
    kept.set(line.digest, left - 1);
    if (left > 0) stored.add(line.path);
    else lost.push(line);
  }
  const ambiguous = new Set(lost.map(({ digest }) => digest));
  for (const { path, digest } of received) if (ambiguous.has(digest)) stored.delete(path);
  return { stored, lost };
}

function readJournal(path: string): Journalled[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Journalled);
}

/** The request's path, exactly as the client sent it. */
function pathOf({ kind, target }: Arrival): string {
  return kind === 'entity' ? `/api/entity/${encodeURIComponent(target)}` : target;
}

// A response is stored within 10 ms of its arrival, or later if the process waits for a busy processor.
const LONGEST_UNSTORED_MS = 1000;
