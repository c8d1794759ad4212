import type { Config } from '../src/config/config.ts';

/** `isle-of-man.main`: the source in letters and digits, then the account. */
export function queueNameOf({ source, account }: Config): string {
  const words = source.name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['registry'];
  return `${words.join('-')}.${account.id}`;
}

/** Our own keys, beside those of BullMQ. */
export function keysOf(prefix: string, queueName: string) {
  return {
    leader: `${prefix}:${queueName}:leader`,
    /** Hash: name of the schedule → when it was last seen to be in order. */
    heartbeat: `${prefix}:${queueName}:heartbeat`,
    /** Hash: name of every queue under this prefix → when its leader was last seen. */
    queues: `${prefix}:queues`,
  };
}
