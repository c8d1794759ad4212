import { generateRegistry } from '../../../data/generate.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import { type Blow, strike } from './killed_command.ts';
import { VICTIMS, type Victim, type VictimName } from './victims.ts';

export interface Killed {
  readonly command: VictimName;
  readonly seed: number;
  readonly kills: number;
  /** How many kills hit directly before a random SQL statement. All others hit at a random time. */
  readonly beforeStatements: number;
  readonly arrivals: number;
  /** One sentence for each violation. */
  readonly broken: readonly string[];
}

export interface KillOrder {
  readonly command: VictimName;
  readonly seed: number;
  readonly kills: number;
  readonly companies: number;
}

/**
 * Repeatedly kills a command that works on one mirror, before its n-th statement or at a random time, which the seed
 * determines. The files are checked after each kill. In the end, the command runs without a kill, and the mirror must
 * match the upstream.
 */
export async function killRepeatedly(order: KillOrder): Promise<Killed> {
  const { command, seed, companies } = order;
  // The records fill two blocks, so that kills also hit while responses are compressed.
  const purpose = 'x'.repeat(1_200_000 / companies);
  const registry = [...generateRegistry({ companies, seed })].map((company) => ({
    ...company,
    fields: { ...company.fields, purpose },
  }));
  const victim = await VICTIMS[command](registry);
  try {
    const { kills, beforeStatements, broken } = await killAll(victim, order);
    const atTheEnd = (await victim.finish()).map((fault) => `${command}, seed ${seed}, at the end: ${fault}`);
    const arrivals = victim.upstream.sandbox.arrivals().length;
    return { command, seed, kills, beforeStatements, arrivals, broken: [...broken, ...atTheEnd] };
  } finally {
    await victim.close();
  }
}

async function killAll(victim: Victim, { command, seed, kills: wanted }: KillOrder) {
  const random = seededRandom(seed);
  const broken: string[] = [];
  let [kills, beforeStatements, spared] = [0, 0, 0];
  try {
    const extent = await extentOf(victim, random);
    while (kills < wanted && spared < MOST_SPARED) {
      victim.prepare(random);
      const blow = drawBlow(extent, random);
      const { killed } = await strike(argsOf(victim), blow);
      if (!killed) spared += 1;
      else kills += 1;
      if (killed && 'statement' in blow) beforeStatements += 1;
      const where = `${command}, seed ${seed}, kill ${kills}, ${JSON.stringify(blow)}`;
      broken.push(...(killed ? victim.after() : victim.spared()).map((fault) => `${where}: ${fault}`));
    }
  } catch (error) {
    // The command failed before the kill, or it left a file that cannot be opened.
    const why = error instanceof Error ? error.message : error;
    broken.push(`${command}, seed ${seed}, after kill ${kills}: ${why}`);
  }
  return { kills, beforeStatements, broken };
}

interface Extent {
  readonly statements: number;
  readonly lastsMs: number;
}

/** Measures how many statements the command executes without a kill, and how long it takes. */
async function extentOf(victim: Victim, random: Random): Promise<Extent> {
  if (victim.mostStatements !== null) return { statements: victim.mostStatements, lastsMs: MOMENTS_MS };
  victim.prepare(random);
  const { statements, lastedMs } = await strike(argsOf(victim), null);
  return { statements, lastsMs: lastedMs };
}

function drawBlow({ statements, lastsMs }: Extent, random: Random): NonNullable<Blow> {
  if (random.chance(0.5)) return { afterMs: random.below(Math.ceil(lastsMs)) };
  // A command's start-up is short, but much of its code runs only then. Half of these kills therefore hit the start-up.
  const most = random.chance(0.5) ? Math.min(statements, EARLY_STATEMENTS) : statements;
  return { statement: 1 + random.below(most) };
}

function argsOf({ args, upstream }: Victim): string[] {
  return [...args, '--config', upstream.configPath];
}

const MOMENTS_MS = 400;
const EARLY_STATEMENTS = 120;
const MOST_SPARED = 200;
