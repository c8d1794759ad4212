import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load_config.ts';
import { proxyFromEnvironment } from '../../src/config/proxy.ts';
import { UsageError } from '../../src/errors.ts';

const registry = new URL('https://api.registry.example/api');
const proxy = 'http://proxy.example:3128';

describe('the proxy in the environment', () => {
  it("the URL's scheme selects the proxy in the environment", () => {
    expect(found(registry, { HTTPS_PROXY: proxy, HTTP_PROXY: 'http://other.example' })).toBe(proxy);
    expect(found(registry, { HTTP_PROXY: proxy })).toBeNull();
    expect(found(new URL('http://registry.example'), { http_proxy: proxy })).toBe(proxy);
    expect(found(registry, { HTTPS_PROXY: '' })).toBeNull();
  });

  it('the proxy in the environment can be written without its scheme', () => {
    expect(found(registry, { HTTPS_PROXY: 'proxy.example:3128' })).toBe(proxy);
  });

  it.each([
    ['*', true],
    ['registry.example', true],
    ['.registry.example', true],
    ['*.registry.example', true],
    ['API.Registry.Example', true],
    ['api.registry.example:443', true],
    ['api.registry.example:8443', false],
    ['.api.registry.example', false],
    ['gistry.example', false],
    ['other.example, , registry.example', true],
    ['', false],
  ])('the proxy is not used with NO_PROXY=%s: %s', (noProxy, isDirect) => {
    expect(found(registry, { HTTPS_PROXY: proxy, NO_PROXY: noProxy })).toBe(isDirect ? null : proxy);
  });

  it('the proxy is not used for networks in NO_PROXY', () => {
    const at = (host: string, noProxy: string) =>
      found(new URL(`https://${host}/api`), { HTTPS_PROXY: proxy, NO_PROXY: noProxy });
    expect(at('10.1.2.3', '10.0.0.0/8')).toBeNull();
    expect(at('11.1.2.3', '10.0.0.0/8')).toBe(proxy);
    expect(at('[fd00::1]', 'fd00::/16')).toBeNull();
    expect(at('10.1.2.3', '10.0.0.0/99')).toBe(proxy);
  });

  it.each(['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost:8080'])(
    'the proxy is never used for requests to %s',
    (at) => {
      expect(found(new URL(at), { HTTP_PROXY: proxy })).toBeNull();
    },
  );
});

describe('a configuration and its proxy', () => {
  it("a configuration without a proxy uses the environment's", () => {
    expect(proxyOf({ HTTPS_PROXY: 'http://me:secret@proxy.example:3128' })?.reveal()).toContain('me:secret@');
    expect(String(proxyOf({ HTTPS_PROXY: 'http://me:secret@proxy.example:3128' }))).toBe(proxy);
    expect(proxyOf({ HTTPS_PROXY: 'http://other.example', REGISTRY_MIRROR_PROXY: proxy })?.reveal()).toBe(
      `${proxy}/`,
    );
  });

  it('a configuration with another kind of proxy is rejected, and the error names the variable but not its value', () => {
    const parse = () => proxyOf({ https_proxy: 'socks5://me:secret@proxy.example' });
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(/https_proxy/);
    expect(parse).not.toThrow(/secret/);
  });
});

function found(address: URL, env: Record<string, string>): string | null {
  return proxyFromEnvironment(address, env)?.url ?? null;
}

function proxyOf(env: Record<string, string>) {
  const text = `version: 1
upstream: { base_url: https://registry.example/api, api_key: k }
allowance: { unlimited: true }
`;
  return parseConfig({ path: '/somewhere/c.yaml', text, env }).upstream.proxy;
}
