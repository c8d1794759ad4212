/**
 * An error for the user. The class determines the exit code (docs/operations.md). The message describes the problem
 * and its subject; the hint describes the remedy.
 */
export abstract class MirrorError extends Error {
  abstract readonly exitCode: number;
  /** The remedy, as a sentence; null if the message is sufficient. */
  readonly hint: string | null;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint ?? null;
  }
}

/** The command line or the configuration is invalid; nothing was written. */
export class UsageError extends MirrorError {
  readonly exitCode = 2;
}

/** The run failed because of a file, a disk, or an upstream that returns only errors. */
export class FailedError extends MirrorError {
  readonly exitCode = 1;
}
