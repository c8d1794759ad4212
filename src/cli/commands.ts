import type { Command } from 'commander';

/**
 * Every command, in the order of the help. A command is imported when it is used, so that `sync` does not load the
 * libraries of the worker, the sandbox and the page.
 */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./init.ts')).initCommand()],
  ['probe', async () => (await import('./probe.ts')).probeCommand()],
  ['config', async () => (await import('./config.ts')).configCommand()],
  ['plan', async () => (await import('./plan.ts')).planCommand()],
  ['sync', async () => (await import('./sync.ts')).syncCommand()],
  ['backfill', async () => (await import('./backfill.ts')).backfillCommand()],
  ['status', async () => (await import('./status.ts')).statusCommand()],
  ['watchlist', async () => (await import('./watchlist.ts')).watchlistCommand()],
  ['history', async () => (await import('./history.ts')).historyCommand()],
  ['quarantine', async () => (await import('./quarantine.ts')).quarantineCommand()],
  ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
  ['worker', async () => (await import('./worker.ts')).workerCommand()],
  ['serve', async () => (await import('./serve.ts')).serveCommand()],
  ['keys', async () => (await import('./keys.ts')).keysCommand()],
  ['export', async () => (await import('./export.ts')).exportCommand()],
  ['backup', async () => (await import('./backup.ts')).backupCommand()],
  ['reprocess', async () => (await import('./reprocess.ts')).reprocessCommand()],
  ['compact', async () => (await import('./compact.ts')).compactCommand()],
  ['forget', async () => (await import('./forget.ts')).forgetCommand()],
  ['sandbox', async () => (await import('./sandbox.ts')).sandboxCommand()],
  ['demo', async () => (await import('./demo.ts')).demoCommand()],
]);
