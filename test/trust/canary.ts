import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../../src/sandbox/faults.ts';

/** A key that is searched for wherever something is written or said. */
export const CANARY = 'canary/5b1f+93=ae7d2c40_68';

/** As it is, as JSON may write it, as a URL does, and as base64 of a whole header would hold it. */
const FORMS = [
  CANARY,
  CANARY.replaceAll('/', '\\/'),
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64'),
];

export function holdsCanary(text: string): boolean {
  return FORMS.some((form) => text.includes(form));
}

/** Files under a folder that hold the key, but for those that are told to. */
export function filesWithCanary(folder: string, except: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !except.includes(path))
    .filter((path) => holdsCanary(readFileSync(path, 'latin1')));
}

/** An answer that gives the key back where it has room for it; its reason is for a person to read. */
export const TELLTALE_BODY = `{"error":"key ${CANARY} has no access","link":"https://x.example/?key=${encodeURIComponent(CANARY)}"}`;

/** An answer as it should be, but for one more member: the key. */
export const WELL_FORMED: Fault = {
  kind: 'altered',
  body: (text) => text.replace('{', `{"your_key":${JSON.stringify(CANARY)},`),
};

/** The faults of an upstream that gives the key back, one after the other; some answers are whole. */
export function telltale(nth: number): Fault | null {
  const body = TELLTALE_BODY;
  const faults: readonly (Fault | null)[] = [
    null,
    { kind: 'status', status: 500, body },
    { kind: 'status', status: 400, body },
    { kind: 'status', status: 403, body: `<h1>${CANARY}</h1>`, headers: { 'content-type': 'text/html' } },
    { kind: 'status', status: 200, body },
    { kind: 'redirect', to: `https://x.example/?key=${CANARY}` },
    {
      kind: 'status',
      status: 429,
      body,
      headers: { 'retry-after': '0', 'x-key': CANARY, link: `<${CANARY}>; rel=next` },
    },
    WELL_FORMED,
    null,
    null,
  ];
  return faults[nth % faults.length] ?? null;
}
