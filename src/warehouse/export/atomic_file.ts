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

/** A file that appears complete or not at all: it is written under another name and then renamed. */
export interface AtomicFile {
  write(bytes: Uint8Array | string): void;
  /** Flushes everything to the disk, still under the other name. Returns the size and checksum. */
  finish(): { readonly bytes: number; readonly sha256: string };
  /** Gives the finished file its name. */
  publish(): void;
  /** Deletes the unfinished file. An earlier file remains. */
  discard(): void;
}

const BUFFERED_CHARACTERS = 256 * 1024;

/** @throws UsageError if the folder cannot be written. */
export function openAtomicFile(path: string): AtomicFile {
  const partial = join(dirname(path), `.${basename(path)}.${randomUUID()}${PARTIAL}`);
  const file = openForWriting(path, partial);
  const digest = createHash('sha256');
  let text = '';
  let bytes = 0;
  let isOpen = true;

  const writeOut = (chunk: Uint8Array) => {
    for (let from = 0; from < chunk.length; ) from += writeSync(file, chunk, from);
    digest.update(chunk);
    bytes += chunk.length;
  };
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const flush = () => {
    if (text !== '') writeOut(Buffer.from(text));
    text = '';
  };
  return {
    write: (data) => {
      if (typeof data === 'string') text += data;
      if (typeof data !== 'string' || text.length >= BUFFERED_CHARACTERS) flush();
      if (typeof data !== 'string') writeOut(data);
    },
    finish: () => {
      flush();
      fsyncSync(file);
      close();
      return { bytes, sha256: digest.digest('hex') };
    },
    publish: () => {
      renameSync(partial, path);
      syncFolder(dirname(path));
    },
    discard: () => {
      close();
      rmSync(partial, { force: true });
    },
  };
}

const PARTIAL = '.partial';

/** Removes the unfinished files of killed exports. */
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

// A rename survives a crash of the machine only if the folder is flushed too.
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
