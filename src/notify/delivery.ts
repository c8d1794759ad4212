import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Receiver } from '../config/receiver.ts';

export interface Message {
  /** The message's id, which is the same for all attempts. */
  readonly id: string;
  readonly body: string;
}

/** The result of one attempt. If `isFinal` is true, the receiver wants no more messages. */
export type Attempted =
  | { readonly is: 'delivered' }
  | { readonly is: 'failed'; readonly why: string; readonly isFinal: boolean };

/**
 * Sends a message in the Standard Webhooks format (https://www.standardwebhooks.com). The headers hold the id, the
 * timestamp and an HMAC-SHA256 of `id.timestamp.body`. Redirects are not followed.
 */
export function postWebhook(
  { url: secretUrl, secret, allow_private }: NonNullable<Receiver['webhook']>,
  { id, body }: Message,
  nowMs: number,
): Promise<Attempted> {
  const url = new URL(secretUrl.reveal());
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allow_private && isIP(host) !== 0 && isPrivate(host)) return Promise.resolve(refused(host));
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature(secret.reveal(), `${id}.${timestamp}.${body}`),
  };
  const open = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = open(
      url,
      { method: 'POST', headers, signal, agent: false, ...(allow_private ? {} : { lookup: publicLookup }) },
      (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        resolve(
          status >= 200 && status < 300
            ? { is: 'delivered' }
            : { is: 'failed', why: `the receiver responded with ${status}`, isFinal: status === 410 },
        );
      },
    );
    sent.on('error', (error) => {
      const why = signal.aborted ? `no response within ${TIMEOUT_MS / 1000} s` : error.message;
      resolve({ is: 'failed', why, isFinal: false });
    });
    sent.end(body);
  });
}

const TIMEOUT_MS = 15_000;

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

function refused(host: string): Attempted {
  return { is: 'failed', why: privateAddress(host), isFinal: false };
}

function privateAddress(host: string): string {
  return `${host} has a private address; set allow_private: true to permit it`;
}

/** Resolves a host name for the connection itself, so that the connection uses the same address that was checked. */
const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isPrivate(address)))
      return done(new Error(privateAddress(host)), '', 0);
    if (options.all) return done(null, addresses);
    done(null, first.address, first.family);
  });
};

/** Returns whether an address is not reachable from other networks. */
export function isPrivate(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Addresses that are not globally reachable (IANA special-purpose registries), and IPv6 addresses that embed an IPv4
 * address. Node itself compares IPv4-mapped IPv6 addresses with the IPv4 ranges.
 */
const PRIVATE = blockList([
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16',
  '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16',
  'fc00::/7 fe80::/10 fec0::/10 ff00::/8',
]);

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges.join(' ').split(' ')) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Runs a program and writes text to its standard input. Exit code 0 means that the program accepted the message. */
export function runProgram([program = '', ...args]: readonly string[], input: string): Promise<Attempted> {
  return new Promise((resolve) => {
    // This process's environment can include the registry key, so it is not passed on to the program.
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      timeout: PROGRAM_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-200);
    });
    const failed = (why: string) => resolve({ is: 'failed', why, isFinal: false });
    child.on('error', (error) => failed(error.message));
    child.on('close', (code, signal) => {
      if (code === 0) resolve({ is: 'delivered' });
      else failed(`${program} ended with ${code ?? signal}${said === '' ? '' : `: ${said.trim()}`}`);
    });
    // Ignore errors here, because a program may ignore its input. Only its exit code shows whether it succeeded.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

const PROGRAM_TIMEOUT_MS = 60_000;

/** Sends a mail through the local sendmail program. */
export function sendMail(
  { to, from, sendmail }: NonNullable<Receiver['mail']>,
  { id }: Message,
  { subject, text }: { readonly subject: string; readonly text: string },
  date: Date,
): Promise<Attempted> {
  const mail = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${from.split('@')[1] ?? 'localhost'}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'Auto-Submitted: auto-generated',
    '',
    ...(Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ];
  return runProgram([sendmail, '-t', '-i', '-f', from], mail.join('\n'));
}
