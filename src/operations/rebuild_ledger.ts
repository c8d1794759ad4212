import { existsSync, renameSync } from 'node:fs';
import type { Ledger } from '../allowance/ledger.ts';
import { DamagedLedgerError } from '../allowance/ledger_file.ts';
import { type Clock, isoTime } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { openLedgerOf } from './configured_ledger.ts';
import { type CurrentRun, type LedgerUse, otherUsers, recountOf, stampLedger } from './ledger_loss.ts';
import { exclusively } from './locked_run.ts';

interface RebuiltLedger {
  readonly ended: 'done';
  /** The warehouses whose calls were counted. */
  readonly warehouses: readonly string[];
  /** The number of calls that were missing from the ledger. */
  readonly added: number;
  /** The path to which a corrupt file was moved; null if the file was intact or missing. */
  readonly movedTo: string | null;
}

/**
 * Counts the calls of these warehouses, and of those that the ledger names, and stores the counts in the ledger. Holds
 * the warehouses' locks, so that no run spends quota meanwhile. A corrupt ledger file is renamed first.
 *
 * @throws UsageError if a warehouse does not exist; FailedError if a run holds a lock.
 */
export async function rebuildLedger(
  config: Config,
  paths: readonly string[],
  clock: Clock,
): Promise<RebuiltLedger> {
  for (const path of paths)
    if (!existsSync(path))
      throw new UsageError(`there is no warehouse at ${path}`, { hint: 'Correct --warehouse.' });
  const { ledger, movedTo } = openOrReplace(config, clock.now());
  try {
    const others = otherUsers({ config, ledger }, clock.now()).map(({ path }) => path);
    const warehouses = [...new Set([...paths, ...others])];
    return { ...(await recountUnderLocks({ config, ledger, clock }, warehouses, [])), warehouses, movedTo };
  } finally {
    ledger.close();
  }
}

/** Takes the locks one by one, then counts the calls. */
async function recountUnderLocks(
  parts: Pick<LedgerUse, 'config' | 'ledger'> & { readonly clock: Clock },
  paths: readonly string[],
  uses: readonly (LedgerUse & CurrentRun)[],
): Promise<Pick<RebuiltLedger, 'ended' | 'added'>> {
  const { config, ledger, clock } = parts;
  const [path, ...others] = paths;
  if (path !== undefined) {
    using warehouse = openWarehouse({ path, nowMs: clock.now() });
    return await exclusively({ warehouse, clock, command: 'doctor' }, (runId) =>
      recountUnderLocks(parts, others, [...uses, { config, ledger, warehouse, runId }]),
    );
  }
  const before = ledger.state(clock.now()).spentEver;
  ledger.recount(recountOf(uses, clock.now()));
  for (const use of uses) stampLedger(use);
  return { ended: 'done', added: ledger.state(clock.now()).spentEver - before };
}

function openOrReplace(config: Config, nowMs: number): { ledger: Ledger; movedTo: string | null } {
  try {
    return { ledger: openLedgerOf(config), movedTo: null };
  } catch (error) {
    if (!(error instanceof DamagedLedgerError)) throw error;
    const movedTo = `${config.ledger}.damaged-${isoTime(nowMs).replaceAll(':', '')}`;
    for (const end of ['', '-journal', '-wal', '-shm'])
      if (existsSync(config.ledger + end)) renameSync(config.ledger + end, movedTo + end);
    return { ledger: openLedgerOf(config), movedTo };
  }
}
