import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import got from 'got';
import { callUntil, openCaller } from './caller.ts';

/**
 * Calls a second without any limit, by fetch (ledger, classification and all) and by bare got with as many
 * requests at once, in turns in one process against one server in another.
 *
 *   node test/bench/throughput.ts [--seconds 3] [--rounds 4] [--lanes 16]
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '4' },
    lanes: { type: 'string', default: '16' },
    only: { type: 'string' },
  },
});
const lanes = Number(values.lanes);
const seconds = Number(values.seconds);
const upstream = fork(join(import.meta.dirname, 'throughput_upstream.ts'));
const [{ port }] = (await once(upstream, 'message')) as [{ port: number }];
const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-throughput-'));
const caller = openCaller({ port, ledgerPath: join(folder, 'ledger.db'), perMinute: null, lanes });

const runs = { fetch: (untilMs: number) => callUntil(caller, untilMs), got: bareGot() };
type Name = keyof typeof runs;
const results: { round: number; name: Name; 'calls/s': number; 'CPU µs/call': number }[] = [];
for (let round = 0; round <= Number(values.rounds); round++)
  for (const name of ['fetch', 'got'] as const) {
    if (values.only !== undefined && values.only !== name) continue;
    const before = process.cpuUsage();
    const calls = await runs[name](Date.now() + seconds * 1000);
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round > 0)
      results.push({
        round,
        name,
        'calls/s': calls / seconds,
        'CPU µs/call': Math.round((user + system) / calls),
      });
  }

const bestOf = (name: Name) => results.filter((result) => result.name === name);
const rate = (name: Name) => Math.max(...bestOf(name).map((result) => result['calls/s']));
const cost = (name: Name) => Math.min(...bestOf(name).map((result) => result['CPU µs/call']));
// biome-ignore-start lint/suspicious/noConsole: a benchmark prints its figures
console.table(results);
console.log(`fetch : got, best rounds: ${(rate('fetch') / rate('got')).toFixed(3)} by calls a second`);
console.log(`                          ${(cost('got') / cost('fetch')).toFixed(3)} by CPU time a call`);
// biome-ignore-end lint/suspicious/noConsole: a benchmark prints its figures
caller.close();
rmSync(folder, { recursive: true, force: true });
upstream.disconnect();

function bareGot(): (untilMs: number) => Promise<number> {
  const agent = { http: new http.Agent({ keepAlive: true, maxSockets: lanes }) };
  const client = got.extend({
    agent,
    retry: { limit: 0 },
    headers: { authorization: `Bearer ${'k'.repeat(40)}` },
  });
  const url = `http://127.0.0.1:${port}/api/entity/42`;
  return async (untilMs) => {
    let good = 0;
    const one = async () => {
      while (Date.now() < untilMs) {
        const { statusCode } = await client(url);
        if (statusCode === 200) good += 1;
      }
    };
    await Promise.all(Array.from({ length: lanes }, one));
    return good;
  };
}
