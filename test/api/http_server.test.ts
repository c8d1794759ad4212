import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { boundedServer, closeServer, listenOn } from '../../src/api/http_server.ts';

test.each([
  ['Host: a\r\nHost: b', '400'],
  ['Host: a\r\nauthorization: Bearer a\r\nAuthorization: Bearer b', '400'],
  ['Host: a\r\nAuthorization: Bearer a\r\nAccept: x\r\nAccept: y', '200'],
])('a request with the headers %j gets the status %s', async (headers, status) => {
  const server = boundedServer((_, response) => response.end('ok'));
  onTestFinished(() => closeServer(server));
  const socket = net.connect(Number(new URL(await listenOn(server, '127.0.0.1', 0)).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET / HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toContain(`HTTP/1.1 ${status} `);
});
