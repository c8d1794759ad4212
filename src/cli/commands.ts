import type { Command } from 'commander';

/** One command of the program. */
export interface CommandEntry {
  readonly name: string;
  /** The text shown beside the command in the program's help. */
  readonly summary: string;
  readonly open: () => Promise<Command>;
}

/**
 * All commands, in the same order as in the help. A command is imported only when it runs or prints its own help.
 * Otherwise `--help` would load the libraries of all commands.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'ask a few questions and write a commented configuration',
    open: async () => (await import('./init.ts')).initCommand(),
  },
  {
    name: 'probe',
    summary: "learn the API's dialect with few calls",
    open: async () => (await import('./probe.ts')).probeCommand(),
  },
  {
    name: 'config',
    summary: 'check and show the configuration',
    open: async () => (await import('./config.ts')).configCommand(),
  },
  {
    name: 'plan',
    summary: 'estimate the calls and the finish date of the next syncs (sends no calls)',
    open: async () => (await import('./plan.ts')).planCommand(),
  },
  {
    name: 'sync',
    summary: 'bring the mirror up to date, within the allowance',
    open: async () => (await import('./sync.ts')).syncCommand(),
  },
  {
    name: 'backfill',
    summary: 'fetch the companies on a list, or records that are old, missing or failed',
    open: async () => (await import('./backfill.ts')).backfillCommand(),
  },
  {
    name: 'status',
    summary: 'show coverage, freshness, allowance, schedules, runs and open problems (sends no calls)',
    open: async () => (await import('./status.ts')).statusCommand(),
  },
  {
    name: 'watchlist',
    summary: 'show which known companies match the names on the watchlist (sends no calls)',
    open: async () => (await import('./watchlist.ts')).watchlistCommand(),
  },
  {
    name: 'search',
    summary: 'find companies in the mirror by name or identifier (sends no calls)',
    open: async () => (await import('./search.ts')).searchCommand(),
  },
  {
    name: 'show',
    summary: "show one company's state and record (sends no calls)",
    open: async () => (await import('./show.ts')).showCommand(),
  },
  {
    name: 'history',
    summary: "show one company's versions, with their changed fields and calls",
    open: async () => (await import('./history.ts')).historyCommand(),
  },
  {
    name: 'quarantine',
    summary: 'show and replay responses that could not be processed',
    open: async () => (await import('./quarantine.ts')).quarantineCommand(),
  },
  {
    name: 'doctor',
    summary: 'check the machine, files, key, terms, network and Redis (sends no calls)',
    open: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  {
    name: 'worker',
    summary: 'keep the mirror up to date with scheduled jobs (needs Redis)',
    open: async () => (await import('./worker.ts')).workerCommand(),
  },
  {
    name: 'serve',
    summary: "serve the registry's endpoints from the mirror, with a status page",
    open: async () => (await import('./serve.ts')).serveCommand(),
  },
  {
    name: 'notify',
    summary: 'test notification receivers, and retry failed deliveries',
    open: async () => (await import('./notify.ts')).notifyCommand(),
  },
  {
    name: 'keys',
    summary: 'manage accounts and keys for the clients of `serve`',
    open: async () => (await import('./keys.ts')).keysCommand(),
  },
  {
    name: 'export',
    summary: 'write tables as CSV, JSON Lines or Parquet (sends no calls)',
    open: async () => (await import('./export.ts')).exportCommand(),
  },
  {
    name: 'backup',
    summary: 'copy the warehouse while it is in use (sends no calls)',
    open: async () => (await import('./backup.ts')).backupCommand(),
  },
  {
    name: 'restore',
    summary: 'replace the warehouse with a backup, but keep the ledger',
    open: async () => (await import('./restore.ts')).restoreCommand(),
  },
  {
    name: 'migrate',
    summary: 'migrate a warehouse that an older version wrote, after a backup',
    open: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  {
    name: 'reprocess',
    summary: 'rebuild the tables from the stored responses (sends no calls)',
    open: async () => (await import('./reprocess.ts')).reprocessCommand(),
  },
  {
    name: 'compact',
    summary: 'delete responses beyond the retention limits, and shrink the file',
    open: async () => (await import('./compact.ts')).compactCommand(),
  },
  {
    name: 'forget',
    summary: 'erase entities from responses, history, search and future exports',
    open: async () => (await import('./forget.ts')).forgetCommand(),
  },
  {
    name: 'sandbox',
    summary: 'serve a sample registry on this machine for trials',
    open: async () => (await import('./sandbox.ts')).sandboxCommand(),
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    open: async () => (await import('./completion.ts')).completionCommand(),
  },
  {
    name: 'demo',
    summary: 'mirror the sample registry from a sandbox on this machine',
    open: async () => (await import('./demo.ts')).demoCommand(),
  },
];

/** The names of all commands. `openProgram(COMMAND_NAMES)` imports every command. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map(({ name }) => name);
