import { join } from 'node:path';
import { generateRegistry } from '../../../data/generate.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../../support/dump.ts';
import { compareWithUpstream } from '../../support/equality.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';
import { strike } from './killed_command.ts';
import { fetchedTwice, unprocessedIn, watchStored } from './stored_kill_marks.ts';

export interface StoredKills {
  readonly seed: number;
  readonly connections: number;
  readonly kills: number;
  /** How many kills left a response stored but not processed. */
  readonly between: number;
  readonly arrivals: number;
  /** Violations, one sentence each. */
  readonly broken: readonly string[];
}

export interface StoredKillOrder {
  readonly seed: number;
  readonly connections: number;
  readonly kills: number;
  readonly companies: number;
}

/**
 * Repeatedly kills `sync` on one mirror after a response is stored and before it is processed. Then `sync` runs until
 * it ends. The mirror must match the upstream, no target may have been fetched twice, and `reprocess` must change
 * nothing.
 */
export async function killBetweenStoreAndProcess(order: StoredKillOrder): Promise<StoredKills> {
  const { seed, connections, kills: wanted, companies } = order;
  const random = seededRandom(seed);
  const upstream = await openUpstream(
    {
      companies: [...generateRegistry({ companies, seed })],
      // Longer than the time within which a response must be stored. With one connection, no other response is then
      // waiting.
      latencyMs: LATENCY_MS,
      profile: { dialect: { search: { paging: SMALL_PAGES } } },
    },
    { upstream: { concurrency: connections } },
  );
  const marks = watchStored(upstream, connections);
  const broken: string[] = [];
  let [kills, between] = [0, 0];
  const killAll = async () => {
    while (kills < wanted) {
      const blow = {
        afterStore: 1 + random.below(MOST_STORES),
        later: laterOf(random),
        journal: marks.journal,
      };
      const { killed } = await strike(['sync', '--config', upstream.configPath], blow);
      if (!killed) return;
      kills += 1;
      const look = marks.after(blow.later);
      if (look.unprocessed > 0) between += 1;
      broken.push(
        ...look.broken.map((fault) => `kill ${kills}, ${blow.afterStore} + ${blow.later}: ${fault}`),
      );
    }
  };
  try {
    // If a run fails before the kill, this mirror gets no further kills.
    await killAll().catch((error: unknown) => broken.push(`after kill ${kills}: ${messageOf(error)}`));
    broken.push(
      ...(await endWhole(upstream)).map((fault) => `at the end: ${fault}`),
      ...marks.fetchedAgain(),
    );
    const arrivals = upstream.sandbox.arrivals().length;
    const named = broken.map((fault) => `seed ${seed}, ${connections} connections, ${fault}`);
    return { seed, connections, kills, between, arrivals, broken: named };
  } finally {
    await upstream.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Half of the kills come directly after the commit, and the others some statements later. */
function laterOf(random: Random): number {
  return random.chance(0.5) ? 0 : 1 + random.below(MOST_STATEMENTS_LATER);
}

/** Runs `sync` until it ends without a kill, and returns the faults. */
async function endWhole(upstream: Upstream): Promise<string[]> {
  const { json, said } = await upstream.cli('sync');
  if (json?.data?.ended !== 'done') return [`the last run: ${JSON.stringify(json)} ${said}`];
  const broken = compared(upstream);
  const derived = dumpOf(upstream);
  const { code, said: why } = await upstream.cli('reprocess');
  if (code !== 0) return [...broken, `reprocess ended with ${code}: ${why}`];
  const rebuilt = dumpOf(upstream);
  const differing = derived.filter((row, at) => row !== rebuilt[at]);
  if (derived.length !== rebuilt.length || differing.length > 0)
    broken.push(
      `the tables differ from those of reprocess in ${differing.length} of ${derived.length} rows (${rebuilt.length} after reprocess): ${differing[0]}`,
    );
  return broken;
}

function compared(upstream: Upstream): string[] {
  const db = upstream.warehouse();
  try {
    const unprocessed = unprocessedIn(db);
    const quarantined = db.prepare('SELECT count(*) FROM _quarantine').pluck().get() as number;
    return [
      ...compareWithUpstream(db, upstream.sandbox).differences,
      ...fetchedTwice(db),
      ...(unprocessed === 0 ? [] : [`${unprocessed} responses are not processed`]),
      ...(quarantined === 0 ? [] : [`${quarantined} rows in quarantine`]),
    ];
  } finally {
    db.close();
  }
}

function dumpOf(upstream: Upstream): string[] {
  const warehouse = openWarehouse({ path: join(upstream.folder, 'warehouse.db'), nowMs: 0 });
  try {
    return dumpDerived(warehouse);
  } finally {
    warehouse.close();
  }
}

const SMALL_PAGES = { style: 'page', param: 'page', first: 1, size_param: 'per_page', size: 10 } as const;
const LATENCY_MS = 25;
const MOST_STORES = 4;
const MOST_STATEMENTS_LATER = 30;
