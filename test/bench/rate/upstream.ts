import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Runs an upstream in its own process. It logs each request's arrival, and responds after a delay. */
const arrivalsMs: number[] = [];
const server = http.createServer((_request, response) => {
  arrivalsMs.push(Date.now());
  setTimeout(
    () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"42","name":"A"}');
    },
    5 + Math.random() * 75,
  );
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ arrivalsMs }, () => process.exit()));
