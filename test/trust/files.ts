import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { type House, openHouse } from '../../src/assemble.ts';
import { configFrom } from '../../src/config.ts';
import { ALL_KINDS, type RunReport, run } from '../../src/run.ts';
import { type Sandbox, startSandbox } from '../../src/server/sandbox.ts';
import { sandboxConfiguration } from '../e2e/sandbox_configuration.ts';

/** A registry and a place to mirror it into, within this process: for tests that reach into the open files. */
export interface Place {
  readonly sandbox: Sandbox;
  readonly folder: string;
  open(): House;
}

export async function openPlace(companies: number): Promise<Place> {
  const sandbox = await startSandbox({ companies: generateRegistry({ companies, seed: 5 }) });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-trust-'));
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { sandbox, folder, open: () => openHouse(configFrom(sandboxConfiguration(sandbox, folder))) };
}

export function sync(house: House): Promise<RunReport> {
  return run(house, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: 'coverage',
    maxCalls: Number.POSITIVE_INFINITY,
    maxMinutes: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
  });
}
