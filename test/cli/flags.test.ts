import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_FLAGS } from '../support/command_flags.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

test('the npm script and the installed command give Node the same flags, and the image adds one', () => {
  expect(COMMAND_FLAGS).not.toEqual([]);
  expect(read('src/cli/bin.js').split('\n')[0]).toBe(`#!/usr/bin/env -S node ${COMMAND_FLAGS.join(' ')}`);
  const entry = /^ENTRYPOINT (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '';
  // The image usually runs the worker, which is mostly idle.
  const ofImage = [...COMMAND_FLAGS, '--optimize-for-size'];
  expect(JSON.parse(entry)).toEqual(['node', ...ofImage, '/app/dist/src/cli/bin.js']);
  expect(JSON.parse(read('package.json')).scripts.demo).toContain(` ${COMMAND_FLAGS.join(' ')} `);
});
