// npm run trust:kills -- [--points 200] [--commands sync,backfill,worker,reprocess,export,migrations] [--seed 1]
//   [--companies 200] [--at-once 1]
// Commands killed with SIGKILL between any two statements of SQLite and at any other moment, from the creation
// of their files on; each mirror in the end whole.
import { parseArgs } from 'node:util';
import { type Killed, killAgainAndAgain } from './killing.ts';
import { VICTIMS, type VictimName } from './victims.ts';

const KILLS_OF_ONE_MIRROR = 50;
const ALL = Object.keys(VICTIMS) as VictimName[];
const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '200' },
    commands: { type: 'string', default: ALL.join(',') },
    seed: { type: 'string', default: '1' },
    companies: { type: 'string', default: '200' },
    'at-once': { type: 'string', default: '1' },
  },
});
const commands = ALL.filter((name) => values.commands.split(',').includes(name));
const perCommand = Math.ceil(Number(values.points) / commands.length);
const results: Killed[] = [];
let seed = Number(values.seed);
const left = new Map(commands.map((command) => [command, perCommand]));

await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
const totals = commands.map((command) => {
  const own = results.filter((result) => result.command === command);
  return { command, mirrors: own.length, ...summed(own) };
});
for (const total of totals) process.stdout.write(`${JSON.stringify(total)}\n`);
const { kills, before_statements, broken } = summed(results);
process.stdout.write(`${JSON.stringify({ kills, before_statements, broken })}\n`);
process.exitCode = broken === 0 && kills >= Number(values.points) ? 0 : 1;

/** Mirror after mirror: each has a seed of its own, and ends whole after some dozens of kills. */
async function work(): Promise<void> {
  for (;;) {
    const [command, wanted] = [...left].sort(([, a], [, b]) => b - a)[0] ?? [];
    if (command === undefined || wanted === undefined || wanted <= 0) return;
    const kills = Math.min(wanted, KILLS_OF_ONE_MIRROR);
    left.set(command, wanted - kills);
    const result = await killAgainAndAgain({
      command,
      seed: seed++,
      kills,
      companies: Number(values.companies),
    });
    if (result.broken.length === 0) left.set(command, (left.get(command) ?? 0) + kills - result.kills);
    results.push(result);
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}

function summed(some: readonly Killed[]) {
  const sum = (of: (one: Killed) => number) => some.reduce((total, one) => total + of(one), 0);
  return {
    kills: sum((one) => one.kills),
    before_statements: sum((one) => one.beforeStatements),
    broken: sum((one) => one.broken.length),
  };
}
