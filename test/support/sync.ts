import type { Workspace } from '../../src/operations/assemble.ts';
import { type RunOrder, runEngine } from '../../src/operations/run.ts';

/** Runs `sync` until nothing is due, except for the changes to the order. */
export function syncAll(workspace: Workspace, changes: Partial<RunOrder> = {}): ReturnType<typeof runEngine> {
  return runEngine(workspace, {
    command: 'sync',
    focus: 'coverage',
    signal: new AbortController().signal,
    ...changes,
  });
}
