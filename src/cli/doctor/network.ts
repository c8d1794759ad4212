import { lookup } from 'node:dns/promises';
import { inspectRedis } from '../../../jobs/redis_check.ts';
import { clockSkewMs, TOLERATED_SKEW_MS } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import { MirrorError } from '../../errors.ts';
import { openConnections } from '../../operations/assemble.ts';
import { duration } from '../../report/figures.ts';
import { type Finding, note, ok, problem, warning } from './finding.ts';

/** The way to the upstream: name, proxy, connection, certificate, clock. No request is sent. */
export async function checkWay(config: Config): Promise<Finding[]> {
  const { upstream } = config;
  const { hostname: host } = new URL(upstream.base_url);
  const through = upstream.proxy === null ? 'directly' : `through the proxy ${upstream.proxy}`;
  const [connection, ...others] = openConnections(config);
  for (const other of others) other.close();
  const startedMs = performance.now();
  try {
    // Through a proxy, the proxy finds the address.
    if (upstream.proxy === null) await lookup(host.replace(/^\[|\]$/g, ''));
    await connection?.connect();
    return [
      ok(
        'connection',
        `${new URL(upstream.base_url).origin} answers ${through}, in ${duration(performance.now() - startedMs)}`,
      ),
    ];
  } catch (error) {
    return [unreachable(config, through, error)];
  } finally {
    connection?.close();
  }
}

function unreachable({ upstream }: Config, through: string, error: unknown): Finding {
  const { origin } = new URL(upstream.base_url);
  const { code = '', message } = error as NodeJS.ErrnoException;
  const what = `${origin} cannot be reached ${through}: ${message}`;
  return problem('connection', what, remedyFor(code, message, upstream.proxy !== null));
}

/** What to do about an error of the network. */
export function remedyFor(code: string, message: string, hasProxy: boolean): string {
  if (code === 'ENOTFOUND')
    return hasProxy
      ? 'Correct upstream.proxy or HTTPS_PROXY.'
      : 'Correct the host in upstream.base_url, or name a proxy (HTTPS_PROXY or upstream.proxy).';
  if (code === 'EAI_AGAIN')
    return 'No name server answers: check the network, or name a proxy (HTTPS_PROXY or upstream.proxy).';
  if (/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/.test(code))
    return "The certificate is out of date, or this machine's clock is wrong.";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'The certificate belongs to another host: correct upstream.base_url.';
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return 'The certificate is not from an authority that is known here: name its file under upstream.ca_file.';
  if (/EPROTO|ERR_SSL/.test(code))
    return 'It does not speak TLS there: http:// instead of https://, or another port?';
  if (/refused to connect/.test(message))
    return 'The proxy does not let this host through: ask its operator, or list the host in NO_PROXY.';
  if (code === 'ECONNREFUSED')
    return hasProxy
      ? 'Nothing listens at the proxy: correct upstream.proxy or HTTPS_PROXY.'
      : 'Nothing listens there: correct host and port in upstream.base_url.';
  return 'Check the network and its firewall; behind a proxy set HTTPS_PROXY or upstream.proxy.';
}

/** How far this machine's clock is from the upstream's. */
export function checkClock(dateHeader: string | undefined, answeredAtMs: number): Finding[] {
  const skewMs = clockSkewMs(dateHeader, answeredAtMs);
  if (skewMs === null) return [];
  if (Math.abs(skewMs) < TOLERATED_SKEW_MS) return [ok('clock', 'agrees with the upstream')];
  return [
    warning(
      'clock',
      `this machine's clock is ${duration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the upstream's: days and minutes of the allowance begin at other moments there`,
      'Set the clock by NTP (timedatectl set-ntp true).',
    ),
  ];
}

/** The worker's Redis: its version, whether it forgets, whether it throws away. `sync` needs none. */
export async function checkRedis({ worker }: Config): Promise<Finding[]> {
  try {
    const { facts, findings } = await inspectRedis(worker.redis_url);
    if (findings.length === 0)
      return [ok('Redis', `${facts.version} at ${worker.redis_url}, keeps jobs and throws none away`)];
    return findings.map(({ message, hint }) => warning('Redis', message, hint));
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    return [note('Redis', `${error.message}; only \`worker\` needs one`, error.hint)];
  }
}
