// npm run accept assistant
// Starts the server for assistants that docs/analysts.md describes on the demo's mirror. Asks a question over stdio, and
// checks that a write fails. npx downloads the server.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openDemoMirror } from '../support/demo_mirror.ts';

const page = readFileSync(new URL('../../docs/analysts.md', import.meta.url), 'utf8');
const [, settings = ''] = /```toml\n([\s\S]*?)```/.exec(page) ?? [];
const [, command = ''] = /`npx (-y [^`]+)`/.exec(page) ?? [];

interface Response {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
}

const demo = openDemoMirror();
const file = join(demo.folder, 'dbhub.toml');
writeFileSync(file, settings.replace(/sqlite:\/\/[^"]+/, `sqlite://${demo.warehouse}`));
const server = spawn('npx', command.replace('dbhub.toml', file).split(/\s+/), {
  stdio: ['pipe', 'pipe', 'inherit'],
  detached: true,
});
try {
  const send = sender(server);
  await send('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'registry-mirror', version: '0' },
  });
  server.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const ask = async (sql: string) => {
    const { result } = await send('tools/call', { name: 'execute_sql', arguments: { sql } });
    return { isError: result?.isError === true, text: result?.content?.[0]?.text ?? '' };
  };
  const answer = await ask('SELECT count(*) AS companies FROM company');
  const write = await ask('DELETE FROM entity_change');
  const left = await ask('SELECT count(*) AS changes FROM entity_change');
  process.stdout.write(`${[answer, write, left].map(({ text }) => text).join('\n')}\n`);
  const isRead = !answer.isError && /"companies": 4\d{3}\b/.test(answer.text);
  const isKept = write.isError && /"changes": [1-9]/.test(left.text);
  process.exitCode = isRead && isKept ? 0 : 1;
} finally {
  if (server.pid !== undefined) process.kill(-server.pid);
  demo.remove();
}

/** Returns a function that sends one request and returns its response. */
function sender({ stdin, stdout }: ChildProcess) {
  if (stdin === null || stdout === null) throw new Error('the server has no standard input or output');
  const waiting = new Map<number, (response: Response) => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    const response: Response = JSON.parse(line);
    waiting.get(response.id ?? 0)?.(response);
  });
  return (method: string, params: object): Promise<Response> => {
    const id = waiting.size + 1;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const limit = setTimeout(() => reject(new Error(`no response to ${method} within 120 s`)), 120_000);
    waiting.set(id, (response) => {
      clearTimeout(limit);
      resolve(response);
    });
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return promise;
  };
}
