import { inspectRedis } from '../../../jobs/redis_check.ts';
import type { Config } from '../../config.ts';
import { MirrorError } from '../../errors.ts';
import { type Finding, note, ok, warning } from './finding.ts';

/** The worker's Redis: its version, whether it forgets, whether it throws away. `sync` needs none. */
export async function checkRedis({ worker }: Config): Promise<Finding[]> {
  try {
    const { facts, findings } = await inspectRedis(worker.redis_url);
    if (findings.length === 0)
      return [ok('Redis', `${facts.version} at ${worker.redis_url}, keeps jobs and throws none away`)];
    return findings.map(({ message, hint }) => warning('Redis', message, hint));
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    return [note('Redis', `${error.message}; only \`worker\` needs one`, error.hint)];
  }
}
