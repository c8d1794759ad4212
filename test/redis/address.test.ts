import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SecretUrl } from '../../src/config/config.ts';
import { isListening } from '../../src/redis/address.ts';
import { temporaryFolder } from '../support/loader.ts';

it('a server is found at its TCP port or Unix socket', async () => {
  const socket = join(temporaryFolder(), 'redis.sock');
  const port = await listening();
  await listening(socket);
  expect(await isListening(new SecretUrl(`redis://127.0.0.1:${port}/0`))).toBe(true);
  expect(await isListening(new SecretUrl('redis://127.0.0.1:1'))).toBe(false);
  expect(await isListening(new SecretUrl(`unix:${socket}`))).toBe(true);
  expect(await isListening(new SecretUrl(`unix:${socket}.old`))).toBe(false);
});

/** Starts a server, and returns its port; null if it has a socket. */
async function listening(path?: string): Promise<number | null> {
  const server = createServer((connection) => void connection.destroy());
  await new Promise<void>((resolve) =>
    path === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(path, resolve),
  );
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? null) : null;
}
