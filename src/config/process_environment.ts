export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns this process's environment. No other code reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Returns whether a variable is set. An empty variable, such as NO_COLOR or CI, counts as not set (no-color.org). */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
