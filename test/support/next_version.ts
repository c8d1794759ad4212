import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

// Processes that have the file open can continue, because only tables, columns and an index are added.
const MORE = `
ALTER TABLE _call ADD COLUMN of_next TEXT;
ALTER TABLE _lock ADD COLUMN of_next INTEGER NOT NULL DEFAULT 0;
CREATE TABLE _of_next (number INTEGER PRIMARY KEY);
CREATE INDEX _of_next_index ON _answer (call_id, length(body));
`;

/** Copies this program to its own folder and changes its schema. */
export function nextVersion() {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-next-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['src', 'jobs', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['data', 'node_modules']) symlinkSync(join(root, part), join(folder, part));
  const [schema, migrate] = ['schema.sql', 'migrate.ts'].map((name) =>
    join(folder, 'src/warehouse', name),
  ) as [string, string];
  appendFileSync(schema, MORE);
  writeFileSync(
    migrate,
    readFileSync(migrate, 'utf8').replace(/SCHEMA_VERSION = \d+/, 'SCHEMA_VERSION = 999'),
  );
  return async (...args: string[]): Promise<{ code: number | null; said: string }> => {
    const child = spawn(process.execPath, ['src/cli/bin.js', ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code, said: out + errors };
  };
}
