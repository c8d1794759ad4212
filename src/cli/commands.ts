import type { Command } from 'commander';

/**
 * Every command, in the order of the help. Each is imported when it is asked for: cron starts `sync` every
 * hour, and must not wait for the worker's, the sandbox's and the page's libraries.
 */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./init.ts')).initCommand()],
  ['config', async () => (await import('./config.ts')).configCommand()],
  ['sync', async () => (await import('./sync.ts')).syncCommand()],
  ['backfill', async () => (await import('./backfill.ts')).backfillCommand()],
  ['status', async () => (await import('./status.ts')).statusCommand()],
  ['worker', async () => (await import('./worker.ts')).workerCommand()],
  ['serve', async () => (await import('./serve.ts')).serveCommand()],
  ['keys', async () => (await import('./keys.ts')).keysCommand()],
  ['sandbox', async () => (await import('./sandbox.ts')).sandboxCommand()],
  ['demo', async () => (await import('./demo.ts')).demoCommand()],
]);
