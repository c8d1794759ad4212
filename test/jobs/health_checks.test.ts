import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
const image = readFileSync(join(root, 'Dockerfile'), 'utf8');

const SCRIPTS: [string, string][] = [
  ...Object.entries<{ healthcheck?: { test: string[] } }>(compose.services).flatMap(
    ([name, { healthcheck }]): [string, string][] =>
      healthcheck?.test[1] === 'node' ? [[name, healthcheck.test[3] ?? '']] : [],
  ),
  ['the image', JSON.parse(/HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(image)?.[1] ?? '[]')[2]],
];

test.each(SCRIPTS)(
  'the health check of %s succeeds with 200, and fails with 503 or no server',
  async (_name, script) => {
    let status = 200;
    const server = createServer((_request, response) => response.writeHead(status).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const exitCode = async () => {
      const check = execFile(process.execPath, ['-e', script.replace(/(127\.0\.0\.1):\d+/, `$1:${port}`)]);
      return (await once(check, 'exit'))[0];
    };
    expect(await exitCode()).toBe(0);
    status = 503;
    expect(await exitCode()).toBe(1);
    server.close();
    await once(server, 'close');
    expect(await exitCode()).toBe(1);
  },
);
