import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

const OPERATIONAL = { hasMetrics: true, onlyLocalHosts: true };

let mirror: Mirrored;
let served: Served;
beforeAll(async () => {
  mirror = await openMirrored();
  await mirror.sync();
  served = await serve(mirror, { operational: OPERATIONAL });
});
afterAll(async () => {
  await served.close();
  await mirror.close();
});

test('/health needs no key and reports that the warehouse can be read', async () => {
  const response = await fetch(`${served.service.url}/health`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ ok: true, error: null });
});

test('/metrics counts companies and requests by status', async () => {
  await served.ask('/api/search?q=a');
  await served.ask('/api/search?q=a', { key: 'unknown' });
  const response = await fetch(`${served.service.url}/metrics`);
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(text).toContain('registry_mirror_companies{state="known",registry="Sandbox registry"} 120');
  for (const status of [200, 401])
    expect(text).toContain(
      `registry_mirror_served_requests_total{path="/api",status="${status}",registry="Sandbox registry"} 1`,
    );
});

test('/metrics rejects foreign host names', async () => {
  const { port } = new URL(served.service.url);
  const status = await new Promise((resolve) => {
    request({ port, host: '127.0.0.1', path: '/metrics', headers: { host: 'evil.example' } }, (response) =>
      resolve(response.resume().statusCode),
    ).end();
  });
  expect(status).toBe(421);
});
