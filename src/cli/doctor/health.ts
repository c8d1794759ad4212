import { existsSync } from 'node:fs';
import { factSettings } from '../../../jobs/schedules.ts';
import type { Config } from '../../config/config.ts';
import { MirrorError } from '../../errors.ts';
import { withFacts } from '../../operations/read_facts.ts';
import { localTime } from '../../report/figures.ts';
import type { CauseName } from '../../report/problems.ts';
import { type Finding, warning } from './finding.ts';

/** Reports the problems that `status` and the status page show, except those that other checks report. */
export async function checkHealth(config: Config, nowMs: number): Promise<Finding[]> {
  if (!existsSync(config.warehouse) || !existsSync(config.ledger)) return [];
  try {
    const sources = { nowMs, settings: factSettings(config), formatTime: localTime };
    const { problems } = await withFacts(config, sources, ({ health }) => health);
    return problems
      .filter(({ name }) => !REPORTED_ELSEWHERE.has(name))
      .map(({ cause, remedy }) => warning('health', cause.replace(/\.$/, ''), remedy));
  } catch (error) {
    // `checkFiles` reports a file that cannot be opened.
    if (error instanceof MirrorError) return [];
    throw error;
  }
}

const REPORTED_ELSEWHERE: ReadonlySet<CauseName> = new Set<CauseName>([
  'key_refused',
  'ledger_lost',
  'licence_ends',
]);
