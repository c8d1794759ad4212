import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { generateRegistry } from '../../../data/generate.ts';
import { configFrom } from '../../../src/config/load_config.ts';
import { openWorkspace, type Workspace } from '../../../src/operations/assemble.ts';
import type { RunReport } from '../../../src/operations/run.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { sandboxConfiguration } from '../../support/sandbox_configuration.ts';
import { syncAll } from '../../support/sync.ts';

/** Opens a registry and a mirror in this process, for tests that change their open files. */
export interface Place {
  readonly sandbox: Sandbox;
  readonly folder: string;
  open(): Workspace;
}

export async function openPlace(companies: number): Promise<Place> {
  const sandbox = await startSandbox({ companies: generateRegistry({ companies, seed: 5 }) });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-trust-'));
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { sandbox, folder, open: () => openWorkspace(configFrom(sandboxConfiguration(sandbox, folder))) };
}

export function sync(workspace: Workspace): Promise<RunReport> {
  return syncAll(workspace);
}
