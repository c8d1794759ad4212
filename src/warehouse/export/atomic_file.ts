import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FailedError, UsageError } from '../../errors.ts';
import { makeFolder, reachDisk } from '../../sqlite/database_file.ts';

const BUFFERED_CHARACTERS = 256 * 1024;

/** A file that appears at its path only when it is complete. It is written under a temporary name and then renamed. */
export class AtomicFile {
  readonly #path: string;
  readonly #partial: string;
  readonly #file: number;
  readonly #digest = createHash('sha256');
  #text = '';
  #bytes = 0;
  #isOpen = true;

  /** @throws UsageError if the path is a folder, or the file system's error if the folder cannot be written to. */
  constructor(path: string, kind: 'export' | 'single' = 'export') {
    this.#path = path;
    this.#partial = join(dirname(path), `.${kind}.${randomUUID()}.partial`);
    this.#file = openForWriting(path, this.#partial);
  }

  write(data: Uint8Array | string): void {
    if (typeof data === 'string') this.#text += data;
    if (typeof data !== 'string' || this.#text.length >= BUFFERED_CHARACTERS) this.#flush();
    if (typeof data !== 'string') this.#writeOut(data);
  }

  /** Flushes the file to the disk under its temporary name, and returns its size and checksum. */
  finish(): { readonly bytes: number; readonly sha256: string } {
    this.#flush();
    fsyncSync(this.#file);
    this.#close();
    return { bytes: this.#bytes, sha256: this.#digest.digest('hex') };
  }

  /** Renames the finished file to its final name. */
  publish(): void {
    renameSync(this.#partial, this.#path);
    // The rename could otherwise be lost if the machine crashes.
    reachDisk(dirname(this.#path));
  }

  /** Deletes the unfinished file. An earlier file at the path stays unchanged. */
  discard(): void {
    this.#close();
    rmSync(this.#partial, { force: true });
  }

  #flush(): void {
    if (this.#text !== '') this.#writeOut(Buffer.from(this.#text));
    this.#text = '';
  }

  #writeOut(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) from += writeSync(this.#file, chunk, from);
    this.#digest.update(chunk);
    this.#bytes += chunk.length;
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}

const PARTIAL = /^\.export\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.partial$/;

/** Returns whether a killed export left unfinished files behind. */
export function hasPartials(folder: string): boolean {
  return readdirSync(folder).some((name) => PARTIAL.test(name));
}

/** Deletes unfinished files that killed exports left behind. The caller must have locked the folder. */
export function removePartials(folder: string): void {
  for (const name of readdirSync(folder)) if (PARTIAL.test(name)) rmSync(join(folder, name), { force: true });
}

/** Writes a file that appears at its path only when it is complete. */
export function writeAtomicFile(path: string, chunks: Iterable<string>): void {
  const file = new AtomicFile(path, 'single');
  try {
    for (const chunk of chunks) file.write(chunk);
    file.finish();
    file.publish();
  } catch (error) {
    file.discard();
    throw error;
  }
}

/**
 * Converts a file system error to an error that names the path and states the remedy. Returns other errors unchanged.
 */
export function explainFileError(error: unknown, path: string, remedy: string): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const isFull = 'code' in error && /^(ENOSPC|EDQUOT|EIO)$/.test(String(error.code));
  const message = `${path} cannot be written: ${error.message}`;
  return isFull
    ? new FailedError(message, { hint: 'Free space on that disk, then try again.', cause: error })
    : new UsageError(message, { hint: remedy, cause: error });
}

function openForWriting(path: string, partial: string): number {
  makeFolder(dirname(path));
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is a folder, so no file with this name can be written`, {
      hint: 'Move the folder elsewhere, or name another path.',
    });
  return openSync(partial, 'wx');
}
