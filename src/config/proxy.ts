import { BlockList, isIP } from 'node:net';
import { UsageError } from '../errors.ts';
import { type Environment, isSet } from './environment.ts';
import type { Config } from './schema.ts';
import type { SecretUrl } from './secret.ts';
import { ProxyUrl } from './values.ts';

/** If the configuration has no proxy, adds the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY specify. */
export function withProxyFromEnvironment(config: Config, env: Environment): Config {
  const { upstream } = config;
  if (upstream.proxy !== null) return config;
  const found = proxyFromEnvironment(new URL(upstream.base_url), env);
  return found === null ? config : { ...config, upstream: { ...upstream, proxy: parsed(found) } };
}

// The message does not repeat the URL, because it may contain a password.
function parsed({ url, variable }: { url: string; variable: string }): SecretUrl {
  const result = ProxyUrl.safeParse(url);
  if (result.success) return result.data;
  throw new UsageError(`the environment variable ${variable} is not the URL of an HTTP proxy`, {
    hint: `Write it as http://proxy.example:3128, or add the registry's host to NO_PROXY.`,
  });
}

/**
 * Returns the proxy that the environment sets for a URL, with the variable's name, or null if there is none. It follows
 * the conventions of curl and Go: the URL's scheme selects HTTPS_PROXY or HTTP_PROXY, and NO_PROXY lists hosts that
 * bypass the proxy. Calls to this machine use no proxy.
 */
export function proxyFromEnvironment(
  address: URL,
  env: Environment,
): { readonly url: string; readonly variable: string } | null {
  const names = address.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const variable = names.find((name) => isSet(env[name]));
  if (variable === undefined || isBypassed(address, env.no_proxy || env.NO_PROXY || '')) return null;
  const text = env[variable] as string;
  return { url: /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`, variable };
}

function isBypassed(address: URL, noProxy: string): boolean {
  const host = address.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost') || LOOPBACK.check(host, familyOf(host)))
    return true;
  const port = address.port !== '' ? address.port : address.protocol === 'https:' ? '443' : '80';
  return noProxy
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => entry !== '' && covers(entry, host, port));
}

/**
 * Returns whether an entry in NO_PROXY covers the host. Possible entries are `*`, `example.org`, `.example.org`
 * (subdomains only), `example.org:8443`, `10.0.0.1` and `10.0.0.0/8`.
 */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, network = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (network !== '') return isInNetwork(host, network.replace(/^\[|\]$/g, ''), Number(bits));
  const [, name = entry, entryPort = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (entryPort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*/, '');
  return bare.startsWith('.') ? host.endsWith(bare) : host === bare || host.endsWith(`.${bare}`);
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  if (isIP(host) === 0 || isIP(host) !== isIP(network) || bits > (isIP(host) === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, familyOf(network));
  return list.check(host, familyOf(host));
}

function familyOf(host: string): 'ipv4' | 'ipv6' {
  return isIP(host) === 6 ? 'ipv6' : 'ipv4';
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
