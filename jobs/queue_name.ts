import type { Config } from '../src/config/config.ts';

/** The name of a queue, such as `isle-of-man.main`: letters and digits of the source, then the account. */
export function queueNameOf({ source, account }: Config): string {
  const words = source.name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['registry'];
  return `${words.join('-')}.${account.id}`;
}

/** The Redis keys of this program, beside those of BullMQ. */
export function keysOf(prefix: string, queueName: string) {
  return {
    leader: `${prefix}:${queueName}:leader`,
    /** Hash: name of the schedule → last time it was verified. */
    heartbeat: `${prefix}:${queueName}:heartbeat`,
    /** Hash: name of each queue under this prefix → last time its leader reconciled it. */
    queues: `${prefix}:queues`,
  };
}
