// npm run trust rebuild-kills -- [--kills 50] [--seed 1]
// Kills `reprocess` and `export` with SIGKILL, each at this many random times.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../../src/random.ts';
import { COMPANIES, killExport, killReprocess } from './rounds.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});
const random = seededRandom(Number(values.seed));
const rounds = [
  ['reprocess', killReprocess],
  ['export', killExport],
] as const;
for (const [command, kill] of rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-kills-'));
  try {
    const result = await kill({
      folder,
      kills: Number(values.kills),
      companies: COMPANIES,
      random: random.next,
    });
    process.stdout.write(`${JSON.stringify({ command, ...result })}\n`);
    if (result.broken.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
