import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateRegistry } from '../../../data/generate.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';

/** Runs the sandbox with this many synthetic companies in its own process, which ends with the benchmark. */
export interface UpstreamReady {
  readonly baseUrl: string;
  readonly key: string;
  readonly dialect: object;
  readonly idsPath: string;
  /** The prefix of all ids. */
  readonly query: string;
}

const { companies, folder } = JSON.parse(process.argv[2] ?? '') as { companies: number; folder: string };
const registry = [...generateRegistry({ companies, seed: 9, ids: 'numeric' })];
const idsPath = join(folder, 'ids.txt');
writeFileSync(idsPath, registry.map(({ id }) => id).join('\n'));
const sandbox = await startSandbox({ companies: registry, keepArrivals: false });
const { baseUrl, dialect } = sandbox;
const ready: UpstreamReady = { baseUrl, key: sandbox.keyOf('main'), dialect, idsPath, query: '1' };
process.send?.(ready);
process.on('disconnect', () => process.exit());
