/**
 * Errors are few, and named by what to do next. The message says what happened, to what, and the hint
 * says what to do. Exit codes: docs/operations.md.
 */
export abstract class MirrorError extends Error {
  abstract readonly exitCode: number;
  /** What the reader can do about it, as a sentence; null where the message says all. */
  readonly hint: string | null;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint ?? null;
  }
}

/** The command line or the configuration must be corrected; nothing was written. */
export class UsageError extends MirrorError {
  readonly exitCode = 2;
}

/** The run could not do its work: a file, a disk, an upstream that only fails. */
export class FailedError extends MirrorError {
  readonly exitCode = 1;
}
