import { createRequire } from 'node:module';
import type { CronExpression, CronExpressionOptions } from 'cron-parser';

const require = createRequire(import.meta.url);

/**
 * Parses a cron pattern. The library is loaded when first needed, because most commands do not need it and loading
 * takes a tenth of their start time.
 *
 * @throws Error if the pattern is invalid.
 */
export function parseCron(pattern: string, options: CronExpressionOptions = {}): CronExpression {
  const { CronExpressionParser } = require('cron-parser') as typeof import('cron-parser');
  return CronExpressionParser.parse(pattern, options);
}
