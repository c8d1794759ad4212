import type { Fault } from '../../support/faults.ts';

const HTML = '<!doctype html><title>Gateway</title><h1>Bad gateway</h1>';
const SOFT_ERROR = '{"error":{"code":"internal","message":"Something went wrong"}}';

/** Chooses a random fault for one response. No fault looks like valid information about the registry. */
export function drawFault(random: () => number, otherOrigin: string): Fault {
  const faults: readonly (() => Fault)[] = [
    () => ({ kind: 'status', status: 500, body: SOFT_ERROR }),
    () => ({ kind: 'status', status: 502, body: HTML, headers: { 'content-type': 'text/html' } }),
    () => ({ kind: 'status', status: 503, body: '' }),
    () => ({ kind: 'status', status: 503, body: HTML, headers: { 'retry-after': '3' } }),
    () => ({ kind: 'status', status: 429, body: SOFT_ERROR, headers: { 'retry-after': '2' } }),
    () => ({ kind: 'status', status: 429, body: HTML, headers: { 'content-type': 'text/html' } }),
    () => ({ kind: 'status', status: 429, body: '' }),
    () => ({ kind: 'status', status: 200, body: SOFT_ERROR }),
    () => ({ kind: 'reset_before_headers' }),
    () => ({ kind: 'reset_after_headers' }),
    () => ({ kind: 'hang' }),
    () => ({ kind: 'slow_drip' }),
    () => ({ kind: 'truncated' }),
    () => ({ kind: 'wrong_content_length' }),
    () => ({ kind: 'html' }),
    () => ({ kind: 'empty' }),
    () => ({ kind: 'not_json' }),
    () => ({ kind: 'huge_body', bytes: 3_000_000 }),
    () => ({ kind: 'gzip_bomb', bytes: 50_000_000 }),
    () => ({ kind: 'redirect', to: `${otherOrigin}/api/search` }),
    () => ({ kind: 'wrong_content_type', type: 'text/html' }),
    () => ({ kind: 'bom' }),
    () => ({ kind: 'invalid_utf8' }),
  ];
  return (faults[Math.floor(random() * faults.length)] as () => Fault)();
}
