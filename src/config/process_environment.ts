export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment of this process. No other code reads it. */
export function processEnvironment(): Environment {
  return process.env;
}
