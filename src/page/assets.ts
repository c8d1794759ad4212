import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A static file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

/** Reads the static files. The keys of the map are their paths on the server. */
export function readAssets(): ReadonlyMap<string, Asset> {
  return new Map(
    Object.entries(TYPES).map(([name, type]) => {
      const body = readFileSync(join(import.meta.dirname, 'assets', name));
      return [`/page/${name}`, { type, body, etag: `"${hash('sha256', body).slice(0, 16)}"` }];
    }),
  );
}

const TYPES = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'charts.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};
