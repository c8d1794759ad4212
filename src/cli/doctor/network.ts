import { lookup } from 'node:dns/promises';
import { TOLERATED_SKEW_MS } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import { clockSkewMs } from '../../dialect/headers.ts';
import { MirrorError } from '../../errors.ts';
import { openConfiguredConnections } from '../../operations/assemble.ts';
import type { Attempt } from '../../outcome.ts';
import { inspectRedis } from '../../redis/inspection.ts';
import { duration } from '../../report/figures.ts';
import { type CheckResult, note, ok, problem, warning } from './check_result.ts';

/** Checks the connection to the upstream, without sending a request: host name, proxy and TLS certificate. */
export async function checkConnection(config: Config): Promise<CheckResult[]> {
  const { upstream } = config;
  const { hostname: host } = new URL(upstream.base_url);
  const route = upstream.proxy === null ? 'directly' : `through the proxy ${upstream.proxy}`;
  const [connection, ...others] = openConfiguredConnections(config);
  for (const other of others) other.close();
  const startedMs = performance.now();
  try {
    // A proxy resolves the host name itself.
    if (upstream.proxy === null) await lookup(host.replace(/^\[|\]$/g, ''));
    await connection?.connect();
    return [
      ok(
        'connection',
        `${new URL(upstream.base_url).origin} is reachable ${route}, in ${duration(performance.now() - startedMs)}`,
      ),
    ];
  } catch (error) {
    return [unreachable(config, route, error)];
  } finally {
    connection?.close();
  }
}

function unreachable({ upstream }: Config, route: string, error: unknown): CheckResult {
  const { origin } = new URL(upstream.base_url);
  const { code = '', message } = error as NodeJS.ErrnoException;
  const what = `${origin} cannot be reached ${route}: ${message}`;
  return problem('connection', what, remedyFor(code, message, upstream.proxy !== null));
}

/** Returns the recommended action for a network error. */
export function remedyFor(code: string, message: string, hasProxy: boolean): string {
  if (code === 'ENOTFOUND')
    return hasProxy
      ? 'Correct upstream.proxy or HTTPS_PROXY.'
      : 'Correct the host in upstream.base_url, or configure a proxy (HTTPS_PROXY or upstream.proxy).';
  if (code === 'EAI_AGAIN')
    return 'The name server does not respond: check the network, or configure a proxy (HTTPS_PROXY or upstream.proxy).';
  if (/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/.test(code))
    return "The certificate has expired or is not valid yet: check this machine's clock, or inform the registry.";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'The certificate belongs to another host: correct upstream.base_url.';
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return "The certificate's authority is unknown: set upstream.ca_file.";
  if (/EPROTO|ERR_SSL/.test(code))
    return 'The port does not use TLS: use http:// instead of https://, or correct the port.';
  if (/refused to connect/.test(message))
    return 'The proxy refuses this host: contact its operator, or add the host to NO_PROXY.';
  if (code === 'ECONNREFUSED')
    return hasProxy
      ? 'No proxy listens at that address: correct upstream.proxy or HTTPS_PROXY.'
      : 'No server listens at that address: correct the host and port in upstream.base_url.';
  return 'Check the network and its firewall. If a proxy is required, set HTTPS_PROXY or upstream.proxy.';
}

/** Compares this machine's clock with the upstream's Date header. */
export function checkClock(headers: Attempt['headers'], answeredAtMs: number): CheckResult[] {
  const skewMs = clockSkewMs(headers, answeredAtMs);
  if (skewMs === null) return [];
  if (Math.abs(skewMs) < TOLERATED_SKEW_MS) return [ok('clock', 'agrees with the upstream')];
  return [
    warning(
      'clock',
      `this machine's clock is ${duration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the upstream's, so the upstream's days and minutes start at other times`,
      'Set the clock by NTP (timedatectl set-ntp true).',
    ),
  ];
}

/** Checks the worker's Redis: version, persistence and eviction. `sync` needs no Redis. */
export async function checkRedis({ worker }: Config): Promise<CheckResult[]> {
  try {
    const { facts, findings } = await inspectRedis(worker.redis_url);
    if (findings.length === 0)
      return [ok('Redis', `${facts.version} at ${worker.redis_url}, persists jobs and evicts none`)];
    return findings.map(({ message, hint }) => warning('Redis', message, hint));
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    return [
      note(
        'Redis',
        `${error.message}; without it, \`worker\` starts no jobs, and \`sync\` works`,
        error.hint,
      ),
    ];
  }
}
