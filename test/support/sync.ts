import type { Workspace } from '../../src/operations/assemble.ts';
import { ALL_KINDS, type RunOrder, run } from '../../src/operations/run.ts';

/** Runs `sync` until nothing is due, except for the changes to the order. */
export function syncAll(workspace: Workspace, changes: Partial<RunOrder> = {}): ReturnType<typeof run> {
  return run(workspace, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: 'coverage',
    maxCalls: Number.POSITIVE_INFINITY,
    maxMinutes: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    ...changes,
  });
}
