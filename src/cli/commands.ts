import type { Command } from 'commander';

/**
 * Every command, in the order of the help. Each is imported when it is asked for: cron starts `sync` every
 * hour, and must not wait for the worker's, the sandbox's and the page's libraries.
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
