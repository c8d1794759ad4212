/**
 * An error that is shown to the user. Its class determines the exit code (docs/operations.md). The message states what
 * failed and why, and the hint states the remedy.
 */
export abstract class MirrorError extends Error {
  abstract readonly exitCode: number;
  /** A sentence with the remedy; null if the message already makes it clear. */
  readonly hint: string | null;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint ?? null;
  }
}

/** Thrown if the command line or the configuration is invalid. Nothing has been written. */
export class UsageError extends MirrorError {
  readonly exitCode = 2;
}

/** Thrown if the run failed because of a file, a disk, or an upstream that returns only errors. */
export class FailedError extends MirrorError {
  readonly exitCode = 1;
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether memory could not be allocated. Such an error does not depend on the data. */
export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return OUT_OF_MEMORY_CODES.test(code) || (error instanceof RangeError && /allocat/i.test(error.message));
}

/** The codes of Node.js, zlib, Zstandard and the operating system. */
const OUT_OF_MEMORY_CODES = /^ERR_MEMORY_ALLOCATION_FAILED$|^Z_MEM_ERROR$|memory_allocation$|^ENOMEM$/;
