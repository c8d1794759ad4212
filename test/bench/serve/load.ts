import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a series of requests has measured. */
export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds from sending the request to receiving the last byte. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many responses had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  /** The paths to request, in this order. Each connection starts at a different path. */
  readonly paths: readonly string[];
  readonly key: string;
}

/**
 * Sends requests over persistent connections, one at a time on each. It writes to sockets directly, because an HTTP
 * client would use more CPU time than the server.
 */
export async function measureLoad(load: Load): Promise<Measured> {
  const latencies = new Float64Array(load.requests);
  const statuses: Record<string, number> = {};
  let begun = 0;
  const startedMs = performance.now();
  const askInTurn = async (lane: number) => {
    const client = await connected(load.port);
    let next = Math.floor((lane * load.paths.length) / load.connections);
    while (begun < load.requests) {
      const at = begun++;
      const path = load.paths[next++ % load.paths.length] ?? '/';
      const sentMs = performance.now();
      const status = await client.ask(path, load.key);
      latencies[at] = performance.now() - sentMs;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    client.close();
  };
  await Promise.all(Array.from({ length: load.connections }, (_, lane) => askInTurn(lane)));
  const elapsedMs = performance.now() - startedMs;
  latencies.sort();
  return {
    requests: load.requests,
    perSecond: (load.requests / elapsedMs) * 1000,
    p50Ms: latencies[Math.floor(load.requests * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(load.requests * 0.99)] ?? 0,
    statuses,
  };
}

async function connected(port: number) {
  const socket = await connect(port);
  let received: Buffer = Buffer.alloc(0);
  let answered: ((status: string) => void) | null = null;
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const whole = endOfAnswer(received);
    if (whole === null || received.length < whole) return;
    const status = received.toString('latin1', 9, 12);
    received = received.subarray(whole);
    answered?.(status);
  });
  return {
    ask: (path: string, key: string): Promise<string> =>
      new Promise((resolve, reject) => {
        answered = resolve;
        socket.once('error', reject);
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`, () =>
          socket.off('error', reject),
        );
      }),
    close: () => socket.destroy(),
  };
}

async function connect(port: number): Promise<Socket> {
  for (let attempt = 1; ; attempt++) {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
    const failed = await new Promise<Error | null>((resolve) => {
      socket.once('connect', () => resolve(null));
      socket.once('error', resolve);
    });
    if (failed === null) return socket;
    if (attempt === 50) throw failed;
    await sleep(100);
  }
}

/** Returns where the buffer's first response ends, or null if that response's head is incomplete. */
function endOfAnswer(received: Buffer): number | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = received.toString('latin1', 0, headEnd);
  return headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
}
