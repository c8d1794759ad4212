import type { House } from '../../assemble.ts';
import { refuseOver } from '../../backfill.ts';
import type { BackfillRow } from '../../warehouse/backfill.ts';
import type { Output } from '../output.ts';

/** Hands a backfill to the worker. It is kept in the warehouse, so that Redis may lose the job and nothing is lost. */
export async function enqueue(
  { config, clock }: House,
  backfill: BackfillRow,
  maxCalls: number | undefined,
  output: Output,
): Promise<void> {
  refuseOver(backfill);
  // BullMQ is loaded only when a backfill is handed over.
  const { askForBackfill } = await import('../../../jobs/ask.ts');
  const { backfillId, title } = backfill;
  const asked = await askForBackfill(config, {
    backfillId,
    maxCalls: maxCalls ?? Number.POSITIVE_INFINITY,
    nowMs: clock.now(),
  });
  output.result({
    command: 'backfill',
    ok: true,
    data: { backfill_id: backfillId, title, queue: asked.queue, job: asked.job },
    text: `Backfill ${backfillId} (${title}) waits in the queue ${asked.queue} as job ${asked.job}. \`status\` shows how far it is; \`backfill --resume ${backfillId} --report FILE\` writes its report when it is done.`,
    attention: null,
  });
}
