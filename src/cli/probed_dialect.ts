import { existsSync } from 'node:fs';
import { type Config, requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { withFacts } from '../report/facts.ts';
import { localTime } from '../report/figures.ts';

/** Requires a dialect. After a probe that has not found it, the error names the most urgent problem and its remedy. */
export async function requireProbedDialect(config: Config, nowMs: number): Promise<void> {
  if (config.dialect === undefined && existsSync(config.warehouse))
    await withFacts(config, { nowMs, formatTime: localTime }, ({ health: { problems } }) => {
      const [first] = problems;
      if (first === undefined || (first.name === 'no_dialect' && config.incomplete !== undefined)) return;
      const cause = first.name === 'no_dialect' ? '' : `. ${first.cause}`;
      throw new UsageError(`the configuration has no dialect yet${cause}`, { hint: first.remedy });
    });
  requireDialect(config);
}
