import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ConfigInput } from '../../../src/config/config.ts';

/** A message that a receiver got. The body of an email is its text. */
export interface Received {
  readonly id: string;
  readonly body: string;
}

/** Local receivers, all of which record the requests. They accept, reject or redirect messages, or never respond. */
export interface Receivers {
  readonly configuration: NonNullable<ConfigInput['notify']>;
  /** The next request to `slow` gets no response. */
  hangOnce(): void;
  /** `redirecting` responds with 200 from now on. */
  repair(): void;
  received(name: string): Received[];
  readonly counts: { requests: number; badSignatures: number; redirectsFollowed: number; private: number };
  close(): Promise<void>;
}

const KEY = Buffer.alloc(32, 11);
const SECRET = `whsec_${KEY.toString('base64')}`;
const MAX_AGE_S = 300;
const DAY_S = 86_400;

/** Starts the receivers, whose clock is a whole number of days behind the sender's. */
export async function startReceivers(folder: string): Promise<Receivers> {
  const counts = { requests: 0, badSignatures: 0, redirectsFollowed: 0, private: 0 };
  const received = new Map<string, Received[]>();
  let hangs = 0;
  let isRepaired = false;

  const statusFor = (name: string, isFirst: boolean): number | null => {
    if (name === 'flaky' && isFirst) return 500;
    if (name === 'slow' && hangs > 0) {
      hangs -= 1;
      return null;
    }
    if (name === 'redirecting' && !isRepaired) return 302;
    return name === 'gone' ? 410 : 200;
  };
  const accept = (request: IncomingMessage, response: ServerResponse, body: string) => {
    counts.requests += 1;
    const name = (request.url ?? '').slice(1);
    if (name === 'elsewhere') counts.redirectsFollowed += 1;
    if (!isSigned(request, body, Date.now())) counts.badSignatures += 1;
    const messages = received.get(name) ?? [];
    received.set(name, messages);
    const id = String(request.headers['webhook-id']);
    const isFirst = !messages.some((message) => message.id === id);
    messages.push({ id, body });
    const status = statusFor(name, isFirst);
    if (status !== null) response.writeHead(status, { location: '/elsewhere' }).end();
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => accept(request, response, body));
  });
  const closed = createServer().on('connection', () => {
    counts.private += 1;
  });
  const base = `http://127.0.0.1:${await listen(server)}`;
  const privateUrl = `https://127.0.0.1:${await listen(closed)}/`;
  const [command, mail] = ['command', 'mail'].map((name) => programIn(mkdtempSync(join(folder, `${name}-`))));
  const webhook = (name: string) => ({
    name,
    webhook: { url: `${base}/${name}`, secret: SECRET, allow_private: true },
  });
  return {
    configuration: [
      ...['steady', 'flaky', 'slow', 'redirecting', 'gone'].map(webhook),
      { name: 'private', webhook: { url: privateUrl, secret: SECRET } },
      { name: 'command', command: [command?.path ?? ''] },
      {
        name: 'mail',
        mail: { to: 'ops@example.org', from: 'mirror@example.org', sendmail: mail?.path ?? '' },
      },
    ],
    hangOnce: () => {
      hangs = 1;
    },
    repair: () => {
      isRepaired = true;
    },
    received: (name) =>
      ({ command: command?.received(), mail: mail?.received() })[name] ?? received.get(name) ?? [],
    counts,
    async close() {
      for (const one of [server, closed]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Checks a request's age and its signature of `id.timestamp.body`, as the Standard Webhooks specification requires. */
function isSigned({ headers }: IncomingMessage, body: string, nowMs: number): boolean {
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature = '',
  } = headers as Record<string, string>;
  const expected = createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest();
  const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    (nowMs / 1000 - Number(timestamp) + DAY_S * 1000) % DAY_S < MAX_AGE_S
  );
}

/** A program that writes its standard input to a file in the folder. */
function programIn(folder: string) {
  const path = join(folder, 'program');
  const script = `#!/bin/sh\nfile=$(mktemp ${folder}/part.XXXXXXXX)\ncat > $file\nmv $file $file.whole\n`;
  writeFileSync(path, script, { mode: 0o755 });
  return {
    path,
    received: (): Received[] =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.whole'))
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .map((body) => ({ id: /msg_[0-9a-f]{32}/.exec(body)?.[0] ?? '', body })),
  };
}
