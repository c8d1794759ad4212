// npm run trust:kills -- [--kills 100] [--seed 1] [--companies 200]
// `sync` killed with SIGKILL between any two statements of SQLite, at the creation of the files and later.
import { parseArgs } from 'node:util';
import { killBetweenStatements } from './killing.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    companies: { type: 'string', default: '200' },
  },
});
// Each seed is a mirror of its own, which ends whole after some dozens of kills.
let kills = 0;
let broken = 0;
for (let seed = Number(values.seed); kills < Number(values.kills); seed++) {
  const result = await killBetweenStatements({
    seed,
    kills: Number(values.kills) - kills,
    companies: Number(values.companies),
  });
  kills += result.kills;
  broken += result.broken.length;
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
process.stdout.write(`${JSON.stringify({ kills, broken })}\n`);
process.exitCode = broken === 0 ? 0 : 1;
