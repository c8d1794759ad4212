import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { HealthState } from '../report/health.ts';

/** A static file that the page uses. */
interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** Reads the static files, of which some belong to packages. The keys are their URL paths. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const own = (name: string) => readFileSync(join(import.meta.dirname, 'assets', name));
  const require = createRequire(import.meta.url);
  const css = 'text/css; charset=utf-8';
  const js = 'text/javascript; charset=utf-8';
  const icon = own('icon.svg').toString();
  return new Map([
    ['/page/simple.css', { type: css, body: readFileSync(require.resolve('simpledotcss/simple.min.css')) }],
    ['/page/page.css', { type: css, body: own('page.css') }],
    [
      '/page/idiomorph.js',
      { type: js, body: readFileSync(require.resolve('idiomorph/dist/idiomorph.esm.js')) },
    ],
    ['/page/page.js', { type: js, body: own('page.js') }],
    ...Object.entries(ICON_COLOURS).map(([state, colour]) => {
      const body = Buffer.from(icon.replace('#0b5f63', colour));
      return [`/page/icon-${state}.svg`, { type: 'image/svg+xml', body }] as const;
    }),
  ]);
}

/** The favicon's colour for each health state. */
const ICON_COLOURS: Readonly<Record<HealthState, string>> = {
  needs_you: '#b3261e',
  working: '#2b5fa8',
  waiting: '#8a5f00',
  empty: '#566064',
  healthy: '#0b5f63',
};
