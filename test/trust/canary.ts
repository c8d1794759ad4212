import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Command } from '../support/command.ts';
import type { Fault } from '../support/faults.ts';
import { KEY_ENCODINGS } from '../support/key_encodings.ts';

/** A key that must not leak. The tests search for it in all files and outputs. */
export const CANARY = 'canary/5b1f+93=ae7d2c40_68';

/** Returns the key in each encoding in which an upstream may repeat it. */
const CANARY_FORMS = Object.values(KEY_ENCODINGS).map((encode) => encode(CANARY));

/** The key in several encodings at once, which cannot be removed from a body, so the body must not be stored. */
const MIXED_FORM = CANARY.replaceAll('+', '\\u0025252B');
const SEARCHED = [...CANARY_FORMS, MIXED_FORM];

export function holdsCanary(text: string): boolean {
  return SEARCHED.some((form) => text.includes(form));
}

/** Returns the files below a folder that contain the key, except those that should contain it. */
export function filesWithCanary(folder: string, except: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !except.includes(path))
    .filter((path) => holdsCanary(readFileSync(path, 'latin1')));
}

/** Returns a running command's arguments, which every user of the machine can read. */
export function argumentsOf({ process: { pid } }: Command): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

/** Returns a successful response's headers and body. */
export async function responseText(url: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  expect({ url, status: response.status, hasText: text.length > 0 }).toEqual({
    url,
    status: 200,
    hasText: true,
  });
  return `${JSON.stringify([...response.headers])}\n${text}`;
}

/** The key in each encoding, in values and in names. */
const MEMBERS = CANARY_FORMS.map(
  (form, at) => `"your_key_${at}":"a ${form} b","its ${form} ${at}":${at}`,
).join(',');

/** An error that repeats the key in each encoding. */
export const TELLTALE_BODY = `{"error":"key ${CANARY} has no access","link":"https://x.example/?key=${encodeURIComponent(CANARY)}",${MEMBERS}}`;

/** A correct response with additional members that contain the key in each encoding. */
export const WELL_FORMED: Fault = {
  kind: 'altered',
  body: (text) => text.replace('{', () => `{"your_key":${JSON.stringify(CANARY)},${MEMBERS},`),
};

/** The faults of an upstream that repeats the key, in order, with correct responses among them. */
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
      headers: { 'retry-after': '0', 'x-key': CANARY_FORMS.join(' '), link: `<${CANARY}>; rel=next` },
    },
    WELL_FORMED,
    { kind: 'status', status: 200, body: `{"error":"${MIXED_FORM}"}` },
    null,
    null,
  ];
  return faults[nth % faults.length] ?? null;
}
