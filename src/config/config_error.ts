import { UsageError } from '../errors.ts';

/** One problem in the configuration, and its position. */
export interface ConfigProblem {
  /** The source of the value: the file or an environment variable. */
  readonly where: string;
  readonly line: number | null;
  readonly column: number | null;
  /** The dotted path of the key; '' for the whole file. */
  readonly key: string;
  readonly message: string;
  readonly remedy: string | null;
}

/** The error that lists all problems in a configuration. */
export class ConfigError extends UsageError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(lineOf).join('\n'));
    this.problems = problems;
  }
}

function lineOf({ where, line, column, key, message, remedy }: ConfigProblem): string {
  const position = line === null ? where : `${where}:${line}:${column}`;
  const what = key === '' ? message : `${key}: ${message}`;
  return `${position}: ${what}${remedy === null ? '' : `; ${remedy}`}`;
}
