import { statSync } from 'node:fs';
import { FailedError } from '../errors.ts';

/** Thrown if a file was deleted, replaced or emptied while this process had it open. */
export class LostFileError extends FailedError {
  readonly path: string;

  constructor(path: string, message: string, hint: string) {
    super(message, { hint });
    this.path = path;
  }
}

interface CheckedFile {
  readonly path: string;
  /** The file's name in messages, such as "the ledger". */
  readonly name: string;
  /** The remedy if the file is lost. */
  readonly remedy: string;
}

/**
 * Returns a function that throws a LostFileError if an open SQLite file is no longer the file at its path. Otherwise,
 * SQLite would continue to write to the old file, and other processes would not see these writes. The WAL and its index
 * are also checked. Open the file and read from it before you call this function.
 */
export function openFileCheck({ path, name, remedy }: CheckedFile): () => void {
  const parts = ['', '-wal', '-shm'].flatMap((end) => {
    const stats = statsOf(path + end);
    return stats === null ? [] : [{ path: path + end, ino: stats.ino, dev: stats.dev, isMain: end === '' }];
  });
  return () => {
    for (const part of parts) {
      const stats = statsOf(part.path);
      if (stats?.ino === part.ino && stats.dev === part.dev && !(part.isMain && stats.size === 0)) continue;
      const fault = stats === null ? 'was deleted or moved' : 'was replaced by another file';
      const emptied = stats?.ino === part.ino ? 'was emptied' : fault;
      const what = part.isMain ? `${name} ${path}` : `${part.path}, a part of ${name},`;
      throw new LostFileError(path, `${what} ${emptied} while this process used it`, remedy);
    }
  };
}

function statsOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // Part of the path is no longer a folder, or is no longer readable.
    return null;
  }
}
