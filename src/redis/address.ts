import { connect, type NetConnectOpts } from 'node:net';
import type { SecretUrl } from '../config/config.ts';

/**
 * Returns whether a server is listening at the address in `url`, without loading the Redis client, which takes 100 ms.
 */
export function isListening(url: SecretUrl): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(addressOf(new URL(url.reveal())));
    const finish = (listens: boolean) => {
      socket.destroy();
      resolve(listens);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => finish(false));
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}

function addressOf({ protocol, hostname, port, pathname }: URL): NetConnectOpts {
  if (protocol === 'unix:') return { path: pathname };
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
}

const CONNECT_TIMEOUT_MS = 2000;
