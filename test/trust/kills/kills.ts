// npm run trust kills -- [--points 200] [--commands sync,backfill,worker,reprocess,compact,export,migrations] [--seed 1]
//   [--companies 200] [--at-once 1]
// Kills commands with SIGKILL between any two SQL statements and at random times, including while they create their
// files. Each mirror must be complete in the end.
import { argumentsOf } from '../../support/script.ts';
import { type Killed, killRepeatedly } from './killing.ts';
import { VICTIMS, type VictimName } from './victims.ts';

const KILLS_OF_ONE_MIRROR = 50;
const ALL = Object.keys(VICTIMS) as VictimName[];
const values = argumentsOf({
  points: 200,
  commands: ALL.join(','),
  seed: 1,
  companies: 200,
  atOnce: 1,
});
const results: Killed[] = [];
let seed = values.seed;
const commands = ALL.filter((name) => values.commands.split(',').includes(name));
const perCommand = Math.ceil(values.points / commands.length);
const left = new Map(commands.map((command) => [command, perCommand]));

process.exitCode = (await killEverywhere()) ? 0 : 1;

async function killEverywhere(): Promise<boolean> {
  await Promise.all(Array.from({ length: values.atOnce }, work));
  const totals = commands.map((command) => {
    const own = results.filter((result) => result.command === command);
    return { command, mirrors: own.length, ...summed(own) };
  });
  for (const total of totals) process.stdout.write(`${JSON.stringify(total)}\n`);
  const { kills, before_statements, broken } = summed(results);
  process.stdout.write(`${JSON.stringify({ kills, before_statements, broken })}\n`);
  return broken === 0 && kills >= values.points;
}

/** Creates one mirror after another, each with its own seed. Each mirror must be complete after a few dozen kills. */
async function work(): Promise<void> {
  for (;;) {
    const [command, wanted] = [...left].sort(([, a], [, b]) => b - a)[0] ?? [];
    if (command === undefined || wanted === undefined || wanted <= 0) return;
    const kills = Math.min(wanted, KILLS_OF_ONE_MIRROR);
    left.set(command, wanted - kills);
    const result = await killRepeatedly({
      command,
      seed: seed++,
      kills,
      companies: values.companies,
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
