import { connect } from 'node:net';
import type { SecretUrl } from '../config/config.ts';

/**
 * Returns whether a server is listening at the address in `url`, without loading the Redis client, which takes 100 ms.
 */
export function isListening(url: SecretUrl): Promise<boolean> {
  const { hostname, port } = new URL(url.reveal());
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) });
    const finish = (listens: boolean) => {
      socket.destroy();
      resolve(listens);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => finish(false));
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}

const CONNECT_TIMEOUT_MS = 2000;
