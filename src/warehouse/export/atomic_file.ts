import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../errors.ts';

/** A file that appears whole or not at all: written beside its place, then renamed into it. */
export interface AtomicFile {
  write(bytes: Uint8Array | string): void;
  /** Gives the file its name; answers what was written. */
  commit(): { readonly bytes: number; readonly sha256: string };
  /** Leaves what was there before. */
  discard(): void;
}

const BUFFER_BYTES = 256 * 1024;

/** @throws UsageError when the folder cannot be written. */
export function openAtomicFile(path: string): AtomicFile {
  const partial = join(dirname(path), `.${basename(path)}.${randomUUID()}${PARTIAL}`);
  const file = openForWriting(path, partial);
  const digest = createHash('sha256');
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let bytes = 0;

  const flush = () => {
    if (waitingBytes === 0) return;
    const chunk = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting, waitingBytes);
    writeAll(file, chunk);
    digest.update(chunk);
    bytes += chunk.length;
    waiting = [];
    waitingBytes = 0;
  };
  return {
    write: (data) => {
      const chunk = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data);
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= BUFFER_BYTES) flush();
    },
    commit: () => {
      flush();
      fsyncSync(file);
      closeSync(file);
      renameSync(partial, path);
      syncFolder(dirname(path));
      return { bytes, sha256: digest.digest('hex') };
    },
    discard: () => {
      closeSync(file);
      rmSync(partial, { force: true });
    },
  };
}

const PARTIAL = '.partial';

/** Removes what exports that were killed left behind. */
export function removePartials(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith('.') && name.endsWith(PARTIAL)) rmSync(join(folder, name), { force: true });
}

function openForWriting(path: string, partial: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(partial, 'wx');
  } catch (error) {
    throw new UsageError(
      `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'Name another folder with --out.',
        cause: error,
      },
    );
  }
}

function writeAll(file: number, chunk: Buffer): void {
  for (let from = 0; from < chunk.length; ) from += writeSync(file, chunk, from);
}

// A rename survives a crash of the machine only when the folder is written too.
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
