import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HealthState } from '../report/health.ts';

/** A static file that the page uses. */
interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** Reads the static files. The keys are their URL paths. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const read = (name: string) => readFileSync(join(import.meta.dirname, 'assets', name));
  const icon = read('icon.svg').toString();
  return new Map([
    ...Object.entries(TYPES).map(([name, type]) => {
      return [`/page/${name}`, { type, body: read(name) }] as const;
    }),
    ...Object.entries(ICON_COLOURS).map(([state, colour]) => {
      const body = Buffer.from(icon.replace('#0b5f63', colour));
      return [`/page/icon-${state}.svg`, { type: 'image/svg+xml', body }] as const;
    }),
  ]);
}

const TYPES = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
};

/** The favicon's colour for each health state. */
const ICON_COLOURS: Readonly<Record<HealthState, string>> = {
  needs_you: '#b3261e',
  working: '#2b5fa8',
  waiting: '#8a5f00',
  empty: '#566064',
  healthy: '#0b5f63',
};
