import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../../src/sandbox/faults.ts';

/** A key for which the tests search all files and output. */
export const CANARY = 'canary/5b1f+93=ae7d2c40_68';

/** The key in each encoding: unchanged, in JSON, in a URL, and in the base64 of a whole header. */
const FORMS = [
  CANARY,
  CANARY.replaceAll('/', '\\/'),
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64'),
];

export function holdsCanary(text: string): boolean {
  return FORMS.some((form) => text.includes(form));
}

/** Files under a folder that contain the key, except those that must contain it. */
export function filesWithCanary(folder: string, except: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !except.includes(path))
    .filter((path) => holdsCanary(readFileSync(path, 'latin1')));
}

/** A response that repeats the key in its reason phrase, headers and body. */
export const TELLTALE_BODY = `{"error":"key ${CANARY} has no access","link":"https://x.example/?key=${encodeURIComponent(CANARY)}"}`;

/** A correct response with one additional member: the key. */
export const WELL_FORMED: Fault = {
  kind: 'altered',
  body: (text) => text.replace('{', `{"your_key":${JSON.stringify(CANARY)},`),
};

/** The faults of an upstream that repeats the key, in sequence. Some responses are correct. */
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
