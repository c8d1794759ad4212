import net from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../support/fetch.ts';
import { openUpstream } from '../support/upstream.ts';

const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n';
const HEADERS = 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{';

/** Upstreams that never close their sockets and send their text every 20 ms. */
test.concurrent.for([
  ['sends no byte', '', ''],
  ['sends headers and part of the body and then goes silent', HEADERS, ''],
  ['endlessly sends interim responses', HINTS, HINTS],
  [
    'switches protocols',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'x',
  ],
])('a run ends even if the upstream %s', async ([, first = '', further = ''], { onTestFinished }) => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).resume();
    socket.once('data', () => {
      socket.write(first);
      const timer = setInterval(() => socket.write(further), 20);
      socket.once('close', () => clearInterval(timer));
    });
  });
  const port = await listen(server);
  const timeouts = { connect: '1s', response: '300ms' };
  const upstream = await openUpstream(
    {},
    { upstream: { base_url: `http://127.0.0.1:${port}/api`, concurrency: 1, timeouts } },
  );
  onTestFinished(async () => {
    server.close();
    await upstream.close();
  });
  const { signal } = await upstream.cli('sync', '--max-calls', '1');
  expect(signal).toBeNull();
  const db = upstream.warehouse();
  expect(db.prepare("SELECT count(*) FROM _call WHERE outcome = 'broken' AND ms < 5000").pluck().get()).toBe(
    1,
  );
  db.close();
});
