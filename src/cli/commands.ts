import type { Command } from '@commander-js/extra-typings';

/** A command's name, its summary in the program's help, and its module, which is imported only when it is needed. */
type CommandEntry = readonly [name: string, summary: string, load: () => Promise<CommandModule>];

interface CommandModule {
  readonly default: () => Command;
}

/** All commands, in the same order as in the help. */
export const COMMANDS: readonly CommandEntry[] = [
  ['init', 'ask a few questions and write a commented configuration', () => import('./init.ts')],
  ['probe', "learn the API's dialect with few calls", () => import('./probe.ts')],
  ['config', 'check and show the configuration', () => import('./config.ts')],
  [
    'plan',
    'estimate the calls and the finish date of the next syncs (sends no calls)',
    () => import('./plan.ts'),
  ],
  ['sync', 'bring the mirror up to date, within the allowance', () => import('./sync.ts')],
  [
    'backfill',
    'fetch the companies on a list, or records that are old, missing or failed',
    () => import('./backfill.ts'),
  ],
  [
    'status',
    'show coverage, freshness, allowance, schedules, runs and open problems (sends no calls)',
    () => import('./status.ts'),
  ],
  [
    'watchlist',
    'show which known companies match the names on the watchlist (sends no calls)',
    () => import('./watchlist.ts'),
  ],
  [
    'search',
    'find companies in the mirror by name or identifier (sends no calls)',
    () => import('./search.ts'),
  ],
  ['show', "show one company's state and record (sends no calls)", () => import('./show.ts')],
  [
    'history',
    "show one company's versions, with their changed fields and calls",
    async () => ({ default: (await import('./show.ts')).historyCommand }),
  ],
  ['quarantine', 'show and replay responses that could not be processed', () => import('./quarantine.ts')],
  [
    'doctor',
    'check the machine, files, key, terms, network and Redis (sends no calls)',
    () => import('./doctor.ts'),
  ],
  ['worker', 'keep the mirror up to date with scheduled jobs (needs Redis)', () => import('./worker.ts')],
  ['serve', "serve the registry's endpoints from the mirror, with a status page", () => import('./serve.ts')],
  ['notify', 'test notification receivers, and retry failed deliveries', () => import('./notify.ts')],
  ['keys', 'manage accounts and keys for the clients of `serve`', () => import('./keys.ts')],
  ['export', 'write tables as CSV, JSON Lines or Parquet (sends no calls)', () => import('./export.ts')],
  ['backup', 'copy the warehouse while it is in use (sends no calls)', () => import('./backup.ts')],
  ['restore', 'replace the warehouse with a backup, but keep the ledger', () => import('./restore.ts')],
  [
    'migrate',
    'migrate a warehouse that an older version wrote, after a backup',
    () => import('./migrate.ts'),
  ],
  [
    'reprocess',
    'rebuild the tables from the stored responses (sends no calls)',
    () => import('./reprocess.ts'),
  ],
  [
    'compact',
    'delete responses beyond the retention limits, and shrink the file',
    () => import('./compact.ts'),
  ],
  [
    'forget',
    'erase entities from responses, history, search and future exports',
    () => import('./forget.ts'),
  ],
  ['sandbox', 'serve a sample registry on this machine for trials', () => import('./sandbox.ts')],
  ['completion', 'print a completion script for bash, zsh or fish', () => import('./completion.ts')],
  ['demo', 'mirror the sample registry from a sandbox on this machine', () => import('./demo.ts')],
];

/** The names of all commands. `openProgram(COMMAND_NAMES)` imports every command. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map(([name]) => name);
