export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns this process's environment. No other code reads it. */
export function processEnvironment(): Environment {
  return process.env;
}
